// One Live WebSocket: expects setup first, and closes on an invalid frame. LiveDialogue handles the content.

import { textOfContent } from '../content-text.js'
import { SocketConnection } from '../socket/socket-connection.js'
import { ScriptedTranscripts } from '../scripted-transcripts.js'
import { LiveDialogue } from './live-dialogue.js'
import { UtteranceTimer } from './utterance-timer.js'
import { declarationsOf, functionsOf, parseFrame, textOfParts } from './parse-frame.js'
import * as frames from './server-frames.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { CompiledScenario } from '../scenario/compile.js'
 * @import { SocketHost } from '../socket/socket-endpoint.js'
 * @import { LiveChannel } from './live-dialogue.js'
 * @import { MediaChunk } from './utterance-timer.js'
 */

/** Models that do not wait for a function whose declaration has no `behavior`. */
const GOES_ON_BY_DEFAULT = /(^|\/)gemini-3\.8-live/
const INVALID_PAYLOAD = 1007
const POLICY_VIOLATION = 1008

/** @typedef {SocketHost & { sessions: import('./resumable-sessions.js').ResumableSessions }} LiveHost */

/** @extends {SocketConnection<LiveHost>} */
export class LiveConnection extends SocketConnection {
  /** @type {JsonObject | null} the client's setup */
  setup = null
  /** @type {LiveDialogue | null} */
  #dialogue = null
  /** @type {UtteranceTimer | null} */
  #utteranceTimer = null
  /** @type {LiveChannel | null} */
  #channel = null
  /** @type {JsonObject[]} turns of incomplete client content */
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

  /** @param {Buffer} bytes */
  receive(bytes) {
    const { frame, json = frame, text, problem } = parseFrame(bytes)
    this.record({ json, text })
    if (problem !== undefined) return this.#refuse(problem)
    const refusal = this.#outOfOrder(frame)
    if (refusal !== null) return this.#refuse(refusal)
    const [[kind, value]] = /** @type {[keyof typeof HANDLERS, JsonObject][]} */ (Object.entries(frame))
    this[HANDLERS[kind]](value)
  }

  /** @param {JsonObject} frame @returns {string | null} the problem, if any */
  #outOfOrder(frame) {
    if ((frame.setup === undefined) === (this.setup === null))
      return 'setup must be the first message and only the first'
    const { activityStart, activityEnd } = frame.realtimeInput ?? {}
    if (!this.#utteranceTimer?.manual && (activityStart ?? activityEnd) !== undefined) {
      return 'activityStart and activityEnd need automaticActivityDetection.disabled in setup'
    }
    return null
  }

  /** @param {string} reason @param {number} [code] */
  #refuse(reason, code = INVALID_PAYLOAD) {
    this.log(`refused: ${reason}`)
    this.disconnect({ code, reason })
  }

  /** @param {JsonObject} setup */
  onSetup(setup) {
    this.setup = setup
    const scenario = this.host.scenario()
    const manual = setup.realtimeInputConfig?.automaticActivityDetection?.disabled === true
    this.#utteranceTimer = new UtteranceTimer({ manual, listenMs: scenario.settings.listenMs })
    const handle = setup.sessionResumption?.handle
    const resumed = handle === undefined ? undefined : this.host.sessions.get(handle)
    if (handle !== undefined && resumed === undefined)
      return this.#refuse('session not found for this resumption handle', POLICY_VIOLATION)
    const declared = functionsOf(setup)
    const goesOn = GOES_ON_BY_DEFAULT.test(setup.model)
    const nonBlocking = declarationsOf(setup)
      .filter(({ behavior = 'UNSPECIFIED' }) => behavior === 'NON_BLOCKING' || (goesOn && behavior === 'UNSPECIFIED'))
      .map(({ name }) => name)
    this.log(`setup: model ${setup.model}, ${declared.length} tools${resumed ? ', resumed' : ''}`)
    const dialogue = resumed ?? new LiveDialogue(scenario)
    this.#dialogue = dialogue
    this.send(frames.setupComplete())
    this.#channel = this.#makeChannel(setup, scenario)
    this.#sendResumptionHandle()
    dialogue.attach(
      this.#channel,
      {
        connection: this.number,
        resumed: resumed !== undefined,
        declared,
        instructions: textOfParts(setup.systemInstruction),
      },
      new Set(nonBlocking),
    )
    this.host.ready(this)
  }

  /**
   * @param {JsonObject} setup
   * @param {CompiledScenario} scenario
   * @returns {LiveChannel}
   */
  #makeChannel(setup, scenario) {
    const modalities = setup.generationConfig?.responseModalities ?? ['AUDIO']
    return {
      send: frame => this.send(frame),
      sendRaw: text => this.sendRaw(text),
      disconnect: how => this.disconnect(how),
      fail: error => this.fail(error),
      skip: name => this.log(`action \`${name}\` skipped: Gemini Live has no such thing`),
      anomaly: anomaly => this.host.anomaly({ connection: this.number, ...anomaly }),
      speech: { audioOut: modalities[0] !== 'TEXT', transcribeOut: setup.outputAudioTranscription !== undefined },
      toneMs: scenario.settings.toneMs,
      turnCompleted: () => this.#sendResumptionHandle(),
    }
  }

  /** The state that setup creates: every earlier frame is refused. */
  #afterSetup() {
    const channel = this.#channel
    if (this.setup === null || this.#dialogue === null || this.#utteranceTimer === null || channel === null)
      throw new Error('no setup')
    return { setup: this.setup, dialogue: this.#dialogue, utteranceTimer: this.#utteranceTimer, channel }
  }

  #sendResumptionHandle() {
    const { setup, dialogue } = this.#afterSetup()
    if (setup.sessionResumption === undefined) return
    const newHandle = this.host.sessions.keep(dialogue)
    this.send(frames.sessionResumptionUpdate({ newHandle, resumable: true }))
  }

  /** @param {JsonObject} message */
  onClientContent({ turns = [], turnComplete = false }) {
    this.#buffered.push(...turns)
    // new content interrupts the model even if its turn is incomplete
    this.#ownDialogue().bargeIn()
    if (!turnComplete) return
    const text = lastUserText(this.#buffered)
    this.#buffered = []
    this.#handleUserText(text)
  }

  /** @param {JsonObject} message */
  onRealtimeInput({ text, audio, mediaChunks = [], activityStart, activityEnd, audioStreamEnd }) {
    if (activityStart !== undefined) {
      this.#ownDialogue().bargeIn()
      this.#afterSetup().utteranceTimer.startActivity()
    }
    const chunks = mediaChunks.filter((/** @type {MediaChunk} */ { mimeType }) => mimeType.startsWith('audio/'))
    for (const chunk of audio === undefined ? chunks : [audio, ...chunks]) this.#handleAudioChunk(chunk)
    if (activityEnd !== undefined || audioStreamEnd === true) this.#handleUserAudio({ isOver: true })
    if (text !== undefined) this.#handleUserText(text)
  }

  /** @param {JsonObject} message */
  onToolResponse({ functionResponses }) {
    const { dialogue, channel } = this.#afterSetup()
    dialogue.answer(functionResponses, channel)
  }

  /** The dialogue, for input that it answers on this connection. */
  #ownDialogue() {
    const { dialogue, channel } = this.#afterSetup()
    dialogue.reattach(channel)
    return dialogue
  }

  /** @param {string} text */
  #handleUserText(text) {
    this.#afterSetup().utteranceTimer.endUtterance()
    this.#ownDialogue().userSaid(text, 'text')
  }

  /** @param {MediaChunk} chunk */
  #handleAudioChunk(chunk) {
    const { dialogue, utteranceTimer } = this.#afterSetup()
    // an open microphone sends while the model speaks; only a manual activity or text interrupts
    if (!utteranceTimer.manual && dialogue.isBusy) return
    if (utteranceTimer.add(chunk)) this.#handleUserAudio()
  }

  /** @param {{ isOver?: boolean }} [stream] whether the client ended the utterance, and waits for an answer */
  #handleUserAudio({ isOver = false } = {}) {
    const { setup, utteranceTimer } = this.#afterSetup()
    const seconds = utteranceTimer.endUtterance()
    if (seconds === 0) return
    const dialogue = this.#ownDialogue()
    const transcript = this.#transcripts.next(dialogue.scenario)
    if (transcript !== undefined) {
      if (setup.inputAudioTranscription !== undefined) this.send(frames.inputTranscription(transcript))
      dialogue.userSaid(transcript, 'audio')
    } else if (isOver || !this.#hasReportedUntranscribed) {
      // said once: an open microphone would repeat it for ever
      dialogue.userSaidUntranscribed(this.#hasReportedUntranscribed ? null : seconds)
      this.#hasReportedUntranscribed = true
    }
  }
}

const HANDLERS = /** @type {const} */ ({
  setup: 'onSetup',
  clientContent: 'onClientContent',
  realtimeInput: 'onRealtimeInput',
  toolResponse: 'onToolResponse',
})

/** @param {JsonObject[]} turns @returns {string} */
function lastUserText(turns) {
  /** @type {JsonObject[]} */
  const parts = turns.findLast(({ role }) => role !== 'model')?.parts ?? []
  return textOfContent(parts)
}
