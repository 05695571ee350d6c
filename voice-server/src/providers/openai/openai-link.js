// A conversation with OpenAI Realtime, over its WebSocket.
import { randomUUID } from 'node:crypto'
import { toModelResponse } from 'toolgate'
import { OpenAIRealtimeTransport } from '../../../providers/openai-realtime-transport.js'
import { asCancelled } from '../../delivery/cancelled-answer.js'
import { Upsampler } from '../../audio/upsampler.js'
import { ConversationMemory } from '../conversation-memory.js'
import { connectRealtime } from './openai-connect.js'
import { OpenAIReadBack } from './openai-read-back.js'
import { OpenAIReader, RECEIPT, receiptOf } from './openai-reader.js'
import { ProviderLink } from '../provider-link.js'

const BYTES_PER_MS = 48
/** How much before the speech its reported start is, unless the host's settings say so. */
const PREFIX_PADDING_MS = 300
/** The event of a chunk of audio, around the chunk's base64. */
const [BEFORE_AUDIO, AFTER_AUDIO] = ['{"type":"input_audio_buffer.append","audio":"', '"}']
/** Silence sent after the microphone closed: longer than the silence after which the service ends the utterance. */
const CLOSING_SILENCE = Buffer.alloc(1000 * BYTES_PER_MS)

/**
 * @typedef {import('../openai-socket.js').ServiceConnection} ServiceConnection
 * @typedef {InstanceType<typeof OpenAIRealtimeTransport>} RealtimeTransport
 * @typedef {import('./openai-connect.js').ServiceEvent} ServiceEvent
 * @typedef {import('../../voice-types.js').Answer} Answer
 * @typedef {import('../../voice-types.js').LinkOptions<ConversationMemory> & { settings: import('./openai-connect.js').OpenAISettings,
 *   config: object }} OpenAILinkOptions `config`: the `session` of `session.update`; `handle`: of an earlier conversation
 */

/** @extends {ProviderLink<ServiceConnection, RealtimeTransport, ConversationMemory, OpenAILinkOptions>} */
export class OpenAILink extends ProviderLink {
  provider = 'openai'
  isSeeded = true
  #reader = new OpenAIReader()
  #readBack = new OpenAIReadBack()
  #upsampler = new Upsampler()
  /** Audio sent on earlier connections: each connection counts from 0. */
  #earlierMs = 0
  #sentMs = 0
  /** Calls of the response in progress. */
  #collectedCalls = /** @type {import('../../voice-types.js').ReadyCall[]} */ ([])
  /** A response was requested that is no longer wanted and has no id yet. */
  #isRequestObsolete = false

  /** @param {OpenAILinkOptions} options */
  constructor(options) {
    super({ ...options, handle: options.handle ?? new ConversationMemory() })
  }

  /** It can always be resumed. */
  get #memory() {
    return /** @type {ConversationMemory} */ (this.handle)
  }

  get inputMs() {
    return this.#earlierMs + this.#sentMs
  }

  get isUserSpeaking() {
    return this.#reader.isUserSpeaking
  }

  get lastSpeechAt() {
    return this.#reader.lastSpeechAt
  }

  get unsentBytes() {
    return this.connection?.unsentBytes ?? 0
  }

  /** @param {unknown} _ @param {import('../../voice-types.js').ConnectionEvents} events */
  async connect(_, events) {
    const { settings, config, connectTimeoutMs: timeoutMs, pingMs } = this.options
    const connection = await connectRealtime({ settings, config, timeoutMs, pingMs, ...events })
    this.#reader = new OpenAIReader()
    this.#isRequestObsolete = false
    this.#collectedCalls = []
    this.#earlierMs += this.#sentMs
    this.#sentMs = 0
    for (const { role, text } of this.#memory.entries) connection.send(messageItem(role, [text]))
    return connection
  }

  /** @param {ServiceConnection} connection */
  disconnect(connection) {
    connection.close()
  }

  /** @param {ServiceConnection} connection */
  makeTransport(connection) {
    this.#readBack = new OpenAIReadBack()
    const send = (/** @type {import('../../voice-types.js').Frame} */ event) =>
      connection.send(this.#readBack.rewrite(withReceipt(event)))
    return new OpenAIRealtimeTransport({ send }, { meta: this.options.meta })
  }

  /** @param {ServiceEvent} message @returns {import('../provider-link.js').ParsedMessage} */
  read(message) {
    const heard = this.#reader.read(message)
    if (heard.userSpoke) this.#readBack.drop()
    // Nothing of a response outside of the conversation can be truncated.
    if (this.#readBack.owns(message)) for (const sound of heard.audio) sound.item = null
    const said = this.#readBack.receive(message)
    if (said !== null) this.connection?.send(messageItem('assistant', [said]))
    if (this.#isRequestObsolete && message.type === 'response.created') this.#stopResponse()
    heard.pieces = heard.pieces.map(piece => this.#toSessionTime(piece))
    for (const piece of heard.pieces) this.#remember(piece)
    return heard
  }

  /** @param {string[]} texts */
  writeText(texts) {
    this.#readBack.drop()
    this.#memory.add('user', texts.join('\n'))
    this.connection?.send(messageItem('user', texts))
    this.transport?.requests.request()
  }

  /**
   * Sent in the user's role: a note may contain third-party text, which must not have the weight of instructions.
   * @param {string} note
   */
  writeNote(note) {
    this.#readBack.drop()
    const item = withReceipt(messageItem('user', [note]))
    this.connection?.send(item)
    this.transport?.requests.request()
    return [receiptOf(item)]
  }

  /** @param {string} note */
  rememberNote(note) {
    this.#memory.add('user', note)
  }

  /** @param {string} text */
  sendContext(text) {
    this.#memory.add('user', text)
    this.connection?.send(messageItem('user', [text]))
  }

  /** The model's next response is the read-back. @param {string} readBack */
  prepareReadBack(readBack) {
    this.#readBack.prepare(readBack)
  }

  /** @param {string} readBack */
  askAgain(readBack) {
    this.#readBack.prepare(readBack)
    this.transport?.requests.request()
  }

  /** @param {Buffer} pcm */
  sendAudio(pcm) {
    this.#append(this.#upsampler.push(pcm))
  }

  sendAudioEnd() {
    this.#append(CLOSING_SILENCE)
  }

  /** The service does not detect typed text, so the link cancels the model's response. */
  bargeIn() {
    const requests = this.transport?.requests
    if (requests?.active != null) this.#stopResponse()
    else this.#isRequestObsolete = requests?.isBusy === true
    requests?.drop()
    return true
  }

  /** @param {{ item: string, heardMs: number, totalMs: number }[]} cuts */
  truncate(cuts) {
    this.#reader.silence()
    for (const { item, heardMs, totalMs } of cuts) {
      this.#memory.cut(item, heardMs / totalMs)
      const cut = { item_id: item, content_index: 0, audio_end_ms: Math.floor(heardMs) }
      this.connection?.send({ type: 'conversation.item.truncate', ...cut })
    }
  }

  /** @param {Answer[]} answers @returns {string[]} */
  sendAnswers(answers) {
    const sent = /** @type {ServiceEvent[]} */ (this.transport?.sendToolResults(answers) ?? [])
    return sent.filter(({ item }) => item !== undefined).map(receiptOf)
  }

  /** An output ends its call: the result of a call that was answered as running is a text. */
  awaits() {
    return false
  }

  /**
   * The model sees the output in its next response; none is requested.
   * @param {Answer} answer
   */
  answerLate({ id, result }) {
    const output = JSON.stringify(toModelResponse(result, { meta: this.options.meta }))
    const item = { type: 'function_call_output', call_id: id, output }
    const event = withReceipt({ type: 'conversation.item.create', item })
    this.connection?.send(event)
    return [receiptOf(event)]
  }

  /**
   * The calls of a response arrive one by one and are complete at `response.done`.
   * @param {import('../../voice-types.js').ReadyCall[]} calls
   * @param {ServiceEvent} event
   */
  collectCalls(calls, { type }) {
    this.#collectedCalls.push(...calls)
    return type === 'response.done' ? this.#collectedCalls.splice(0) : []
  }

  /** Unacknowledged texts are sent again and request their response themselves. */
  requestAnswer() {
    if (!this.hasUnacknowledged) this.requestSeededAnswer()
  }

  requestAnswerAgain() {
    this.transport?.requests.request()
  }

  requestSeededAnswer() {
    this.transport?.requests.request()
  }

  /**
   * A call without an output would look as if it were still running. The output of a read is replaced by `CANCELLED`.
   * @param {Answer} answer
   */
  answerCancelled({ id, name, result }) {
    this.answerLate({ id, name, result: asCancelled(result) })
  }

  /** @param {string} entry */
  remember(entry) {
    this.#memory.add('system', entry)
  }

  #stopResponse() {
    this.#isRequestObsolete = false
    this.#reader.silence()
    this.connection?.send({ type: 'response.cancel' })
  }

  /** @param {Buffer} pcm */
  #append(pcm) {
    if (this.connection === null || pcm.length === 0) return
    this.#sentMs += pcm.length / BYTES_PER_MS
    this.connection.sendText(BEFORE_AUDIO + pcm.toString('base64') + AFTER_AUDIO)
  }

  /** @param {import('../provider-link.js').TranscriptPiece} piece */
  #remember({ direction, key, text }) {
    this.#memory.add(direction === 'input' ? 'user' : 'assistant', text, key ?? undefined)
  }

  /** @param {import('../provider-link.js').TranscriptPiece} piece */
  #toSessionTime(piece) {
    if (typeof piece.startMs !== 'number') return piece
    return { ...piece, startMs: this.#earlierMs + piece.startMs + this.#prefixPaddingMs }
  }

  /** The service reports the start of speech that much too early: with the audio that it keeps before it. */
  get #prefixPaddingMs() {
    const { audio } = /** @type {import('../../voice-types.js').JsonObject} */ (this.options.config)
    const { type, prefix_padding_ms: padding } = audio?.input?.turn_detection ?? {}
    return type === 'semantic_vad' ? PREFIX_PADDING_MS : (padding ?? PREFIX_PADDING_MS)
  }
}

/**
 * Has the service acknowledge or refuse an item by a key: `item.created` names the item, an error the event.
 * @param {import('../../voice-types.js').Frame} event
 * @returns {import('../../voice-types.js').Frame}
 */
function withReceipt(event) {
  const { type, item } = /** @type {ServiceEvent & import('../../voice-types.js').Frame} */ (event)
  if (type !== 'conversation.item.create' || item === undefined) return event
  const named = item.type === 'message' ? { id: `tg_${randomUUID().replaceAll('-', '').slice(0, 24)}`, ...item } : item
  return { ...event, item: named, event_id: `${RECEIPT}${receiptOf({ item: named })}` }
}

/** @param {'user' | 'assistant' | 'system'} role @param {string[]} texts */
function messageItem(role, texts) {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return {
    type: 'conversation.item.create',
    item: { type: 'message', role, content: texts.map(text => ({ type, text })) },
  }
}
