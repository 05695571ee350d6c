// One voice conversation: a Toolgate session attached in mode `voice`, a model, and a client, from `start` to the end of
// this attachment. The order of things that happen is written down here.
import { randomUUID } from 'node:crypto'
import { CallRunner } from './call-runner.js'
import { GeminiLink } from './gemini-link.js'
import { confirmedNote, deniedNote } from './model-notes.js'
import { readLiveContent } from './server-message.js'
import { TurnTracker } from './turn-tracker.js'
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

/** A call that only the model's content announced is not waited with for longer: nobody may speak before its answer. */
const HELD_CALL_MS = 400

export class VoiceCall {
  #session = null
  #link = null
  #turns = null
  #runner = null
  #ending = null
  #pause = null
  #turnBegun = Promise.resolve()
  #ended = false
  #heldTimer = null
  #goingAway = false

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
    const shelved = host.shelf.take(credentials.sessionId)
    this.#prepare(resumed ? shelved.handle : null)
    try {
      await this.#link.open()
    } catch (error) {
      return this.#refuseProvider(error)
    }
    this.#turns = new TurnTracker({ open: this.#link.handle !== null && shelved.turnOpen })
    this.#announce(resumed)
    for (const request of await this.#session.listPending()) this.browser.send({ type: 'confirmation', request: cardOf(request) })
    this.#link.release()
    if (pendingRequest?.trim() && !resumed) await this.typed({ text: pendingRequest })
    return true
  }

  /** @param {{ text: string, id?: string }} said */
  async typed({ text, id = randomUUID() }) {
    if (this.#ended || this.#pause.refuses()) return
    this.#turns.typed()
    const { pendingMessage } = await this.#beginTurn(`text:${id}`)
    if (!this.#ended) this.#link.sendText([pendingMessage, text])
  }

  /** @param {Buffer} pcm */
  heard(pcm) {
    if (this.#ended || this.#pause.refusesSound()) return
    this.#utteranceHeard()
    this.#link.sendAudio(pcm)
  }

  audioEnded() {
    if (!this.#ended && !this.#pause.refuses()) this.#link.sendAudioEnd()
  }

  /** The user's act: it runs what was shown, outside of any turn's budget. */
  async confirm(token) {
    const response = await this.#session.confirm(token)
    const { toolId: name, callId: id } = response.meta
    const failed = response.ok ? {} : { errorType: response.error.type, message: response.error.message }
    this.browser.send({ type: 'confirmationClosed', token, outcome: response.error?.type === 'CONFIRMATION_EXPIRED' ? 'expired' : 'confirmed' })
    this.browser.send({ type: 'toolResult', id: id ?? null, name, ok: response.ok, ...failed })
    if (this.#ended || response.error?.type === 'CONFIRMATION_EXPIRED') return
    this.#link.sendText([confirmedNote(response)])
    this.#answered()
  }

  /** @param {string} token @param {string} [reason] */
  async deny(token, reason) {
    const pending = (await this.#session.listPending()).find((request) => request.token === token)
    const denied = await this.#session.deny(token, reason)
    this.browser.send({ type: 'confirmationClosed', token, outcome: denied ? 'denied' : 'expired' })
    if (denied && pending && !this.#ended) this.#link.sendText([deniedNote(pending.tool, reason)])
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

  async #attach() {
    const { host, credentials, browser, connectionId } = this
    return host.registry.createSession({
      sessionId: credentials.sessionId,
      principal: credentials.principal,
      mode: 'voice',
      services: host.services,
      messaging: (message) => this.#deliver(message),
      clientId: connectionId,
      ws: browser.socket,
    })
  }

  #prepare(handle) {
    const { host } = this
    const session = this.#session
    this.#ending = new VoiceEnding({
      state: session.state,
      farewellTimeoutMs: host.limits.farewellTimeoutMs,
      onDue: () => this.#guarded(() => this.end('tool', this.#ending.take())),
    })
    this.#runner = new CallRunner({
      session,
      metadataOf: (toolId) => host.registry.getToolMetadata(toolId),
      tell: (frame) => this.browser.send(frame),
      turnBegun: () => this.#turnBegun,
      onAnswered: () => this.#answered(),
    })
    this.#link = new GeminiLink({
      gemini: host.gemini,
      config: host.liveConfig,
      handle,
      connectTimeoutMs: host.limits.connectTimeoutMs,
      onMessage: (message) => this.#guarded(() => this.#receive(message)),
      onReconnected: () => this.browser.send({ type: 'state', provider: 'reconnected', turn: session.turn }),
      onLost: () => this.#lost(),
      logger: host.logger,
    })
  }

  #announce(resumed) {
    const { sessionId, resumeToken } = this.credentials
    const { turn, toolsVersion } = this.#session
    this.browser.send({ type: 'started', sessionId, resumeToken, resumed, turn, toolsVersion, simulator: this.host.simulator })
  }

  #notUnderstood(problem) {
    this.host.logger.warn('a message of the provider was not understood', { connection: this.connectionId, problem })
  }

  /** One message of the model: what it takes back, then what it asks for, then what it says, then what is over. */
  #receive(message) {
    if (this.#ended) return
    const content = readLiveContent(message)
    const { transport } = this.#link
    this.#runner.cancel(transport.receiveCancellations(message))
    if (transport.problem !== null) this.#notUnderstood(transport.problem)
    // A transcript begins its turn before the calls that answer it are counted.
    if (content.input !== null) this.#utteranceHeard()
    this.#run(transport.receiveToolCalls(message), transport)
    this.#watchHeldCalls(transport)
    if (content.modelSpoke) this.#modelSpoke()
    this.#passOn(content)
    if (content.handle !== null) this.#link.handle = content.handle
    if (content.interrupted) this.#interrupted()
    if (content.turnComplete) this.#turnCompleted()
    this.#leaveInTime(content)
  }

  #run(calls, transport) {
    if (calls.length > 0) this.#guarded(() => this.#runner.run(calls, transport))
  }

  #watchHeldCalls(transport) {
    if (!transport.holdsCalls) return this.#stopHolding()
    this.#heldTimer ??= setTimeout(() => {
      this.#stopHolding()
      this.#run(transport.releaseHeldCalls(), transport)
    }, HELD_CALL_MS)
  }

  #stopHolding() {
    clearTimeout(this.#heldTimer)
    this.#heldTimer = null
  }

  #passOn({ audio, input, output }) {
    const { state } = this.#session
    if (audio.length > 0 && !state.get('shouldSuppressAudio')) audio.forEach((pcm) => this.browser.sendAudio(pcm))
    if (state.get('shouldSuppressTranscript')) return
    if (input !== null) this.browser.send({ type: 'transcript', direction: 'input', text: input })
    if (output !== null) this.browser.send({ type: 'transcript', direction: 'output', text: output })
  }

  #modelSpoke() {
    this.#turns.modelSpoke()
    this.#link.modelSpoke()
  }

  #interrupted() {
    this.#turns.interrupted()
    this.#runner.interrupted()
    this.browser.send({ type: 'interrupted' })
  }

  #turnCompleted() {
    this.#turns.completed()
    this.browser.send({ type: 'turnComplete', turn: this.#session.turn })
    this.#ending.turnCompleted()
  }

  /** The service will close this connection soon: leave it while nobody speaks, with a handle that knows this turn. */
  #leaveInTime({ handle, goAway }) {
    if (goAway) this.#goingAway = true
    if (!this.#goingAway || handle === null || this.#turns.isOpen || this.#ended) return
    this.#goingAway = false
    this.#link.renew()
  }

  #answered() {
    if (this.#ended) return
    this.browser.send({ type: 'state', state: this.#session.state.getSnapshot(), turn: this.#session.turn })
    this.#ending.answered()
  }

  #utteranceHeard() {
    if (!this.#turns.heard()) return
    this.#guarded(async () => {
      const { pendingMessage } = await this.#beginTurn(`audio:${randomUUID()}`)
      if (pendingMessage !== null && !this.#ended) this.#link.sendContext(pendingMessage)
    })
  }

  #beginTurn(turnId) {
    const begun = this.#session.beginTurn(turnId)
    // Calls wait for this; that it failed is the caller's to handle.
    this.#turnBegun = begun.catch(() => {})
    return begun
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
    this.#stopHolding()
    this.#ending?.stop()
    this.#runner?.stop()
    this.#link?.close()
  }

  async #detach() {
    if (this.#link) this.host.shelf.keep(this.credentials.sessionId, { handle: this.#link.handle, turnOpen: this.#turns?.isOpen ?? false })
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

/** What the user's card needs, and nothing of the record behind it. */
function cardOf({ token, expires, tool, args, preview }) {
  return { token, expires, tool, args, preview }
}
