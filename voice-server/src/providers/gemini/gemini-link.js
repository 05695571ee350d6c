// A conversation with Gemini Live, over `@google/genai`.
import { GeminiLiveTransport } from '../../../providers/gemini-live-transport.js'
import { asCancelled } from '../../delivery/cancelled-answer.js'
import { askNote } from '../../delivery/model-notes.js'
import { VoiceActivityDetector } from '../../audio/voice-activity-detector.js'
import { ConversationMemory } from '../conversation-memory.js'
import { connectLive } from './gemini-connect.js'
import { GeminiReader } from './gemini-reader.js'
import { ProviderLink } from '../provider-link.js'
import { TurnReceipts } from './turn-receipts.js'

/** The frame of a chunk of audio, as the SDK's `sendRealtimeInput` writes it, around the chunk's base64. */
const [BEFORE_AUDIO, AFTER_AUDIO] = ['{"realtimeInput":{"audio":{"data":"', '","mimeType":"audio/pcm;rate=16000"}}}']

/**
 * @typedef {import('./gemini-connect.js').GeminiConnection} GeminiConnection
 * @typedef {InstanceType<typeof GeminiLiveTransport>} GeminiTransport
 * @typedef {import('../../voice-types.js').Answer} Answer
 * @typedef {import('../../voice-types.js').LinkOptions<string> & { settings: import('./gemini-connect.js').GeminiSettings,
 *   config: import('@google/genai').LiveConnectConfig }} GeminiLinkOptions `config` without `sessionResumption`
 */

/** @extends {ProviderLink<GeminiConnection, GeminiTransport, string, GeminiLinkOptions>} */
export class GeminiLink extends ProviderLink {
  provider = 'gemini'
  isSeeded = false
  memory = this.options.memory ?? new ConversationMemory()
  /** Of each side, the number of the utterance in progress. */
  #utterances = { input: 0, output: 0 }
  #voiceActivity = new VoiceActivityDetector()
  #reader = new GeminiReader(this.#voiceActivity)
  #receipts = new TurnReceipts()
  /** The tools whose calls may be answered as running, and again with their results. */
  #continues = nonBlockingTools(this.options.config)

  /** Milliseconds of the user's audio sent to the model. */
  get inputMs() {
    return this.#voiceActivity.processedMs
  }

  get isUserSpeaking() {
    return this.#voiceActivity.isSpeaking
  }

  get lastSpeechAt() {
    return this.#voiceActivity.lastSpeechAt
  }

  get unsentBytes() {
    return this.connection?.unsentBytes() ?? 0
  }

  /** @param {string | null} handle @param {import('../../voice-types.js').ConnectionEvents} events */
  connect(handle, events) {
    const { settings, config, connectTimeoutMs: timeoutMs, pingMs } = this.options
    this.#receipts.reset()
    const sessionResumption = handle === null ? {} : { handle }
    return connectLive({ settings, config: { ...config, sessionResumption }, timeoutMs, pingMs, ...events })
  }

  /** @param {GeminiConnection} connection */
  disconnect({ session }) {
    session.close()
  }

  /**
   * A resumed conversation keeps its transport, which knows the calls of the earlier connection.
   * @param {GeminiConnection} connection
   * @param {GeminiTransport | null} earlier
   */
  makeTransport({ session }, earlier) {
    if (earlier !== null) {
      earlier.resume(session)
      return earlier
    }
    const { model, surface } = this.options.settings
    return new GeminiLiveTransport(session, { model, surface, meta: this.options.meta })
  }

  /** @param {object} message @returns {import('../provider-link.js').ParsedMessage} */
  read(message) {
    const heard = this.#reader.read(message)
    if (heard.handle !== null) this.handle = heard.handle
    const hasWords = heard.pieces.some(isWords)
    this.#keep(heard.pieces, heard.modelSpoke)
    const speech = { userSpoke: false, utterance: null, userStopped: hasWords, speechStopped: false }
    const { modelSpoke, interrupted, turnComplete, hasCalls } = heard
    const receipts = this.#receipts.heard({ modelSpoke, hasCalls, isOver: interrupted || turnComplete })
    return {
      ...heard,
      ...speech,
      receipts,
      refused: /** @type {string[]} */ ([]),
      problem: null,
      beginsTurn: hasWords,
      resumable: heard.handle !== null,
    }
  }

  /** @param {string[]} texts */
  writeText(texts) {
    if (this.#takesTextAsInput) this.connection?.session.sendRealtimeInput({ text: texts.join('\n\n') })
    else this.#sendContent(texts, true)
    return this.#receipts.sent()
  }

  /** @param {string} note */
  writeNote(note) {
    return this.writeText([note])
  }

  /** @param {string} note */
  rememberNote(note) {
    this.memory.add('user', note)
  }

  /** The service keeps the conversation itself, but may have forgotten it. */
  sendHistory() {
    const turns = this.memory.entries.map(({ role, text }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [{ text }],
    }))
    if (turns.length > 0) this.connection?.session.sendClientContent({ turns, turnComplete: false })
  }

  /** The model says it by itself: it has no response beside the conversation. */
  prepareReadBack() {}

  /** @param {string} readBack */
  askAgain(readBack) {
    this.writeNote(askNote(readBack))
  }

  /** A model with text as realtime input has no context-only message. */
  get speaksContext() {
    return this.#takesTextAsInput
  }

  /** @param {string} text */
  sendContext(text) {
    if (this.connection === null) return
    if (this.#takesTextAsInput) this.writeText([text])
    else this.#sendContent([text], false)
  }

  /** @param {Buffer} pcm */
  sendAudio(pcm) {
    this.#voiceActivity.process(pcm)
    this.connection?.session.conn.send(BEFORE_AUDIO + pcm.toString('base64') + AFTER_AUDIO)
  }

  sendAudioEnd() {
    this.connection?.session.sendRealtimeInput({ audioStreamEnd: true })
  }

  /** The service detects speech and typed text itself and sends `interrupted`. */
  bargeIn() {
    return false
  }

  /** The service tracks playback itself. */
  truncate() {}

  /** @param {(Answer & { scheduling?: 'WHEN_IDLE' | 'SILENT' })[]} answers @returns {string[]} */
  sendAnswers(answers) {
    const isRunning = (/** @type {Answer} */ { name, result }) =>
      result.meta.pending === true && this.#continues.has(name)
    this.transport?.sendToolResults(
      answers.map(answer => (isRunning(answer) ? { ...answer, willContinue: true } : answer)),
    )
    return answers.every(({ scheduling }) => scheduling === 'SILENT') ? [] : this.#receipts.sent()
  }

  /** @param {Answer} answer */
  awaits({ id }) {
    return id !== null && this.transport?.awaits(id) === true
  }

  /**
   * Only with `scheduling` can an answer be sent that the model does not speak about at once.
   * @param {Answer} answer
   * @returns {string[] | null}
   */
  answerLate(answer) {
    const { transport } = this
    if (transport === null || !transport.capabilities.scheduling) return null
    return transport.sendToolResults([{ ...answer, scheduling: 'WHEN_IDLE' }]).length > 0 ? [] : null
  }

  /** All calls of a message arrive together. @param {import('../../voice-types.js').ReadyCall[]} calls */
  collectCalls(calls) {
    return calls
  }

  /** The service continues by itself. */
  requestAnswer() {}

  /** A failure ends the connection. */
  requestAnswerAgain() {}

  /**
   * The service waits for each call that it has not cancelled itself; the transport leaves those out.
   * @param {Answer} answer
   */
  answerCancelled({ id, name, result }) {
    this.transport?.sendToolResults([{ id, name, result: asCancelled(result), scheduling: 'SILENT' }])
  }

  /** @param {string} entry */
  remember(entry) {
    this.memory.add('user', entry)
  }

  /** @param {import('../provider-link.js').TranscriptPiece[]} pieces @param {boolean} modelSpoke */
  #keep(pieces, modelSpoke) {
    // Texts come before the words that answer them; until then they are sent again themselves.
    if (modelSpoke) for (const text of this.answerable) this.memory.add('user', text)
    for (const { direction, text, final } of pieces) {
      this.memory.add(direction === 'input' ? 'user' : 'assistant', text, `${direction}:${this.#utterances[direction]}`)
      if (final) this.#utterances[direction] += 1
    }
  }

  /** @param {string[]} texts @param {boolean} turnComplete */
  #sendContent(texts, turnComplete) {
    const parts = texts.map(text => ({ text }))
    this.connection?.session.sendClientContent({ turns: [{ role: 'user', parts }], turnComplete })
  }

  get #takesTextAsInput() {
    return this.transport?.capabilities.text === 'realtimeInput'
  }
}

/** @param {import('@google/genai').LiveConnectConfig} config @returns {Set<unknown>} names */
function nonBlockingTools({ tools = [] }) {
  const declarations = tools.flatMap(tool => ('functionDeclarations' in tool ? (tool.functionDeclarations ?? []) : []))
  return new Set(declarations.filter(({ behavior }) => behavior === 'NON_BLOCKING').map(({ name }) => name))
}

/** @param {import('../provider-link.js').TranscriptPiece} piece */
function isWords({ direction, text }) {
  return direction === 'input' && text !== ''
}
