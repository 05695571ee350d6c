// One Live WebSocket: expects setup first, and closes on an invalid frame. LiveDialogue handles the content.

import { SocketConnection } from '../socket/connection.js'
import { ScriptedTranscripts } from '../scripted-transcripts.js'
import { LiveDialogue } from './dialogue.js'
import { UtteranceTimer } from './utterance-timer.js'
import { declarationsOf, parseFrame } from './parse-frame.js'
import * as frames from './server-frames.js'

const INVALID_PAYLOAD = 1007
const POLICY_VIOLATION = 1008

export class LiveConnection extends SocketConnection {
  /** @type {object | null} the client's setup */
  setup = null
  #dialogue = null
  #utteranceTimer = null
  #channel = null
  #buffered = []
  #transcripts = new ScriptedTranscripts()
  #hasReportedUntranscribed = false

  /** JSON in a binary message, like the service. @param {string} text */
  encode(text) {
    return Buffer.from(text)
  }

  onClose() {
    this.#dialogue?.detach(this.#channel)
  }

  receive(bytes) {
    const { frame, json = frame, text, problem } = parseFrame(bytes)
    this.record({ json, text })
    const refusal = problem ?? this.#outOfOrder(frame)
    if (refusal !== null) return this.#refuse(refusal)
    const [[kind, value]] = Object.entries(frame)
    this[HANDLERS[kind]](value)
  }

  #outOfOrder(frame) {
    if ((frame.setup === undefined) === (this.setup === null))
      return 'setup must be the first message and only the first'
    const { activityStart, activityEnd } = frame.realtimeInput ?? {}
    if (!this.#utteranceTimer?.manual && (activityStart ?? activityEnd) !== undefined) {
      return 'activityStart and activityEnd need automaticActivityDetection.disabled in setup'
    }
    return null
  }

  #refuse(reason, code = INVALID_PAYLOAD) {
    this.log(`refused: ${reason}`)
    this.disconnect({ code, reason })
  }

  onSetup(setup) {
    this.setup = setup
    const scenario = this.host.scenario()
    const manual = setup.realtimeInputConfig?.automaticActivityDetection?.disabled === true
    this.#utteranceTimer = new UtteranceTimer({ manual, listenMs: scenario.settings.listenMs })
    const handle = setup.sessionResumption?.handle
    const resumed = handle === undefined ? undefined : this.host.sessions.get(handle)
    if (handle !== undefined && resumed === undefined)
      return this.#refuse('session not found for this resumption handle', POLICY_VIOLATION)
    const declared = declarationsOf(setup).map(({ name }) => name)
    this.log(`setup: model ${setup.model}, ${declared.length} tools${resumed ? ', resumed' : ''}`)
    this.#dialogue = resumed ?? new LiveDialogue(scenario)
    this.send(frames.setupComplete())
    this.#sendResumptionHandle()
    this.#channel = this.#makeChannel(scenario)
    this.#dialogue.attach(this.#channel, { connection: this.number, resumed: resumed !== undefined, declared })
    this.host.ready(this)
  }

  #makeChannel(scenario) {
    const modalities = this.setup.generationConfig?.responseModalities ?? ['AUDIO']
    return {
      send: frame => this.send(frame),
      sendRaw: text => this.sendRaw(text),
      disconnect: how => this.disconnect(how),
      fail: error => this.fail(error),
      skip: name => this.log(`action \`${name}\` skipped: Gemini Live has no such thing`),
      anomaly: anomaly => this.host.anomaly({ connection: this.number, ...anomaly }),
      speech: { audioOut: modalities[0] !== 'TEXT', transcribeOut: this.setup.outputAudioTranscription !== undefined },
      toneMs: scenario.settings.toneMs,
      turnCompleted: () => this.#sendResumptionHandle(),
    }
  }

  #sendResumptionHandle() {
    if (this.setup.sessionResumption === undefined) return
    const newHandle = this.host.sessions.keep(this.#dialogue)
    this.send(frames.sessionResumptionUpdate({ newHandle, resumable: true }))
  }

  onClientContent({ turns = [], turnComplete = false }) {
    this.#buffered.push(...turns)
    // new content interrupts the model even if its turn is incomplete
    this.#dialogue.bargeIn()
    if (!turnComplete) return
    const text = lastUserText(this.#buffered)
    this.#buffered = []
    this.#handleUserText(text)
  }

  onRealtimeInput({ text, audio, mediaChunks = [], activityStart, activityEnd, audioStreamEnd }) {
    if (activityStart !== undefined) {
      this.#dialogue.bargeIn()
      this.#utteranceTimer.startActivity()
    }
    const chunks = mediaChunks.filter(({ mimeType }) => mimeType.startsWith('audio/'))
    for (const chunk of audio === undefined ? chunks : [audio, ...chunks]) this.#handleAudioChunk(chunk)
    if (activityEnd !== undefined || audioStreamEnd === true) {
      this.#hasReportedUntranscribed = false
      this.#handleUserAudio()
    }
    if (text !== undefined) this.#handleUserText(text)
  }

  onToolResponse({ functionResponses }) {
    this.#dialogue.answer(functionResponses)
  }

  #handleUserText(text) {
    this.#utteranceTimer.endUtterance()
    this.#hasReportedUntranscribed = false
    this.#dialogue.userSaid(text, 'text')
  }

  #handleAudioChunk(chunk) {
    // an open microphone sends while the model speaks; only a manual activity or text interrupts
    if (!this.#utteranceTimer.manual && this.#dialogue.isBusy) return
    if (this.#utteranceTimer.add(chunk)) this.#handleUserAudio()
  }

  #handleUserAudio() {
    const seconds = this.#utteranceTimer.endUtterance()
    if (seconds === 0) return
    const transcript = this.#transcripts.next(this.#dialogue.scenario)
    if (transcript !== undefined) {
      if (this.setup.inputAudioTranscription !== undefined) this.send(frames.inputTranscription(transcript))
      this.#dialogue.userSaid(transcript, 'audio')
    } else if (!this.#hasReportedUntranscribed) {
      // once per audio stream: an open microphone would repeat it for ever
      this.#hasReportedUntranscribed = true
      this.#dialogue.userSaidUntranscribed(seconds)
    }
  }
}

const HANDLERS = {
  setup: 'onSetup',
  clientContent: 'onClientContent',
  realtimeInput: 'onRealtimeInput',
  toolResponse: 'onToolResponse',
}

function lastUserText(turns) {
  const parts = turns.findLast(({ role }) => role !== 'model')?.parts ?? []
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
