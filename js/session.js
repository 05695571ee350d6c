'use strict'

// One attachment to a session. The core applies the policy; this file connects it to the host's objects, listeners and
// promises.

const { deepFreeze } = require('./deep-freeze.js')
const { RegistryVersionMismatch, ToolError } = require('./errors.js')
const { argsText, wellFormedJsonText } = require('./json-text.js')
const { trackOrigin } = require('./views.js')

/** The state of a session: a synchronous view of the core's state. */
class SessionStateView {
  #native
  #pendingCalls

  constructor(native, pendingCalls) {
    this.#native = native
    this.#pendingCalls = pendingCalls
  }

  get(field) {
    const text = this.#native.getState(field)
    return text === null ? undefined : JSON.parse(text)
  }

  /** Takes effect at once. Throws a TypeError for a value that a built-in field does not accept. */
  set(field, value) {
    const { text, problem } = wellFormedJsonText(value)
    if (text === undefined)
      throw new TypeError(`\`${field}\` must be a JSON value${problem === null ? '' : `: ${problem}`}`)
    this.#answer(callNumber => this.#native.setState(callNumber, field, text))
  }

  /** False if the intent was refused; a refused intent changes nothing. */
  applyIntent(intent) {
    try {
      // `undefined`: applied, and still being written to the store.
      return (
        this.#answer(callNumber => this.#native.applyIntent(callNumber, wellFormedJsonText(intent ?? null).text)) !==
        false
      )
    } catch {
      return false
    }
  }

  getSnapshot() {
    return deepFreeze(JSON.parse(this.#native.stateSnapshot()))
  }

  /** As `applyIntent`. */
  apply(intent) {
    return this.applyIntent(intent)
  }
  /** As `getSnapshot`. */
  snapshot() {
    return this.getSnapshot()
  }
  get history() {
    return JSON.parse(this.#native.stateHistory())
  }

  /** The change is requests when the native call returns; only its write to the store may still be pending. */
  #answer(start) {
    const now = this.#pendingCalls.now(start, this)
    if (now === null) return undefined
    const { value, error } = JSON.parse(now)
    if (error !== undefined) throw new TypeError(error.message)
    return value
  }
}

class Session {
  #native
  #execute
  #registry
  #pendingCalls
  #options
  #attachmentContext
  #origin
  #ended = false

  /** @internal Use `registry.createSession()`. */
  constructor({ native, registry, pendingCalls, options, attachmentContext }) {
    this.#native = native
    this.#execute = native.executeFunction()
    this.#registry = registry
    this.#pendingCalls = pendingCalls
    this.#options = options
    this.#attachmentContext = attachmentContext
    this.sessionId = native.sessionId
    this.mode = native.mode
    this.state = new SessionStateView(native, pendingCalls)
    const { sessionId } = this
    this.#origin = { fullData: meta => registry.fullData(sessionId, meta) }
    attachmentContext.attach(this, native)
  }

  /** @internal Reads the full data of the session's shortened answers, also after the session was collected. */
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
  /** @internal The names of the services of this attachment. */
  get services() {
    return Object.keys(this.#attachmentContext.services)
  }

  get turn() {
    return this.#native.turn
  }
  get toolsVersion() {
    return this.#native.toolsVersion
  }

  /** Always resolves with exactly one ToolResponse. */
  async execute(call) {
    return this.#answer(await this.executeText(call))
  }

  /** As `execute`; resolves with the answer's JSON text. */
  async executeText(call) {
    this.#checkVersion()
    const request = readCall(call)
    const encoded = encodeCall(request)
    const { id, name, args, unwritable } = encoded
    const answer = await this.#call(encoded, callNumber => this.#execute(callNumber, id, name, args, unwritable), args)
    this.#notifyToolCall(request)
    return answer
  }

  /** Runs consecutive reads concurrently; a write runs alone, in order. Resolves with the answers in call order. */
  async executeAll(calls) {
    this.#checkVersion()
    const requests = Array.from(calls, readCall)
    if (requests.length === 0) return []
    const encoded = requests.map(encodeCall)
    const { text } = wellFormedJsonText(encoded)
    const open = encoded.map(call => this.#attachmentContext.begin(call))
    const given = JSON.parse(await this.#run(callNumber => this.#native.executeAll(callNumber, text)))
    const answers = Array.isArray(given) ? given : requests.map(() => structuredClone(given.each))
    for (const [index, answer] of answers.entries()) {
      this.#attachmentContext.answered(answer, shownText(encoded[index]), open[index])
      this.#notifyToolCall(requests[index])
    }
    return answers.map(answer => trackOrigin(answer, this))
  }

  /** @internal Executes a call that a running handler makes. Always resolves with exactly one ToolResponse. */
  async callWithin(invocation, toolId, args) {
    const { name } = readCall({ name: toolId })
    const { text, problem } = argsText(args)
    const answer = await this.#call({ id: null, name, args: text, unwritable: problem }, callNumber =>
      this.#native.callWithin(callNumber, invocation, name, text, problem),
    )
    this.#notifyToolCall({ name, args, id: null })
    return this.#answer(answer)
  }

  /** @internal Reports a handler's progress to the listener. */
  progress(progress) {
    const { onProgress } = this.#options
    if (onProgress !== undefined) this.#registry.callListener(() => onProgress(progress))
  }

  /** @internal Reports a successful call of this attachment to the listener. */
  capabilityUsed(use) {
    const { onCapabilityUsed } = this.#options
    if (onCapabilityUsed !== undefined) this.#registry.callListener(() => onCapabilityUsed(use))
  }

  async beginTurn(turnId) {
    const id = turnId === undefined || turnId === null ? null : String(turnId)
    if (id !== null && !id.isWellFormed()) throw new TypeError('`turnId` must not contain a lone surrogate')
    return this.#value(callNumber => this.#native.beginTurn(callNumber, id))
  }

  /** Asks the question that `execute` would ask the user, and runs nothing. Null if the call needs no confirmation. */
  async ask(call) {
    this.#checkVersion()
    const request = readCall(call)
    const encoded = encodeCall(request)
    const { id, name, args, unwritable } = encoded
    const asked = JSON.parse(await this.#run(callNumber => this.#native.ask(callNumber, id, name, args, unwritable)))
    // A call without a question is reported when it is executed.
    if (asked !== null) {
      this.#attachmentContext.answered(asked, shownText(encoded), null)
      this.#notifyToolCall(request)
    }
    return asked
  }

  /** As `confirm`, for the question that this call asked. Runs nothing if it asked none. */
  async approve(call) {
    const encoded = encodeCall(readCall(call))
    const { id, name, args, unwritable } = encoded
    return this.#answer(
      await this.#call(encoded, callNumber => this.#native.approve(callNumber, id, name, args, unwritable)),
    )
  }

  /** As `deny`, for the question that the call with this id asked. */
  async decline(callId, reason) {
    // Not an id of any call: converted to UTF-8 it would equal another one.
    if (!String(callId).isWellFormed()) return false
    return this.#value(callNumber =>
      this.#native.decline(callNumber, String(callId), reason === undefined ? null : String(reason)),
    )
  }

  /** Runs the confirmed call with the arguments that the question showed. */
  async confirm(token) {
    const call = { id: null, name: null, args: null, unwritable: null }
    return this.#answer(await this.#call(call, callNumber => this.#native.confirm(callNumber, String(token))))
  }

  /** True if the token was pending. */
  async deny(token, reason) {
    return this.#value(callNumber =>
      this.#native.deny(callNumber, String(token), reason === undefined ? null : String(reason)),
    )
  }

  async listPending() {
    return this.#value(callNumber => this.#native.listPending(callNumber))
  }

  /** False if no call with this id waits. A cancellation that comes before its call is remembered for 60 s. */
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
  }

  /** Final: later calls are SESSION_INACTIVE. */
  async end(reason = 'ended') {
    if (this.#ended) return
    this.#ended = true
    await this.#value(callNumber => this.#native.end(callNumber, String(reason)))
  }

  #answer(text) {
    return trackOrigin(JSON.parse(text), this)
  }

  /** Makes one call, traced and published. Resolves with the answer's JSON text. */
  async #call(encoded, start, args) {
    const open = this.#attachmentContext.begin(encoded)
    const answer = await (open === null ? this.#run(start, args) : open.trace.run(() => this.#run(start, args)))
    this.#attachmentContext.answered(answer, shownText(encoded), open)
    return answer
  }

  #run(start, args) {
    return this.#pendingCalls.run(start, this.#attachmentContext, args)
  }

  async #value(start) {
    const { value, error } = JSON.parse(await this.#run(start))
    if (error !== undefined) throw new ToolError(error.code, error.message)
    return value
  }

  #checkVersion() {
    if (!this.#registry.wasReloaded) return
    const mismatch = this.#native.versionMismatch()
    if (mismatch === null) return
    const [expected, actual] = mismatch
    throw new RegistryVersionMismatch(
      `session \`${this.sessionId}\` runs tool set ${expected}, the registry was reloaded to ${actual}; make a new session`,
      expected,
      actual,
    )
  }

  #notifyToolCall({ name, args, id }) {
    const { onToolCall } = this.#options
    if (onToolCall !== undefined) this.#registry.callListener(() => onToolCall({ name, args, id }))
  }
}

const UNREADABLE_ID = "the call's id contains a lone surrogate; an id must be well-formed Unicode text"

/** Reads a call; the gate refuses a call without a name. */
function readCall(call) {
  const { id, name, args } = call ?? {}
  return { id: readCallId(id), name: typeof name === 'string' ? name : '', args }
}

/**
 * Encodes a call for the core. An id with a lone surrogate is refused: in UTF-8, several such ids would become one, and
 * two calls would share a record.
 */
function encodeCall({ id, name, args }) {
  if (id !== null && !id.isWellFormed()) return { id: null, name, args: '', unwritable: UNREADABLE_ID }
  const { text, problem } = argsText(args)
  return { id, name, args: text, unwritable: problem }
}

/** The arguments' text that may be shown, masked; null if the arguments were not JSON. */
const shownText = ({ args, unwritable }) => (unwritable === null ? args : null)

/** An id as a string; null unless it is a string or a number: all objects would become one id, `[object Object]`. */
function readCallId(id) {
  if (typeof id === 'string') return id
  return typeof id === 'number' || typeof id === 'bigint' ? String(id) : null
}

module.exports = { Session }
