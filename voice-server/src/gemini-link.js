// The server's side of one conversation with Gemini Live: opened, spoken to, and taken up again when it breaks. What its
// messages mean is not decided here.
import { connectLive } from './live-connect.js'
import { GeminiLiveTransport } from '../providers/gemini-live-transport.js'

const UNHEARD_KEPT = 20
const INPUT_AUDIO = 'audio/pcm;rate=16000'

export class GeminiLink {
  #session = null
  #transport = null
  #opening = null
  #retried = false
  #closed = false
  /** Messages of a connection that is not announced yet: the SDK hands them over before its promise resolves. */
  #early = []
  /** What was typed since the model last spoke. A connection that breaks may have lost it. */
  #unheard = []

  /**
   * @param {object} options
   * @param {{ apiKey: string, baseUrl?: string | null, model: string, surface?: 'developer' | 'vertex' }} options.gemini
   * @param {object} options.config the SDK's LiveConnectConfig without `sessionResumption`
   * @param {string | null} options.handle where an earlier conversation can be taken up
   * @param {number} options.connectTimeoutMs
   * @param {(message: object) => void} options.onMessage
   * @param {() => void} options.onReconnected
   * @param {(reason: string) => void} options.onLost the conversation is over: it broke and could not be taken up
   * @param {{ warn(message: string, fields?: object): void, info(message: string, fields?: object): void }} options.logger
   */
  constructor(options) {
    this.options = options
    this.handle = options.handle
  }

  get transport() {
    return this.#transport
  }

  /**
   * Resolves once the model listens; rejects where it cannot be reached. A conversation that cannot be taken up, since
   * handles expire, begins anew: `handle` is null then. Messages wait for `release`.
   */
  async open() {
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (this.handle === null || this.#closed) throw error
      this.#early = []
      await this.#connect(null)
      this.options.logger.warn('conversation could not be taken up, begins anew', { error: error.message })
      this.handle = null
    }
  }

  /** Hands over what came while the connection was opened; what comes from now on goes straight through. */
  release() {
    const early = this.#early
    this.#early = null
    for (const message of early) this.options.onMessage(message)
  }

  /** The model has spoken: what was typed has reached it, and the next break is a new one. */
  modelSpoke() {
    this.#retried = false
    this.#unheard = []
  }

  /** @param {(string | null)[]} texts one user turn; `null` is left out */
  sendText(texts) {
    const said = texts.filter((text) => text !== null)
    this.#unheard = [...this.#unheard, said].slice(-UNHEARD_KEPT)
    if (this.#session !== null) this.#write(said)
  }

  /** Something to know for the next answer, which this does not ask for. */
  sendContext(text) {
    this.#session?.sendClientContent({ turns: [{ role: 'user', parts: [{ text }] }], turnComplete: false })
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  sendAudio(pcm) {
    this.#session?.sendRealtimeInput({ audio: { data: pcm.toString('base64'), mimeType: INPUT_AUDIO } })
  }

  sendAudioEnd() {
    this.#session?.sendRealtimeInput({ audioStreamEnd: true })
  }

  /** Goes over to a new connection before the service closes this one. */
  renew() {
    if (this.handle === null || this.#session === null) return
    const old = this.#session
    this.#broke('renewed')
    old.close()
  }

  close() {
    this.#closed = true
    this.#session?.close()
    this.#session = null
  }

  #write(said) {
    if (this.#transport.capabilities.text === 'realtimeInput') return this.#session.sendRealtimeInput({ text: said.join('\n\n') })
    this.#session.sendClientContent({ turns: [{ role: 'user', parts: said.map((text) => ({ text })) }], turnComplete: true })
  }

  async #connect(handle) {
    const { gemini, config, connectTimeoutMs, logger } = this.options
    const opening = {}
    this.#opening = opening
    const isCurrent = () => this.#opening === opening && !this.#closed
    const session = await connectLive({
      gemini,
      config: { ...config, sessionResumption: handle === null ? {} : { handle } },
      timeoutMs: connectTimeoutMs,
      onMessage: (message) => isCurrent() && this.#receive(message),
      onClosed: (reason) => isCurrent() && this.#broke(reason),
      onBadFrame: (problem) => logger.warn('provider sent a bad frame', { problem }),
    })
    if (this.#closed) return session.close()
    this.#session = session
    this.#transport = new GeminiLiveTransport(session, { model: gemini.model, surface: gemini.surface })
  }

  #receive(message) {
    if (this.#early !== null) this.#early.push(message)
    else this.options.onMessage(message)
  }

  async #broke(reason) {
    this.#session = null
    const { logger, onLost, onReconnected } = this.options
    logger.warn('provider connection lost', { reason, resumable: this.handle !== null })
    if (this.handle === null || this.#retried) return onLost(reason)
    this.#retried = true
    this.#early = []
    try {
      await this.#connect(this.handle)
    } catch (error) {
      if (!this.#closed) onLost(error.message)
      return
    }
    if (this.#closed) return
    onReconnected()
    this.release()
    for (const said of this.#unheard) this.#write(said)
  }
}
