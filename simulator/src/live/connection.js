// One Live WebSocket: setup first, a frame that is refused closes. What is said is the dialogue's matter.

import { SocketConnection } from '../socket/connection.js'
import { Transcripts } from '../transcripts.js'
import { Dialogue } from './dialogue.js'
import { Ear } from './ear.js'
import { declarationsOf, parseFrame } from './parse-frame.js'
import * as frames from './server-frames.js'

const INVALID_PAYLOAD = 1007
const POLICY_VIOLATION = 1008

export class LiveConnection extends SocketConnection {
  /** @type {object | null} what the client set up */
  setup = null
  #dialogue = null
  #ear = null
  #wire = null
  #buffered = []
  #transcripts = new Transcripts()
  #saidItCannotTranscribe = false

  /** As the service does: JSON in a binary message. @param {string} text */
  encode(text) {
    return Buffer.from(text)
  }

  left() {
    this.#dialogue?.detach(this.#wire)
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
    if (!this.#ear?.manual && (activityStart ?? activityEnd) !== undefined) {
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
    this.#ear = new Ear({ manual, listenMs: scenario.settings.listenMs })
    const handle = setup.sessionResumption?.handle
    const resumed = handle === undefined ? undefined : this.host.sessions.get(handle)
    if (handle !== undefined && resumed === undefined)
      return this.#refuse('session not found for this resumption handle', POLICY_VIOLATION)
    const declared = declarationsOf(setup).map(({ name }) => name)
    this.log(`setup: model ${setup.model}, ${declared.length} tools${resumed ? ', resumed' : ''}`)
    this.#dialogue = resumed ?? new Dialogue(scenario)
    this.send(frames.setupComplete())
    this.#offerResumption()
    this.#wire = this.#makeWire(scenario)
    this.#dialogue.attach(this.#wire, { connection: this.number, resumed: resumed !== undefined, declared })
    this.host.ready(this)
  }

  #makeWire(scenario) {
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
      turnCompleted: () => this.#offerResumption(),
    }
  }

  #offerResumption() {
    if (this.setup.sessionResumption === undefined) return
    const newHandle = this.host.sessions.keep(this.#dialogue)
    this.send(frames.sessionResumptionUpdate({ newHandle, resumable: true }))
  }

  onClientContent({ turns = [], turnComplete = false }) {
    this.#buffered.push(...turns)
    // new content interrupts the model even before its turn is complete
    this.#dialogue.bargeIn()
    if (!turnComplete) return
    const text = lastUserText(this.#buffered)
    this.#buffered = []
    this.#utterText(text)
  }

  onRealtimeInput({ text, audio, mediaChunks = [], activityStart, activityEnd, audioStreamEnd }) {
    if (activityStart !== undefined) {
      this.#dialogue.bargeIn()
      this.#ear.startActivity()
    }
    const chunks = mediaChunks.filter(({ mimeType }) => mimeType.startsWith('audio/'))
    for (const chunk of audio === undefined ? chunks : [audio, ...chunks]) this.#hear(chunk)
    if (activityEnd !== undefined || audioStreamEnd === true) {
      this.#saidItCannotTranscribe = false
      this.#utterAudio()
    }
    if (text !== undefined) this.#utterText(text)
  }

  onToolResponse({ functionResponses }) {
    this.#dialogue.answer(functionResponses)
  }

  #utterText(text) {
    this.#ear.endUtterance()
    this.#saidItCannotTranscribe = false
    this.#dialogue.utter(text, 'text')
  }

  #hear(chunk) {
    // an open microphone keeps sending while the model speaks; only a manual activity or text interrupts it
    if (!this.#ear.manual && this.#dialogue.isBusy) return
    if (this.#ear.hear(chunk)) this.#utterAudio()
  }

  #utterAudio() {
    const seconds = this.#ear.endUtterance()
    if (seconds === 0) return
    const transcript = this.#transcripts.next(this.#dialogue.scenario)
    if (transcript !== undefined) {
      if (this.setup.inputAudioTranscription !== undefined) this.send(frames.inputTranscription(transcript))
      this.#dialogue.utter(transcript, 'audio')
    } else if (!this.#saidItCannotTranscribe) {
      // said once per audio stream: an open microphone would make it repeat itself for ever
      this.#saidItCannotTranscribe = true
      this.#dialogue.utterUntranscribed(seconds)
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
