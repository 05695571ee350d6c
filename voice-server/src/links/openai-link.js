// A conversation with OpenAI Realtime, over its WebSocket.
import { toModelResponse } from 'toolgate'
import { OpenAIRealtimeTransport } from '../../providers/openai-realtime-transport.js'
import { cancelled } from '../call-runner.js'
import { Upsampler } from '../upsampler.js'
import { ConversationMemory } from './conversation-memory.js'
import { connectRealtime } from './openai-connect.js'
import { OpenAIReader } from './openai-reader.js'
import { ProviderLink } from './provider-link.js'
import { ResponseRequester } from './response-requester.js'

const BYTES_PER_MS = 48
/** Silence sent after the microphone closed: longer than the silence after which the service ends the utterance. */
const CLOSING_SILENCE = Buffer.alloc(1000 * BYTES_PER_MS)

export class OpenAILink extends ProviderLink {
  provider = 'openai'
  repeatsCalls = false
  isSeeded = true
  #responses = null
  #reader = new OpenAIReader()
  #upsampler = new Upsampler()
  /** Audio sent on earlier connections: each connection counts from 0. */
  #earlierMs = 0
  #sentMs = 0
  /** Calls of the response in progress. */
  #collectedCalls = []
  /** A response was requested that is no longer wanted and has no id yet. */
  #isRequestObsolete = false

  /**
   * @param {ConstructorParameters<typeof ProviderLink>[0] & {
   *   settings: import('./openai-connect.js').OpenAISettings, config: object }} options
   *   `config`: the `session` of `session.update`; `handle`: the ConversationMemory of an earlier conversation
   */
  constructor(options) {
    super({ ...options, handle: options.handle ?? new ConversationMemory() })
  }

  get inputMs() {
    return this.#earlierMs + this.#sentMs
  }

  get isUserSpeaking() {
    return this.#reader.isUserSpeaking
  }

  get unsentBytes() {
    return this.connection?.unsentBytes ?? 0
  }

  async connect(_, events) {
    const { settings, config, connectTimeoutMs } = this.options
    const connection = await connectRealtime({ settings, config, timeoutMs: connectTimeoutMs, ...events })
    this.#reader = new OpenAIReader()
    this.#isRequestObsolete = false
    this.#collectedCalls = []
    this.#earlierMs += this.#sentMs
    this.#sentMs = 0
    this.#responses = new ResponseRequester(event => connection.send(event))
    for (const { role, text } of this.handle.entries) connection.send(messageItem(role, [text]))
    return connection
  }

  disconnect(connection) {
    connection.close()
  }

  /** The transport knows when its answers are complete; the requester knows whether another request is active. */
  makeTransport(connection) {
    const responses = this.#responses
    const send = event => (event.type === 'response.create' ? responses.request() : connection.send(event))
    return new OpenAIRealtimeTransport({ send }, { meta: 'lean' })
  }

  read(message) {
    this.#responses.handle(message)
    const heard = this.#reader.read(message)
    if (this.#isRequestObsolete && message.type === 'response.created') this.#stopResponse()
    if (heard.userSpoke) this.#responses.dropRequest()
    heard.pieces = heard.pieces.map(piece => this.#toSessionTime(piece))
    for (const piece of heard.pieces) this.#remember(piece)
    return heard
  }

  writeText(texts) {
    this.handle.add('user', texts.join('\n'))
    this.connection.send(messageItem('user', texts))
    this.#responses.request()
  }

  /** Sent in the user's role: a note may contain third-party text, which must not have the weight of instructions. */
  writeNote(note) {
    this.writeText([note])
  }

  sendContext(text) {
    this.handle.add('user', text)
    this.connection?.send(messageItem('user', [text]))
  }

  sendAudio(pcm) {
    this.#append(this.#upsampler.push(pcm))
  }

  sendAudioEnd() {
    this.#append(CLOSING_SILENCE)
  }

  /** The service does not detect typed text, so the link cancels the model's response. */
  bargeIn() {
    if (this.#responses.active !== null) this.#stopResponse()
    else this.#isRequestObsolete = this.#responses.isBusy
    this.#responses.dropRequest()
    return true
  }

  /** @param {{ item: string, heardMs: number, totalMs: number }[]} cuts */
  truncate(cuts) {
    this.#reader.silence()
    for (const { item, heardMs, totalMs } of cuts) {
      this.handle.cut(item, heardMs / totalMs)
      const cut = { item_id: item, content_index: 0, audio_end_ms: Math.floor(heardMs) }
      this.connection?.send({ type: 'conversation.item.truncate', ...cut })
    }
  }

  /** The model sees the output in its next response; none is requested. */
  answerLate({ id, result }, transport) {
    if (transport !== this.transport || this.connection === null) return false
    const output = JSON.stringify(toModelResponse(result))
    this.connection.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: id, output },
    })
    return true
  }

  /** The calls of a response arrive one by one and are complete at `response.done`. */
  collectCalls(calls, { type }) {
    this.#collectedCalls.push(...calls)
    return type === 'response.done' ? this.#collectedCalls.splice(0) : []
  }

  /** Unacknowledged texts are sent again and request their response themselves. */
  requestAnswer() {
    if (!this.hasUnacknowledged) this.requestSeededAnswer()
  }

  requestSeededAnswer() {
    this.#responses.request()
  }

  /**
   * A call without an output would look as if it were still running. The output of a read is replaced by `CANCELLED`.
   */
  answerCancelled({ id, name, result }, transport) {
    const isCancelled = result.error?.type === 'CANCELLED'
    this.answerLate({ id, name, result: isCancelled ? result : cancelled(result.meta) }, transport)
  }

  remember(entry) {
    this.handle.add('system', entry)
  }

  #stopResponse() {
    this.#isRequestObsolete = false
    this.#reader.silence()
    this.connection?.send({ type: 'response.cancel' })
  }

  #append(pcm) {
    if (this.connection === null || pcm.length === 0) return
    this.#sentMs += pcm.length / BYTES_PER_MS
    this.connection.send({ type: 'input_audio_buffer.append', audio: pcm.toString('base64') })
  }

  #remember({ direction, key, text }) {
    this.handle.add(direction === 'input' ? 'user' : 'assistant', text, key ?? undefined)
  }

  #toSessionTime(piece) {
    return typeof piece.startMs === 'number' ? { ...piece, startMs: this.#earlierMs + piece.startMs } : piece
  }
}

function messageItem(role, texts) {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return {
    type: 'conversation.item.create',
    item: { type: 'message', role, content: texts.map(text => ({ type, text })) },
  }
}
