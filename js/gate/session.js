'use strict'

// One attachment to a session. The core applies the policy; this file connects it to the host's objects, listeners and
// promises.

const { runAbortable } = require('./abortable.js')
const { BackgroundCalls } = require('./background-calls.js')
const { encodeCall, heardCall, passCall, readCall, readCallId, shownText } = require('./call-request.js')
const { declaredTools, toolSearchOf } = require('../tool-sets/declared-tools.js')
const { FoundTools } = require('../tool-sets/found-tools.js')
const { argsText, wellFormedJsonText } = require('../values/json-text.js')
const { confirmationRequest, waitsForUser } = require('./nested-calls.js')
const { serviceNames } = require('./registry-service.js')
const { readValue } = require('./session-error.js')
const { SessionConfirmations } = require('./session-confirmations.js')
const { SessionStateView } = require('./session-state-view.js')
const { trackOrigin } = require('../answers/views.js')

/**
 * @typedef {import('../../index.js').ToolCall} ToolCall
 * @typedef {import('../../index.js').CallerOptions} CallerOptions
 * @typedef {import('../../index.js').AnswerOptions} AnswerOptions
 * @typedef {import('../../index.js').ConfirmOptions} ConfirmOptions
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').SessionOptions} SessionOptions
 * @typedef {import('../../native.js').NativeSession} NativeSession
 * @typedef {import('./pending-calls.js').PendingCalls} PendingCalls
 * @typedef {import('./attachment-context.js').AttachmentContext} AttachmentContext
 * @typedef {import('./pending-calls.js').Start} Start
 * @typedef {import('./call-request.js').CallRequest} CallRequest
 * @typedef {{ id: string | null, name: string | null, args: string | null, unwritable: string | null }} Encoded
 * @typedef {(callNumber: number, aborted?: string) => string | null} AbortableStart see `runAbortable`
 * @typedef {{ native: NativeSession, registry: import('./registry.js').ToolRegistry, pendingCalls: PendingCalls,
 *   options: SessionOptions, attachmentContext: AttachmentContext }} SessionParts
 */

class Session {
  #native
  /** Made with the first call: most idle sessions have made none. @type {ReturnType<NativeSession['executeFunction']> | null} */
  #execute = null
  #registry
  #pendingCalls
  #options
  #attachmentContext
  /** @type {FoundTools | null} */
  #found = null
  #origin
  #ended = false

  /** @internal Use `registry.createSession()`. @param {SessionParts} parts */
  constructor({ native, registry, pendingCalls, options, attachmentContext }) {
    this.#native = native
    this.#registry = registry
    this.#pendingCalls = pendingCalls
    this.#options = options
    this.#attachmentContext = attachmentContext
    this.sessionId = native.sessionId
    this.mode = native.mode
    this.state = new SessionStateView(native, pendingCalls)
    const { sessionId } = this
    this.#origin = {
      fullData: (/** @type {import('../../index.js').ToolResponseMeta} */ meta) => registry.fullData(sessionId, meta),
      blocks: (/** @type {import('../../index.js').ToolResponseMeta} */ meta) =>
        registry.mcpSources.blocks(sessionId, meta),
    }
    attachmentContext.attach(this, native)
  }

  /** @internal Reads what the session's answers do not have: full data, and content blocks. Also after the session was collected. */
  get origin() {
    return this.#origin
  }

  /** The registry that the session was created by. */
  get registry() {
    return this.#registry
  }
  /** The roles that this attachment holds. */
  get roles() {
    return [...(this.#options.roles ?? [])]
  }
  /** The names of the services that tools of this attachment get. */
  get services() {
    return Object.keys(this.#attachmentContext.services)
  }
  /** A service of this attachment, as tools get it. @param {string} name */
  service(name) {
    return this.services.includes(name) ? this.#attachmentContext.services[name] : undefined
  }

  /** What finds the tools that this attachment does not declare. */
  get toolSearch() {
    return toolSearchOf(this.#options)
  }

  /** The declarations of this attachment's tools in a provider's form; with `gate`, those of found tools too. */
  declared(provider = 'openai') {
    const { mode, roles, toolSearch } = this
    const services = serviceNames(this.#attachmentContext.services)
    const found = toolSearch === 'gate' ? this.#foundTools.ids : []
    return declaredTools(this.#attachmentContext.toolSet, provider, { mode, services, roles, toolSearch, found })
  }

  /** Whether `declared` has this tool, if the attachment may use it. @param {string} toolId */
  isDeclared(toolId) {
    if (this.toolSearch !== 'gate') return true
    return this.#attachmentContext.toolSet.initiallyDeclared.includes(toolId) || this.#foundTools.has(toolId)
  }

  /** @internal Declares found tools for the rest of the session, and reports them. @param {string[]} toolIds */
  toolsFound(toolIds) {
    if (this.toolSearch === 'gate') this.#foundTools.add(toolIds)
  }

  get turn() {
    return this.#native.turn
  }
  get toolsVersion() {
    return this.#native.toolsVersion
  }

  /** @returns {import('../../index.js').SessionUsage} */
  usage() {
    return JSON.parse(this.#native.usage())
  }

  /**
   * Always resolves with exactly one ToolResponse.
   * @param {ToolCall} call @param {CallerOptions} [options] @returns {Promise<ToolResponse>}
   */
  execute(call, options) {
    return this.executeText(call, options).then(text => this.#answer(text))
  }

  /** As `execute`; resolves with the answer's JSON text. @param {ToolCall} call @param {CallerOptions} [options] */
  async executeText(call, options) {
    const request = readCall(call)
    const encoded = encodeCall(request)
    const execute = (this.#execute ??= this.#native.executeFunction())
    const answer = await this.#call(encoded, (number, aborted) => passCall(execute, number, encoded, aborted), options)
    this.notify('onToolCall', heardCall(request))
    return answer
  }

  /**
   * Runs consecutive reads concurrently; a write runs alone, in order. Resolves with the answers in call order.
   * @param {ToolCall[]} calls @param {CallerOptions} [options] @returns {Promise<ToolResponse[]>}
   */
  async executeAll(calls, options) {
    if (!Array.isArray(calls)) throw new TypeError('`executeAll` takes a list of calls')
    const requests = Array.from(calls, readCall)
    if (requests.length === 0) return []
    const encoded = requests.map(encodeCall)
    const text = /** @type {string} */ (wellFormedJsonText(encoded).text)
    const open = encoded.map(call => this.#attachmentContext.begin(call))
    const given = JSON.parse(
      await this.#run((callNumber, aborted) => this.#native.executeAll(callNumber, text, aborted), options),
    )
    const answers = Array.isArray(given) ? given : requests.map(() => structuredClone(given.each))
    for (const [index, answer] of answers.entries()) {
      this.#attachmentContext.answered(answer, shownText(encoded[index]), open[index])
      this.notify('onToolCall', heardCall(requests[index]))
    }
    return answers.map(answer => trackOrigin(answer, this))
  }

  /**
   * @internal Executes a call that a running handler makes. Always resolves with exactly one ToolResponse.
   * @param {number} invocation @param {string} toolId @param {unknown} args
   * @param {import('../../index.js').NestedCallOptions} [options]
   */
  async callWithin(invocation, toolId, args, options) {
    const { name } = readCall({ name: toolId })
    const waits = waitsForUser(options)
    const { text, problem } = argsText(args)
    const answer = await this.#traced({ id: null, name, args: text, unwritable: problem }, async () => {
      const answered = await this.#run(callNumber =>
        this.#native.callWithin(callNumber, invocation, name, text, problem, waits),
      )
      const asked = waits ? confirmationRequest(answered) : null
      if (asked === null) return answered
      this.notify('onNestedConfirmation', asked)
      return this.#run(callNumber => this.#native.whenConfirmed(callNumber, invocation, name, asked.token))
    })
    this.notify('onToolCall', { name, args, id: null })
    return this.#answer(answer)
  }

  /** @param {string} [turnId] @returns {Promise<{ turn: number, pendingMessage: string | null }>} */
  async beginTurn(turnId) {
    const id = turnId === undefined || turnId === null ? null : String(turnId)
    if (id !== null && !id.isWellFormed()) throw new TypeError('`turnId` must not contain a lone surrogate')
    return this.#value(callNumber => this.#native.beginTurn(callNumber, id))
  }

  /**
   * Asks the question that `execute` would ask the user, and runs nothing. Null if the call needs no confirmation.
   * @param {ToolCall} call @returns {Promise<ToolResponse | null>}
   */
  async ask(call) {
    const request = readCall(call)
    const encoded = encodeCall(request)
    const { id, name, args, unwritable, message } = encoded
    const asked = JSON.parse(
      await this.#run(callNumber =>
        this.#native.ask(callNumber, id, name, args, unwritable, message?.id, message?.isByContent),
      ),
    )
    // A call without a question is reported when it is executed.
    if (asked !== null) {
      this.#attachmentContext.answered(asked, shownText(encoded), null)
      this.notify('onToolCall', heardCall(request))
    }
    return asked
  }

  /**
   * Runs the confirmed call with the arguments that were shown, or as its user has changed them.
   * @param {string | ToolCall} confirmed the token of its confirmation, or the call
   * @param {ConfirmOptions} [options]
   * @returns {Promise<ToolResponse>}
   */
  async confirm(confirmed, options) {
    // Whatever else a client sends is a token that is not known.
    const isCall = typeof confirmed === 'object' && confirmed !== null && 'name' in confirmed
    const answer = isCall
      ? this.#confirmations.confirmCall(confirmed, options)
      : this.#confirmations.confirmToken(String(confirmed), options)
    return this.#answer(await answer)
  }

  /**
   * True if the confirmation was pending.
   * @param {string} denied its token, or the id of the call that asked
   * @param {string} [reason] @param {import('../../index.js').DecisionOptions} [options] @returns {Promise<boolean>}
   */
  async deny(denied, reason, options) {
    return this.#confirmations.deny(denied, reason, options)
  }

  /**
   * What became of a call. Only looks: it answers no question, and leaves no line in the audit.
   * @param {{ callId: string } | { token: string }} named
   * @returns {Promise<import('../../index.js').CallOutcome>}
   */
  async outcome(named) {
    const outcome = await this.#confirmations.outcome(named)
    if (outcome.response !== undefined) trackOrigin(outcome.response, this)
    return outcome
  }

  /** The earlier name of `confirm(call)`. @param {ToolCall} call @param {ConfirmOptions} [options] */
  async approve(call, options) {
    return this.#answer(await this.#confirmations.confirmCall(call, options))
  }

  /** The earlier name of `deny(callId)`. @param {string} callId @param {string} [reason] @param {import('../../index.js').DecisionOptions} [options] */
  async decline(callId, reason, options) {
    return this.deny(callId, reason, options)
  }

  /** The results of background calls, each once. @param {{ wait?: boolean, signal?: AbortSignal }} [options] */
  results(options) {
    return this.#background.results(options)
  }
  /** The result of a call that this attachment holds, or null. @param {string} callId */
  heldResult(callId) {
    return this.#background.held(callId)
  }
  /** The calls that run in the background, and those whose results wait for their delivery. */
  async backgroundCalls() {
    return this.#background.list()
  }
  /** Cancels a call by its effect class, also one that was answered early. @param {string} callId @param {string} [reason] */
  async cancelBackground(callId, reason) {
    return this.#background.cancel(callId, reason)
  }
  /** @internal The token that completes a running handler's call. @param {number} invocation */
  async completionToken(invocation) {
    return this.#background.completionToken(invocation)
  }
  /** @returns {Promise<import('../../index.js').PendingConfirmation[]>} */
  async listPending() {
    return this.#confirmations.listPending()
  }
  /** What the user has granted with confirmations. @returns {Promise<import('../../index.js').Grant[]>} */
  async grants() {
    return this.#confirmations.grants()
  }
  /** Ends a grant. False if it had ended. @param {string} id @param {AnswerOptions} [options] @returns {Promise<boolean>} */
  async revoke(id, options) {
    return this.#confirmations.revoke(id, options)
  }

  /**
   * Arguments as a person must see them; null if the session has no such tool, or the arguments are not JSON.
   * @type {import('../../index.js').Session['showArguments']}
   */
  showArguments(toolId, args) {
    const { text } = argsText(args)
    const shown = this.#attachmentContext.toolSet.native.showArguments(String(toolId), text)
    return shown === null ? null : JSON.parse(shown)
  }

  /** False if no call with this id waits. A cancellation before its call is remembered for 60 s. @param {string} callId */
  cancel(callId, reason = 'cancelled') {
    const id = readCallId(callId)
    return id !== null && id.isWellFormed() && this.#native.cancel(id, String(reason))
  }
  cancelAll(reason = 'cancelled') {
    return this.#native.cancelAll(String(reason))
  }

  /** Leaves the session; running calls continue. */
  async detach() {
    this.#native.detach()
    this.#attachmentContext.left()
  }

  /** Final: later calls are SESSION_INACTIVE. */
  async end(reason = 'ended') {
    if (this.#ended) return
    this.#ended = true
    this.#attachmentContext.left({ ended: true })
    await this.#value(callNumber => this.#native.end(callNumber, String(reason)))
  }

  /** @param {string} text @returns {ToolResponse} */
  #answer(text) {
    return trackOrigin(JSON.parse(text), this)
  }

  /**
   * Makes one call, traced and published. Resolves with the answer's JSON text.
   * @param {Encoded} encoded
   * @param {AbortableStart} start
   * @param {CallerOptions} [options]
   */
  #call(encoded, start, options) {
    return this.#traced(encoded, () => this.#run(start, options))
  }

  /** @param {Encoded} encoded @param {() => Promise<string>} act */
  #traced(encoded, act) {
    const open = this.#attachmentContext.begin(encoded)
    return (open === null ? act() : open.trace.run(act)).then(answer => {
      this.#attachmentContext.answered(answer, shownText(encoded), open)
      return answer
    })
  }

  /** @param {AbortableStart} start @param {CallerOptions} [options] */
  #run(start, options) {
    /** @param {Start} started */
    const run = started => this.#pendingCalls.run(started, this.#attachmentContext)
    if (options === undefined) return run(start)
    return runAbortable(options, (callNumber, reason) => this.#native.cancelCaller(callNumber, reason), run, start)
  }

  /** @param {Start} start */
  async #value(start) {
    return readValue(await this.#run(start))
  }

  get #confirmations() {
    return new SessionConfirmations(this.#native, {
      traced: (encoded, act) => this.#traced(encoded, act),
      run: (start, options) => this.#run(start, options),
      value: start => this.#value(start),
    })
  }

  get #background() {
    return new BackgroundCalls(this.#native, start => this.#value(start), this)
  }

  get #foundTools() {
    return (this.#found ??= new FoundTools(this.state, toolIds => this.notify('onToolsFound', toolIds)))
  }

  /** @internal Hears the progress of a call. @type {AttachmentContext['hearProgress']} */
  hearProgress(callId, listener) {
    return this.#attachmentContext.hearProgress(callId, listener)
  }

  /**
   * @internal Calls a listener of the host.
   * @template {'onProgress' | 'onCapabilityUsed' | 'onToolCall' | 'onToolsFound' | 'onNestedConfirmation'} Name
   * @param {Name} name @param {Parameters<NonNullable<SessionOptions[Name]>>[0]} news
   */
  notify(name, news) {
    const listener = /** @type {((news: unknown) => void) | undefined} */ (this.#options[name])
    if (listener !== undefined) this.#registry.callListener(() => listener(news))
  }
}

module.exports = { Session }
