// A conversation with Gemini Live, over `@google/genai`.
import { GeminiLiveTransport } from '../../providers/gemini-live-transport.js'
import { SpeechEar } from '../speech-ear.js'
import { connectLive } from './gemini-connect.js'
import { GeminiReader } from './gemini-reader.js'
import { ProviderLink } from './provider-link.js'

const INPUT_AUDIO = 'audio/pcm;rate=16000'

export class GeminiLink extends ProviderLink {
  provider = 'gemini'
  repeatsCalls = true
  isSeeded = false
  #ear = new SpeechEar()
  #reader = new GeminiReader(this.#ear)

  /**
   * @param {ConstructorParameters<typeof ProviderLink>[0] & {
   *   settings: import('./gemini-connect.js').GeminiSettings, config: object }} options
   *   `config`: the SDK's LiveConnectConfig without `sessionResumption`
   */
  constructor(options) {
    super(options)
  }

  /** How much of the user's sound the model was sent. */
  get inputMs() {
    return this.#ear.heardMs
  }

  get isUserSpeaking() {
    return this.#ear.isSpeaking
  }

  get unsentBytes() {
    return this.connection?.unsentBytes() ?? 0
  }

  dial(handle, events) {
    const { settings, config, connectTimeoutMs } = this.options
    const sessionResumption = handle === null ? {} : { handle }
    return connectLive({ settings, config: { ...config, sessionResumption }, timeoutMs: connectTimeoutMs, ...events })
  }

  hangUp({ session }) {
    session.close()
  }

  makeTransport({ session }) {
    const { model, surface } = this.options.settings
    return new GeminiLiveTransport(session, { model, surface })
  }

  read(message) {
    const heard = this.#reader.read(message)
    if (heard.handle !== null) this.handle = heard.handle
    return { ...heard, userSpoke: false, beginsTurn: heard.pieces.some(isWords), resumable: heard.handle !== null }
  }

  writeText(texts) {
    if (this.#takesTextAsInput) return this.connection.session.sendRealtimeInput({ text: texts.join('\n\n') })
    this.#sendContent(texts, true)
  }

  writeNote(note) {
    this.writeText([note])
  }

  sendContext(text) {
    if (this.connection === null) return
    // Such a model has no place for what it should only know: it speaks about it.
    if (this.#takesTextAsInput) return this.writeText([text])
    this.#sendContent([text], false)
  }

  sendAudio(pcm) {
    this.#ear.hear(pcm)
    this.connection?.session.sendRealtimeInput({ audio: { data: pcm.toString('base64'), mimeType: INPUT_AUDIO } })
  }

  sendAudioEnd() {
    this.connection?.session.sendRealtimeInput({ audioStreamEnd: true })
  }

  /** The service hears the user itself and says `interrupted`. */
  breakIn() {
    return false
  }

  /** The service knows what it has played. */
  truncate() {}

  /** A model that cannot be told when to speak of an answer would speak of it at once. */
  answerLate(answer, transport) {
    if (transport !== this.transport || !transport.capabilities.scheduling) return false
    return transport.sendToolResults([{ ...answer, scheduling: 'WHEN_IDLE' }]).length > 0
  }

  /** The calls of a message come together. */
  gather(calls) {
    return calls
  }

  /** The service goes on by itself. */
  askAgain() {}

  /** The service does not wait for it. */
  withdraw() {}

  /** The service remembers. */
  remember() {}

  #sendContent(texts, turnComplete) {
    const parts = texts.map(text => ({ text }))
    this.connection.session.sendClientContent({ turns: [{ role: 'user', parts }], turnComplete })
  }

  get #takesTextAsInput() {
    return this.transport.capabilities.text === 'realtimeInput'
  }
}

function isWords({ direction, text }) {
  return direction === 'input' && text !== ''
}
