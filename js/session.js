'use strict'

// One attachment to a session, as hosts use it. Policy is the core's; what stands here is what must be JavaScript: the
// host's objects, its listeners, and promises.

const { deepFreeze } = require('./deep-freeze.js')
const { RegistryVersionMismatch, ToolError } = require('./errors.js')
const { argsText, wellFormedJsonText } = require('./json-text.js')
const { ofSession } = require('./views.js')

/** The state of a session: a synchronous view, changed through the core. */
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

  /** Takes effect at once; a value that a built-in field does not take throws. */
  set(field, value) {
    const { text, problem } = wellFormedJsonText(value)
    if (text === undefined)
      throw new TypeError(`\`${field}\` must be a JSON value${problem === null ? '' : `: ${problem}`}`)
    this.#answer(callNumber => this.#native.setState(callNumber, field, text))
  }

  /** False where the intent was refused; a refused one changes nothing. */
  applyIntent(intent) {
    try {
      // One that waits has been applied, and is on its way into the store.
      return (
        this.#answer(callNumber => this.#native.applyIntent(callNumber, wellFormedJsonText(intent ?? null).text)) !== false
      )
    } catch {
      return false
    }
  }

  getSnapshot() {
    return deepFreeze(JSON.parse(this.#native.stateSnapshot()))
  }
  get history() {
    return JSON.parse(this.#native.stateHistory())
  }

  /** The change is made when the native call returns; only its way into a store may still be under way. */
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

  /** @internal Made by `registry.createSession()`. */
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

  /** @internal Where the session's answers find all of their data, also when it is gone itself. */
  get origin() {
    return this.#origin
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

  /** As `execute`, the answer as JSON text. */
  async executeText(call) {
    this.#checkVersion()
    const { id, name, args } = checkedCall(call)
    const { text, problem } = argsText(args)
    const answer = await this.#run(callNumber => this.#execute(callNumber, id, name, text, problem), text)
    this.#called({ name, args, id })
    return answer
  }

  /** Consecutive reads together; a write waits for all before it and holds all after it. Answers in call order. */
  async executeAll(calls) {
    this.#checkVersion()
    const made = Array.from(calls, checkedCall)
    if (made.length === 0) return []
    const { text } = wellFormedJsonText(made.map(writtenCall))
    const answers = JSON.parse(await this.#run(callNumber => this.#native.executeAll(callNumber, text)))
    for (const call of made) this.#called(call)
    return Array.isArray(answers)
      ? answers.map(answer => ofSession(answer, this))
      : made.map(() => structuredClone(answers.each))
  }

  /** @internal A call that a started handler makes. Always resolves with exactly one ToolResponse. */
  async callWithin(invocation, toolId, args) {
    const { name } = checkedCall({ name: toolId })
    const { text, problem } = argsText(args)
    const answer = await this.#run(callNumber => this.#native.callWithin(callNumber, invocation, name, text, problem))
    this.#called({ name, args, id: null })
    return this.#answer(answer)
  }

  /** @internal A handler's news of its call. */
  progress(news) {
    const { onProgress } = this.#options
    if (onProgress !== undefined) this.#registry.guarded(() => onProgress(news))
  }

  /** @internal A call of this attachment ran, and succeeded in the end. */
  used(use) {
    const { onCapabilityUsed } = this.#options
    if (onCapabilityUsed !== undefined) this.#registry.guarded(() => onCapabilityUsed(use))
  }

  async beginTurn(turnId) {
    const id = turnId === undefined || turnId === null ? null : String(turnId)
    return this.#value(callNumber => this.#native.beginTurn(callNumber, id))
  }

  /** Asks what `execute` would ask of a user, and runs nothing. Null where it asks nothing. */
  async ask(call) {
    this.#checkVersion()
    const { id, name, args } = checkedCall(call)
    const { text, problem } = argsText(args)
    const asked = JSON.parse(await this.#run(callNumber => this.#native.ask(callNumber, id, name, text, problem)))
    // A call that asks nothing is answered when it is executed.
    if (asked !== null) this.#called({ name, args, id })
    return asked
  }

  /** As `confirm`, of the question that this call asked. Without one nothing runs. */
  async approve(call) {
    const { id, name, args } = checkedCall(call)
    const { text, problem } = argsText(args)
    return this.#answer(await this.#run(callNumber => this.#native.approve(callNumber, id, name, text, problem)))
  }

  /** As `deny`, of the question that the call with this id asked. */
  async decline(callId, reason) {
    return this.#value(callNumber =>
      this.#native.decline(callNumber, String(callId), reason === undefined ? null : String(reason)),
    )
  }

  /** Runs what was asked, as it was shown. */
  async confirm(token) {
    return this.#answer(await this.#run(callNumber => this.#native.confirm(callNumber, String(token))))
  }

  /** True where the token was pending. */
  async deny(token, reason) {
    return this.#value(callNumber =>
      this.#native.deny(callNumber, String(token), reason === undefined ? null : String(reason)),
    )
  }

  async listPending() {
    return this.#value(callNumber => this.#native.listPending(callNumber))
  }

  /** False where that call is unknown or already settled. */
  cancel(callId, reason = 'cancelled') {
    return this.#native.cancel(String(callId), String(reason))
  }
  cancelAll(reason = 'cancelled') {
    return this.#native.cancelAll(String(reason))
  }

  /** Leaves the session; what runs goes on. */
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
    return ofSession(JSON.parse(text), this)
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

  #called({ name, args, id }) {
    const { onToolCall } = this.#options
    if (onToolCall !== undefined) this.#registry.guarded(() => onToolCall({ name, args, id }))
  }
}

/** A call as far as it has the shape of one; the rest is the gate's to refuse. */
function checkedCall(call) {
  const { id, name, args } = call ?? {}
  return { id: callId(id), name: typeof name === 'string' ? name : '', args }
}

/** A call as the core reads it among others. */
function writtenCall({ id, name, args }) {
  const { text, problem } = argsText(args)
  return { id, name, args: text, unwritable: problem }
}

/** Of anything but a text or a number every value would read the same, and different calls would share one id. */
function callId(id) {
  if (typeof id === 'string') return id
  return typeof id === 'number' || typeof id === 'bigint' ? String(id) : null
}

module.exports = { Session }
