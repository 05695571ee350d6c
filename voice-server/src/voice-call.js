// One client's attachment to a session in mode `voice`, from `start` to its end: who may speak, and how it is over. What is said
// is the conversation's.
import { Conversation } from './conversation.js'
import { UserPause } from './user-pause.js'
import { VoiceEnding } from './voice-ending.js'

/** How each end looks to the client. `final`: the session is over, not only this connection. */
const ENDS = {
  tool: { code: 1000 },
  client: { code: 1000, final: true },
  superseded: { code: 4001 },
  user_timeout: { code: 4002 },
  provider_lost: { code: 1011 },
  internal: { code: 1011 },
  shutdown: { code: 1001 },
}

const RATES = { inputRate: 16_000, outputRate: 24_000 }

export class VoiceCall {
  #session = null
  /** @type {Conversation | null} */
  #conversation = null
  #ending = null
  #pause = null
  #ended = false

  /**
   * @param {object} options
   * @param {import('./voice-host.js').VoiceHost} options.host
   * @param {import('./browser-link.js').BrowserLink} options.browser
   * @param {string} options.connectionId
   * @param {{ sessionId: string, resumeToken: string, principal: string }} options.credentials
   */
  constructor({ host, browser, connectionId, credentials }) {
    Object.assign(this, { host, browser, connectionId, credentials })
  }

  /**
   * @param {{ resume: boolean, pendingRequest?: string }} request
   * @returns {Promise<boolean>} false where the conversation could not begin; the client has been told why
   */
  async start({ resume, pendingRequest }) {
    const { host, credentials } = this
    this.#session = await this.#attach()
    const resumed = resume && this.#session.state.get('voiceBegun') === true
    this.#pause = new UserPause(this.#session.state, this.browser)
    if (this.#pause.refuses()) return this.#refuseUser()
    this.#session.state.set('voiceBegun', true)
    const { handle, turnOpen, notes, latencies } = host.shelf.take(credentials.sessionId)
    this.#prepare({ handle: resumed ? handle : null, latencies })
    try {
      await this.#conversation.link.open()
    } catch (error) {
      return this.#refuseProvider(error)
    }
    this.#conversation.begin({
      turnOpen: this.#conversation.link.handle !== null && turnOpen,
      notes: resumed ? notes : [],
    })
    this.#announce(resumed)
    this.#conversation.remind(await this.#session.listPending())
    this.#conversation.link.release()
    if (pendingRequest?.trim() && !resumed) await this.typed({ text: pendingRequest })
    return true
  }

  /** @param {{ text: string, id?: string }} said */
  async typed(said) {
    if (this.#listens()) await this.#conversation.typed(said)
  }

  /** @param {Buffer} pcm */
  heard(pcm) {
    if (!this.#ended && !this.#pause.refusesSound()) this.#conversation.heard(pcm)
  }

  audioEnded() {
    if (this.#listens()) this.#conversation.audioEnded()
  }

  /** @param {number} ms */
  played(ms) {
    if (!this.#ended) this.#conversation.played(ms)
  }

  /** The button. @param {string} token */
  confirm(token) {
    return this.#conversation.consent.confirm(token, 'button')
  }

  /** @param {string} token @param {string} [reason] */
  deny(token, reason) {
    return this.#conversation.consent.deny(token, 'button', reason)
  }

  /** A key of a telephone. @param {string} digit */
  async dtmf(digit) {
    if (!this.#listens() || (await this.#conversation.consent.digit(digit))) return
    this.browser.sendError('not_asked', 'there is not exactly one question that was read back')
  }

  /**
   * @param {keyof ENDS} cause
   * @param {{ reason: string, closingMessage: string | null, textResponse: string | null }} [left] by a tool
   */
  async end(cause, { reason = cause, closingMessage = null, textResponse = null } = {}) {
    if (this.#ended) return
    const { code, final = false } = ENDS[cause]
    // A pause outlives the hanging up of the user who is paused.
    const over = final && !this.#pause.isOn
    this.browser.send({ type: 'ended', cause, reason, closingMessage, textResponse, resumable: !over })
    this.#stop()
    await (over ? this.#session.end(cause) : this.#detach())
    this.browser.close(code, cause)
  }

  /** The client is gone; its session waits for it. */
  async leave() {
    if (this.#ended) return
    this.#stop()
    await this.#detach()
  }

  #listens() {
    return !this.#ended && !this.#pause.refuses()
  }

  async #attach() {
    const { host, credentials, browser, connectionId } = this
    return host.registry.createSession({
      sessionId: credentials.sessionId,
      principal: credentials.principal,
      mode: 'voice',
      services: host.services,
      messaging: message => this.#deliver(message),
      clientId: connectionId,
      ws: browser.socket,
    })
  }

  #prepare(earlier) {
    const { host, browser, connectionId } = this
    this.#ending = new VoiceEnding({
      state: this.#session.state,
      farewellTimeoutMs: host.limits.farewellTimeoutMs,
      onDue: () => this.#guarded(() => this.end('tool', this.#ending.take())),
    })
    this.#conversation = new Conversation({
      host,
      browser,
      connectionId,
      earlier,
      session: this.#session,
      ending: this.#ending,
      onLost: () => this.#lost(),
      guarded: act => this.#guarded(act),
    })
  }

  #announce(resumed) {
    const { sessionId, resumeToken } = this.credentials
    const { turn, toolsVersion } = this.#session
    const { provider, model, simulator, spokenConsent } = this.host
    const who = { provider, model, audio: RATES, spokenConsent: spokenConsent !== null }
    this.browser.send({ type: 'started', sessionId, resumeToken, resumed, turn, toolsVersion, simulator, ...who })
  }

  #deliver(message) {
    this.browser.deliver(message)
    if (message?.type === 'timeout') this.#pause.begin(message.timeoutUntil)
  }

  async #refuseUser() {
    await this.end('user_timeout')
    return false
  }

  async #refuseProvider(error) {
    this.host.logger.error('provider not reached', { connection: this.connectionId, error: error.message })
    this.browser.sendError('provider_unavailable', 'the model cannot be reached, try again later')
    await this.end('provider_lost')
    return false
  }

  #lost() {
    if (this.#ended) return
    this.browser.sendError('provider_lost', 'the connection to the model was lost, start again with the resume token')
    this.#guarded(() => this.end('provider_lost'))
  }

  #stop() {
    this.#ended = true
    this.#ending?.stop()
    this.#conversation?.stop()
  }

  async #detach() {
    if (this.#conversation !== null) this.host.shelf.keep(this.credentials.sessionId, this.#conversation.leftBehind)
    await this.#session.detach()
  }

  /** For what nobody awaits. */
  async #guarded(act) {
    try {
      await act()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** The server's own failure. The conversation cannot be trusted to go on. */
  #failed(error) {
    this.host.logger.error('voice call failed', { connection: this.connectionId, error: error.stack })
    if (this.#ended) return
    this.browser.sendError('internal', 'something went wrong on the server')
    this.#guarded(() => this.end('internal'))
  }
}
