// A conversation with OpenAI Realtime, over its WebSocket.
import { toModelResponse } from 'toolgate'
import { OpenAIRealtimeTransport } from '../../providers/openai-realtime-transport.js'
import { cancelled } from '../call-runner.js'
import { Upsampler } from '../upsampler.js'
import { ConversationMemory } from './conversation-memory.js'
import { connectRealtime } from './openai-connect.js'
import { OpenAIReader } from './openai-reader.js'
import { ProviderLink } from './provider-link.js'
import { ResponseAsker } from './response-asker.js'

const BYTES_PER_MS = 48
/** After the microphone was closed: more silence than the service waits for before it takes the user to be done. */
const CLOSING_SILENCE = Buffer.alloc(1000 * BYTES_PER_MS)

export class OpenAILink extends ProviderLink {
  provider = 'openai'
  repeatsCalls = false
  isSeeded = true
  #asker = null
  #reader = new OpenAIReader()
  #upsampler = new Upsampler()
  /** Sound that connections before this one were sent: each counts from nothing. */
  #earlierMs = 0
  #sentMs = 0
  /** Calls of the response that is being made. */
  #gathered = []
  /** A response was asked for that nobody wants by now, and it has no name yet. */
  #isAskOvertaken = false

  /**
   * @param {ConstructorParameters<typeof ProviderLink>[0] & {
   *   settings: import('./openai-connect.js').OpenAISettings, config: object }} options
   *   `config`: the `session` of `session.update`; `handle`: the memory of an earlier conversation
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

  async dial(_, events) {
    const { settings, config, connectTimeoutMs } = this.options
    const connection = await connectRealtime({ settings, config, timeoutMs: connectTimeoutMs, ...events })
    this.#reader = new OpenAIReader()
    this.#isAskOvertaken = false
    this.#gathered = []
    this.#earlierMs += this.#sentMs
    this.#sentMs = 0
    this.#asker = new ResponseAsker(event => connection.send(event))
    for (const { role, text } of this.handle.entries) connection.send(messageItem(role, [text]))
    return connection
  }

  hangUp(connection) {
    connection.close()
  }

  /** The transport knows when its answers are complete; that nothing else has asked meanwhile is known here. */
  makeTransport(connection) {
    const asker = this.#asker
    return new OpenAIRealtimeTransport({
      send: event => (event.type === 'response.create' ? asker.ask() : connection.send(event)),
    })
  }

  read(message) {
    this.#asker.heard(message)
    const heard = this.#reader.read(message)
    if (this.#isAskOvertaken && message.type === 'response.created') this.#stopResponse()
    if (heard.userSpoke) this.#asker.forget()
    heard.pieces = heard.pieces.map(piece => this.#inOurTime(piece))
    for (const piece of heard.pieces) this.#keep(piece)
    return heard
  }

  writeText(texts) {
    this.handle.add('user', texts.join('\n'))
    this.connection.send(messageItem('user', texts))
    this.#asker.ask()
  }

  /** In the user's name: it may hold what others wrote, which must not weigh as much as the instructions. */
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

  /** A typed text is nothing that the service hears: the model has to be stopped. */
  breakIn() {
    if (this.#asker.active !== null) this.#stopResponse()
    else this.#isAskOvertaken = this.#asker.isBusy
    this.#asker.forget()
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

  /** The model sees it with whatever it says next; nobody asks it to. */
  answerLate({ id, result }, transport) {
    if (transport !== this.transport || this.connection === null) return false
    const output = JSON.stringify(toModelResponse(result))
    this.connection.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: id, output },
    })
    return true
  }

  /** The calls of a response come one by one, and are complete with it. */
  gather(calls, { type }) {
    this.#gathered.push(...calls)
    return type === 'response.done' ? this.#gathered.splice(0) : []
  }

  /** What was written is put once more, and asks by itself. */
  askAgain() {
    if (!this.hasUnheard) this.askSeeded()
  }

  askSeeded() {
    this.#asker.ask()
  }

  /** A conversation keeps its calls: one without any output would look as if it were still running. What was read is not told. */
  withdraw({ id, name, result }, transport) {
    const isCancelled = result.error?.type === 'CANCELLED'
    this.answerLate({ id, name, result: isCancelled ? result : cancelled(result.meta) }, transport)
  }

  remember(entry) {
    this.handle.add('system', entry)
  }

  #stopResponse() {
    this.#isAskOvertaken = false
    this.#reader.silence()
    this.connection?.send({ type: 'response.cancel' })
  }

  #append(pcm) {
    if (this.connection === null || pcm.length === 0) return
    this.#sentMs += pcm.length / BYTES_PER_MS
    this.connection.send({ type: 'input_audio_buffer.append', audio: pcm.toString('base64') })
  }

  #keep({ direction, key, text }) {
    this.handle.add(direction === 'input' ? 'user' : 'assistant', text, key ?? undefined)
  }

  #inOurTime(piece) {
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
