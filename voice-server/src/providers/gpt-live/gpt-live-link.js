// A conversation with OpenAI's GPT-Live, over its WebSocket: it has no turns, and both sides may speak at once. The model does no
// work itself: a Responses backend calls the tools, or the host works for it (`src/conversation/delegations.js`).
import appends from 'toolgate/transports/gpt-live/live-appends.js'
import { OpenAILiveTransport } from '../../../providers/openai-live-transport.js'
import { asCancelled } from '../../delivery/cancelled-answer.js'
import { continueNote, typedNote } from '../../delivery/model-notes.js'
import { Upsampler } from '../../audio/upsampler.js'
import { VoiceActivityDetector } from '../../audio/voice-activity-detector.js'
import { ConversationMemory } from '../conversation-memory.js'
import { GptLiveBackend } from './gpt-live-backend.js'
import { connectGptLive } from './gpt-live-connection.js'
import { historyOf } from './gpt-live-history.js'
import { GptLiveQuestions } from './gpt-live-questions.js'
import { GptLiveReader } from './gpt-live-reader.js'
import { Pauses } from './pauses.js'
import { ProviderLink } from '../provider-link.js'

/** The event of a chunk of audio, around the chunk's base64. */
const [BEFORE_AUDIO, AFTER_AUDIO] = ['{"type":"session.input_audio.append","audio":"', '"}']
/** A fixture of silence, which ends the model's speech. */
const STOP = Buffer.alloc(20 * 48)
/** How long before the service ends the session another one is begun: at most, and as a part of the session. */
const [RENEW_MS, RENEW_PART] = [60_000, 0.1]
const MOST_TIMER_MS = 2 ** 31 - 1

/** Messages of the link's own: none of the service's is one of these. */
const PAUSE = { input: Object.freeze({ type: 'link.pause' }), output: Object.freeze({ type: 'link.pause' }) }
const EXPIRES = Object.freeze({ type: 'link.expires' })

/**
 * @typedef {import('./gpt-live-connection.js').GptLiveConnection} GptLiveConnection
 * @typedef {import('./gpt-live-connection.js').LiveEvent} LiveEvent
 * @typedef {InstanceType<typeof OpenAILiveTransport>} GptLiveTransport
 * @typedef {import('../provider-link.js').ParsedMessage} ParsedMessage
 * @typedef {import('../../voice-types.js').Answer} Answer
 * @typedef {import('../../voice-types.js').LinkOptions<ConversationMemory> & { settings: import('../openai-socket.js').OpenAISettings,
 *   config: any, readAloud?: import('../../voice-types.js').ReadAloud }} GptLiveLinkOptions `config`: the `session` of `session.start`
 */

/** @extends {ProviderLink<GptLiveConnection, GptLiveTransport, ConversationMemory, GptLiveLinkOptions>} */
export class GptLiveLink extends ProviderLink {
  provider = 'gptLive'
  isSeeded = false
  isDuplex = true
  #reader = new GptLiveReader()
  #voiceActivity = new VoiceActivityDetector()
  #upsampler = new Upsampler()
  #pauses = new Pauses({ isOver: side => this.#isOver(side), onPause: side => this.options.onMessage(PAUSE[side]) })
  /** The model, or its backend, was asked for something and has not begun. */
  #isAsked = false
  #backend = new GptLiveBackend({
    isAtWork: () => this.#reader.hasResponse,
    send: event => this.connection?.send(event),
  })
  #questions
  /** @type {NodeJS.Timeout | undefined} */
  #expiry

  /** @param {GptLiveLinkOptions} options */
  constructor(options) {
    super({ ...options, handle: options.handle ?? new ConversationMemory() })
    this.#questions = new GptLiveQuestions(this, options)
  }

  /** It can always be resumed. */
  get #memory() {
    return /** @type {ConversationMemory} */ (this.handle)
  }

  get #hasBackend() {
    return this.options.config.delegation?.type === 'responses'
  }

  get inputMs() {
    return this.#voiceActivity.processedMs
  }

  get isUserSpeaking() {
    return this.#voiceActivity.isSpeaking
  }

  /** Either side speaks. */
  get isSpoken() {
    return this.isUserSpeaking || this.#reader.isModelSpeaking
  }

  get lastSpeechAt() {
    return this.#voiceActivity.lastSpeechAt
  }

  get isBackendWorking() {
    return this.#reader.hasResponse
  }

  get unsentBytes() {
    return this.connection?.unsentBytes ?? 0
  }

  /** What both sides have said last. */
  get heardLines() {
    return this.#memory.entries.flatMap(({ role, text }) => (role === 'system' ? [] : [{ role, text }]))
  }

  /** @param {unknown} _ @param {import('../../voice-types.js').ConnectionEvents} events */
  async connect(_, events) {
    const { settings, config, connectTimeoutMs: timeoutMs, pingMs } = this.options
    const history = historyOf(this.#memory, { isBusy: this.options.isBusy?.() === true })
    const input = [...(config.input ?? []), ...history]
    const session = { ...config, model: settings.model, ...(input.length > 0 ? { input } : {}) }
    const connection = await connectGptLive({ settings, session, timeoutMs, pingMs, ...events })
    this.#reader = new GptLiveReader()
    this.#isAsked = false
    this.#questions.reset()
    this.#backend.reset()
    this.#pauses.end('output')
    return connection
  }

  /** @param {GptLiveConnection} connection */
  disconnect(connection) {
    connection.close()
  }

  close() {
    this.#pauses.stop()
    clearTimeout(this.#expiry)
    super.close()
  }

  /** @param {GptLiveConnection} connection */
  makeTransport(connection) {
    this.#watchExpiry(connection.expiresAt)
    return new OpenAILiveTransport(connection, { meta: this.options.meta })
  }

  /** @param {LiveEvent} message @returns {ParsedMessage} */
  read(message) {
    const heard = this.#reader.read(message)
    if (message === EXPIRES) heard.goAwayMs = Math.max(0, (this.connection?.expiresAt ?? 0) - Date.now())
    if (message === PAUSE.input) this.#utteranceOver(heard)
    if (message === PAUSE.output) this.#turnOver(heard)
    this.#readFixture(heard, message)
    // A response that only began is lost with its connection, and the text that it was to answer with it.
    if (heard.pieces.some(({ direction }) => direction === 'output')) this.received(this.#backend.takeTexts())
    const { receipts, refused } = this.#questions.take()
    heard.receipts.push(...receipts)
    heard.refused.push(...refused)
    if (heard.problem?.isRetried) this.#isAsked = true
    else if (heard.modelSpoke) this.#isAsked = false
    if (heard.modelSpoke && !heard.turnComplete) this.#pauses.restart('output')
    if (heard.beginsTurn) this.#pauses.restart('input')
    if (message.type === 'response.event') this.#backend.goOn()
    if (message.type === 'session.closed') this.connection?.close()
    this.#keep(heard)
    return heard
  }

  /** Text for the backend; without one the host works on it. @param {string[]} texts */
  writeText(texts) {
    if (!this.#hasBackend) return []
    this.#isAsked = true
    this.sendContext(typedNote(texts.join('\n')))
    return this.#backend.write(texts.join('\n'))
  }

  /** @param {string} note */
  writeNote(note) {
    this.#isAsked = true
    this.#pauses.restart('output')
    return this.#append('commentary', note)
  }

  /** @param {string} note */
  rememberNote(note) {
    this.#memory.add('user', note)
  }

  /** The server asks the user when neither side speaks. */
  prepareReadBack() {}

  /**
   * Has a question asked: in the host's voice if it has one, else by the model.
   * @param {string} readBack
   * @returns {string[]} receipts
   */
  askAgain(readBack) {
    this.#isAsked = true
    this.#pauses.restart('output')
    return this.#questions.ask(readBack)
  }

  /** What was asked is not said now. */
  onPutOff() {
    this.#isAsked = false
  }

  /** @param {string} text */
  sendContext(text) {
    return this.#append('thinking', text)
  }

  /** @param {Buffer} pcm */
  sendAudio(pcm) {
    this.#voiceActivity.process(pcm)
    const sound = this.#upsampler.push(pcm)
    if (sound.length > 0) this.connection?.sendText(BEFORE_AUDIO + sound.toString('base64') + AFTER_AUDIO)
  }

  /** The service hears from the silence that follows that the user has ended; there may be none. */
  sendAudioEnd() {
    this.sendAudio(Buffer.alloc(1000 * 32))
  }

  /** The model stops by itself for speech; for anything else a fixture ends its voice. */
  bargeIn() {
    if (this.#questions.cut()) this.#reader.isSilenced = true
    else if (this.#reader.isModelSpeaking && this.connection?.fixture === null) {
      this.#reader.isSilenced = true
      this.connection.play(STOP)
    }
    return true
  }

  /** The service sends its voice at the pace of speech. */
  truncate() {}

  /** @param {Answer[]} answers @returns {string[]} */
  sendAnswers(answers) {
    const sent = this.transport?.sendToolResults(answers) ?? []
    this.#backend.answered(answers, sent)
    this.#isAsked = true
    this.#pauses.restart('output')
    return []
  }

  /**
   * Answers a delegation to the host.
   * @param {string} id @param {{ commentary?: string, thinking?: string }} texts
   * @returns {string[] | null} receipts; null: the connection does not wait for the answer
   */
  answerDelegation(id, texts) {
    const sent = this.transport?.sendAnswer({ id, ...texts }) ?? []
    if (sent.length === 0) return null
    this.#isAsked ||= Boolean(texts.commentary)
    this.#pauses.restart('output')
    return sent.map(event => event.event_id)
  }

  /** An output ends its call. */
  awaits() {
    return false
  }

  /** The backend waits for each output. @param {Answer} answer @returns {string[] | null} */
  answerLate(answer) {
    return this.#backend.awaits(answer.id) ? this.sendAnswers([answer]) : null
  }

  /** @param {Answer} answer */
  answerCancelled({ id, name, result }) {
    this.sendAnswers([{ id, name, result: asCancelled(result) }])
  }

  /**
   * The calls of a response come together when it is complete; the calls of one that is not are lost with its connection.
   * @param {import('../../voice-types.js').ReadyCall[]} calls
   */
  collectCalls(calls) {
    this.#backend.called(calls)
    if (calls.length > 0) {
      this.received(this.#backend.takeTexts())
      this.#keepTexts()
      this.modelSpoke()
    }
    return calls
  }

  /** Texts that were not answered are sent again. */
  requestAnswer() {
    if (!this.hasUnacknowledged) this.writeNote(continueNote())
  }

  requestAnswerAgain() {
    if (this.#hasBackend) this.#backend.requestResponse()
  }

  /** @param {string} entry */
  remember(entry) {
    this.#memory.add('system', entry)
  }

  /** @param {'commentary' | 'thinking'} kind @param {string} text @returns {string[]} the ids of the events */
  #append(kind, text) {
    const { connection } = this
    if (connection === null) return []
    return appends
      .appendsOf(text)
      .map(content => connection.sendNamed({ type: `session.${kind}.append`, delegation_id: null, content }))
  }

  /** @param {ParsedMessage} heard @param {LiveEvent} message */
  #readFixture(heard, message) {
    const end = this.connection?.fixtureEnd(message) ?? null
    // Without an end it was given up.
    if (end === null && this.connection?.fixture !== null) return
    this.#reader.isSilenced = false
    const text = this.#questions.ended(end)
    if (text === null) return
    heard.pieces.push({ direction: 'output', key: null, text, final: true })
    heard.modelSpoke = true
    this.#turnOver(heard)
  }

  /** @param {ParsedMessage} heard */
  #utteranceOver(heard) {
    heard.pieces.push({
      direction: 'input',
      key: null,
      text: '',
      final: true,
      startMs: this.#voiceActivity.takeSpeechStart(),
    })
  }

  /** @param {ParsedMessage} heard */
  #turnOver(heard) {
    this.#pauses.end('output')
    this.#reader.turnOver()
    heard.turnComplete = true
    if (heard.pieces.length === 0) heard.pieces.push({ direction: 'output', key: null, text: '', final: true })
  }

  /** @param {import('./pauses.js').Side} side */
  #isOver(side) {
    if (this.channel === null) return false
    if (side === 'input') return true
    const isPlaying = this.connection?.fixture !== null && this.#questions.isPlaying
    return !this.#isAsked && !isPlaying && !this.#reader.hasResponse && !this.options.isBusy?.()
  }

  /** @param {number | null} expiresAt */
  #watchExpiry(expiresAt) {
    clearTimeout(this.#expiry)
    if (expiresAt === null) return
    const leftMs = Math.max(0, expiresAt - Date.now())
    const delay = leftMs - Math.min(RENEW_MS, leftMs * RENEW_PART)
    if (delay > MOST_TIMER_MS) return
    this.#expiry = setTimeout(() => this.channel !== null && this.options.onMessage(EXPIRES), delay)
  }

  /** Texts come before the words that answer them; until then they are sent again themselves. */
  #keepTexts() {
    for (const text of this.answerable) this.#memory.add('user', text)
  }

  /** @param {ParsedMessage} heard */
  #keep({ pieces, modelSpoke }) {
    if (modelSpoke) this.#keepTexts()
    for (const { direction, text, final } of pieces)
      this.#memory.addTo(direction === 'input' ? 'user' : 'assistant', final && text === '' ? ' ' : text)
  }
}
