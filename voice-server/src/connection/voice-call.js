// One client's attachment to a session in mode `voice`, from `start` to its end: who may speak and how it ends. The
// content is handled by Conversation.
import { Conversation } from '../conversation/conversation.js'
import { UserTimeout } from './user-timeout.js'
import { PendingSessionEnd } from './pending-session-end.js'
import { SessionLimits } from './session-limits.js'
import { pictureTaker, takePicture } from './shared-pictures.js'

/** @typedef {'tool' | 'client' | 'superseded' | 'user_timeout' | 'idle' | 'duration' | 'provider_lost' |
 *   'internal' | 'shutdown'} Cause */

/**
 * Close code of each cause. `final`: the session ends too, not only this connection.
 * @type {Record<Cause, { code: number, final?: boolean }>}
 */
const ENDS = {
  tool: { code: 1000 },
  client: { code: 1000, final: true },
  superseded: { code: 4001 },
  user_timeout: { code: 4002 },
  idle: { code: 4003 },
  duration: { code: 4004 },
  provider_lost: { code: 1011 },
  internal: { code: 1011 },
  shutdown: { code: 1001 },
}

const RATES = { inputRate: 16_000, outputRate: 24_000 }

/** @typedef {import('toolgate').Session} Session */

export class VoiceCall {
  // Each is null until `start` has it: a call can end before.
  /** @type {Session | null} */
  #session = null
  /** @type {UserTimeout | null} */
  #userTimeout = null
  /** @type {PendingSessionEnd | null} */
  #pendingEnd = null
  /** @type {Conversation | null} */
  #conversation = null
  /** @type {SessionLimits | null} */
  #limits = null
  #ended = false

  /**
   * @param {object} options
   * @param {import('./server-context.js').ServerContext} options.context
   * @param {import('./client-socket.js').ClientSocket} options.client
   * @param {string} options.connectionId
   * @param {{ sessionId: string, resumeToken: string, principal: string | null }} options.credentials
   * @param {string[]} [options.roles] of the authenticated user
   * @param {string} [options.timeZone] of the user, by its IANA name
   */
  constructor({ context, client, connectionId, credentials, roles = [], timeZone }) {
    this.context = context
    this.client = client
    this.connectionId = connectionId
    this.credentials = credentials
    this.roles = roles
    this.timeZone = timeZone
  }

  /**
   * @param {{ resume: boolean, pendingRequest?: string }} request
   * @returns {Promise<boolean>} false if the conversation could not begin, or was ended meanwhile; the client got the reason
   */
  async start({ resume, pendingRequest }) {
    const { context, credentials } = this
    const session = await this.#attach()
    this.#session = session
    if (this.#ended) return this.#withdraw(session)
    const resumed = resume && session.state.get('voiceBegun') === true
    this.#userTimeout = new UserTimeout(session.state, this.client)
    if (this.#userTimeout.refusesText()) return this.#refuseUser()
    session.state.set('voiceBegun', true)
    const { handle, memory, turnOpen, queue, latencies, whenLeft } = context.resumptionCache.take(credentials.sessionId)
    const earlier = { handle: resumed ? handle : null, memory: resumed ? memory : undefined, queue, latencies }
    const conversation = this.#converse(session, earlier)
    this.#conversation = conversation
    try {
      await whenLeft
      if (this.#ended) return false
      await conversation.link.open()
    } catch (error) {
      return this.#ended ? false : this.#refuseProvider(error)
    }
    if (this.#ended) return false
    conversation.begin({ turnOpen: conversation.link.handle !== null && turnOpen })
    this.#announce(session, resumed)
    this.#limits = this.#limitsOf(conversation)
    const pending = await session.listPending()
    if (this.#ended) return false
    conversation.showPending(pending)
    if (resumed) await conversation.confirmations.grants.show()
    conversation.link.release()
    if (pendingRequest?.trim() && !resumed) await this.handleText({ text: pendingRequest })
    return true
  }

  /** @param {{ text: string, id?: string }} said */
  async handleText(said) {
    this.#limits?.active()
    if (this.#listens()) await this.#conversation?.handleText(said)
  }

  /** @param {Buffer} pcm */
  handleAudio(pcm) {
    if (!this.#ended && !this.#userTimeout?.refusesAudio()) this.#conversation?.handleAudio(pcm)
  }

  audioEnded() {
    if (this.#listens()) this.#conversation?.audioEnded()
  }

  /** @param {number} ms */
  played(ms) {
    if (!this.#ended) this.#conversation?.played(ms)
  }

  /** A picture of the camera or the screen, or that it is off. @param {{ kind: string, data?: string }} picture */
  picture(picture) {
    if (this.#ended || this.#session === null) return
    const refused = takePicture(this.#session, picture)
    if (refused) this.client.sendError(refused.code, refused.message)
  }

  /** The confirm button. @param {string} token @param {import('../voice-types.js').Wishes} wishes */
  confirm(token, wishes) {
    this.#limits?.active()
    return this.#conversation?.confirmations.confirm(token, 'button', wishes)
  }

  /** @param {string} token @param {string} [reason] */
  deny(token, reason) {
    this.#limits?.active()
    return this.#conversation?.confirmations.deny(token, 'button', reason)
  }

  /** @param {string} grant id of one that its user ends */
  revoke(grant) {
    this.#limits?.active()
    return this.#conversation?.confirmations.grants.revoke(grant)
  }

  /** Has the model say a text of the host at rest. @param {string} text @returns {boolean} false once the call has ended */
  say(text) {
    if (this.#ended || this.#conversation === null) return false
    this.#conversation.delivery.sayWhenIdle(text)
    return true
  }

  /** A telephone key. @param {string} digit */
  async dtmf(digit) {
    this.#limits?.active()
    if (!this.#listens() || (await this.#conversation?.confirmations.keyPressed(digit))) return
    this.client.sendError(
      'not_asked',
      'a key answers a question that was read back, and only while nothing else was asked',
    )
  }

  /**
   * @param {Cause} cause
   * @param {{ reason: string, closingMessage: string | null, textResponse: string | null }} [left] set by a tool
   */
  async end(cause, left) {
    const { reason = cause, closingMessage = null, textResponse = null } = left ?? {}
    if (this.#ended) return
    const { code, final = false } = ENDS[cause]
    // A user in a timeout cannot end it by ending the session.
    const over = final && !this.#userTimeout?.isActive
    this.client.send({ type: 'ended', cause, reason, closingMessage, textResponse, resumable: !over })
    this.#stop()
    await (over ? this.#endSession(cause) : this.#detach())
    this.client.close(code, cause)
  }

  /**
   * The client disconnected; its session stays resumable.
   * @param {{ isReceived?: boolean }} [sent] it closed the connection itself, and so has received all that was sent before
   */
  async leave({ isReceived = false } = {}) {
    if (this.#ended) return
    this.#stop({ isReceived })
    await this.#detach()
  }

  #listens() {
    return !this.#ended && !this.#userTimeout?.refusesText()
  }

  async #attach() {
    const { context, credentials, client, connectionId } = this
    return context.registry.createSession({
      sessionId: credentials.sessionId,
      principal: credentials.principal,
      resumeToken: credentials.resumeToken,
      mode: 'voice',
      holdResults: 'writes',
      roles: this.roles,
      timeZone: this.timeZone,
      services: context.services,
      messaging: message => this.#deliver(message),
      onProgress: news => this.#conversation?.progress.tell(news),
      onNestedConfirmation: asked => this.#conversation?.confirmations.askNested(asked),
      clientId: connectionId,
      ws: client.socket,
    })
  }

  /** @param {Session} session @param {Omit<import('../voice-types.js').EarlierState, 'turnOpen'>} earlier */
  #converse(session, earlier) {
    const { context, client, connectionId } = this
    const pendingEnd = new PendingSessionEnd({
      state: session.state,
      farewellTimeoutMs: context.limits.farewellTimeoutMs,
      onDue: () => this.#guarded(() => this.end('tool', pendingEnd.take())),
    })
    this.#pendingEnd = pendingEnd
    return new Conversation({
      context,
      client,
      connectionId,
      timeZone: this.timeZone,
      earlier,
      session,
      pendingEnd,
      onLost: () => this.#lost(),
      onUserSpoke: () => this.#limits?.active(),
      guarded: act => this.#guarded(act),
    })
  }

  /** @param {Conversation} conversation */
  #limitsOf(conversation) {
    const { limits, counters, logger } = this.context
    return new SessionLimits({
      limits,
      isBusy: () => conversation.isBusy,
      onOver: kind => {
        counters[kind === 'idle' ? 'idleEndings' : 'durationEndings'] += 1
        logger.info('session ended by a limit', { connection: this.connectionId, limit: `${kind}Ms` })
        this.#guarded(() => this.end(kind))
      },
    })
  }

  /** @param {Session} session @param {boolean} resumed */
  #announce(session, resumed) {
    const { sessionId, resumeToken } = this.credentials
    const { turn, toolsVersion } = session
    const { provider, model, simulator, consentOf } = this.context
    const who = { provider, model, audio: RATES, spokenConsent: consentOf !== null }
    this.client.send({ type: 'started', sessionId, resumeToken, resumed, turn, toolsVersion, simulator, ...who })
  }

  /** @param {any} message of a tool */
  #deliver(message) {
    this.client.deliver(message)
    if (message?.type === 'timeout') this.#userTimeout?.begin(message.timeoutUntil)
  }

  /** The call was ended while its session was attached. @param {Session} session */
  async #withdraw(session) {
    await session.detach()
    return false
  }

  async #refuseUser() {
    await this.end('user_timeout')
    return false
  }

  /** @param {unknown} error */
  async #refuseProvider(error) {
    this.context.logger.error('provider not reached', {
      connection: this.connectionId,
      error: /** @type {Error} */ (error).message,
    })
    this.client.sendError('provider_unavailable', 'the model cannot be reached, try again later')
    await this.end('provider_lost')
    return false
  }

  #lost() {
    if (this.#ended) return
    this.client.sendError('provider_lost', 'the connection to the model was lost, start again with the resume token')
    this.#guarded(() => this.end('provider_lost'))
  }

  /** @param {{ isReceived?: boolean }} [sent] */
  #stop(sent) {
    this.#ended = true
    this.#pendingEnd?.stop()
    this.#limits?.stop()
    this.#conversation?.stop(sent)
  }

  /** @param {Cause} cause */
  async #endSession(cause) {
    if (this.#session === null) return
    pictureTaker(this.#session)?.clear(this.credentials.sessionId)
    await this.#session.end(cause)
  }

  async #detach() {
    if (this.#conversation !== null)
      this.context.resumptionCache.keep(this.credentials.sessionId, this.#conversation.resumptionState)
    await this.#session?.detach()
  }

  /** Runs an act that has no caller to handle its error. @param {() => unknown} act */
  async #guarded(act) {
    try {
      await act()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Logs a failure of the server and ends the call: its state can no longer be trusted. @param {unknown} error */
  #failed(error) {
    this.context.logger.error('voice call failed', {
      connection: this.connectionId,
      error: /** @type {Error} */ (error).stack,
    })
    if (this.#ended) return
    this.client.sendError('internal', 'something went wrong on the server')
    this.#guarded(() => this.end('internal'))
  }
}
