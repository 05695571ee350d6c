'use strict'

// The context shared by the handlers of one attachment: the host's objects, and the session's tool set.

const { CallMessage, callChannel } = require('../observe/call-channel.js')
const { OpenCalls, UNKNOWN_TOOL, callTracing } = require('../observe/call-tracing.js')
const { ProgressListeners } = require('./progress-listeners.js')
const { deepFreeze } = require('../values/deep-freeze.js')

/** `ws.readyState` of an open connection, in browsers and in `ws`. */
const OPEN = 1

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('../tool-sets/tool-set.js').ToolSet} ToolSet
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {Partial<import('../../index.js').SessionOptions>} HostObjects the host's objects among the options of a session
 * @typedef {(message: unknown) => unknown} Send
 * @typedef {Parameters<NonNullable<import('../../index.js').SessionOptions['onCapabilityUsed']>>[0]} SuccessfulUse
 * @typedef {{ name: string, toolId: string, callId: string | null, args: string }} LogEntry `args` is JSON text
 */

class AttachmentContext {
  /** @type {import('../../native.js').NativeSession | null} */
  #native = null
  /** @type {Session | null} */
  #session = null
  /** The session's tool set, and the one of the turns before: what waits since then may start now. */
  #loaded
  /** @type {ToolSet | null} */
  #earlier = null
  #setOf
  #gate
  /** Made with the first traced call. @type {OpenCalls | null} */
  #openCalls = null
  /** Made with the first call whose progress is heard. @type {ProgressListeners | null} */
  #progressListeners = null
  #hostView
  #voices
  #sources

  /**
   * @param {{ loaded: ToolSet, options: HostObjects, services: Record<string, unknown>,
   *   gate: import('../../native.js').NativeGate, voices: import('./voice-attachments.js').VoiceAttachments,
   *   sources?: import('./registry-sources.js').RegistrySources,
   *   hostView?: import('./direct-calls.js').HostView, setOf: (session: import('../../native.js').NativeSession) => ToolSet | undefined }} parts
   *   `setOf`: the tool set that a session has, if a reload may have changed it
   */
  constructor({ options, services, loaded, gate, voices, sources, hostView, setOf }) {
    this.#sources = sources
    this.#setOf = setOf
    this.#voices = voices
    this.#hostView = hostView
    this.clientId = options.clientId ?? null
    this.principal = options.principal ?? null
    this.ws = options.ws ?? null
    this.geminiSession = options.geminiSession ?? null
    this.send = sender(options.messaging, this.ws)
    this.services = services
    this.#loaded = loaded
    this.sessionId = options.sessionId ?? null
    this.#gate = gate
  }

  /**
   * Connects the context to its session, once that exists.
   * @param {Session} session
   * @param {import('../../native.js').NativeSession} native
   */
  attach(session, native) {
    this.#native = native
    this.#session = session
    this.sessionId = this.#hostView?.sessionId ?? session.sessionId
  }

  /** Whether a voice session runs beside this attachment: the provider's, or another attachment of the session. */
  get hasVoice() {
    return this.geminiSession !== null || this.#voices.has(this.sessionId)
  }

  /** Leaves the session; with `ended`, all its attachments have. */
  left({ ended = false } = {}) {
    if (this.#native === null) return
    const { sessionId, attachmentId } = this.#native
    if (ended) this.#sources?.endSession(sessionId)
    if (ended) this.#voices.end(sessionId)
    else this.#voices.delete(sessionId, attachmentId)
  }

  /** Uses the tool set that the session has. @param {ToolSet} loaded */
  pin(loaded) {
    this.#loaded = loaded
  }

  /** @param {string} toolId */
  tool(toolId) {
    return this.toolSet.tool(toolId) ?? this.#earlier?.tool(toolId)
  }
  /** After a reload the core gives a session the new tool set with its next turn. */
  get toolSet() {
    const current = this.#native === null ? undefined : this.#setOf(this.#native)
    if (current !== undefined && current !== this.#loaded) [this.#earlier, this.#loaded] = [this.#loaded, current]
    return this.#loaded
  }
  /** @param {string} toolId */
  handler(toolId) {
    return this.toolSet.handlers.get(toolId) ?? this.#earlier?.handlers.get(toolId)
  }
  get toolsVersion() {
    return this.toolSet.version
  }

  snapshot() {
    const state = this.#native === null ? { isActive: true } : JSON.parse(this.#native.stateSnapshot())
    return deepFreeze(this.#hostView === undefined ? state : { ...state, isActive: this.#hostView.isActive })
  }

  /**
   * A nested call of a handler, through the gate of its session.
   * @param {number} invocation
   * @param {string} toolId
   * @param {unknown} args
   * @param {import('../../index.js').NestedCallOptions} [options]
   * @returns {Promise<ToolResponse>}
   */
  callTool(invocation, toolId, args, options) {
    return /** @type {Session} */ (this.#session).callWithin(invocation, toolId, args, options)
  }

  /** The token that completes a handler's call from elsewhere. @param {number} invocation @returns {Promise<string>} */
  completionToken(invocation) {
    return /** @type {Session} */ (this.#session).completionToken(invocation)
  }

  /** The session's background calls. */
  backgroundCalls() {
    return /** @type {Session} */ (this.#session).backgroundCalls()
  }

  /** Cancels a call by its user's word. @param {string} callId @param {string} reason */
  cancelBackground(callId, reason) {
    return /** @type {Session} */ (this.#session).cancelBackground(callId, reason)
  }

  /** Reports progress of a call to the session's listener, and to what made the call. @param {import('../../index.js').ProgressNews} update */
  progress(update) {
    this.#session?.notify('onProgress', update)
    this.#progressListeners?.tell(update)
  }

  /** @param {string} callId @param {import('./progress-listeners.js').ProgressListener} listener */
  hearProgress(callId, listener) {
    this.#progressListeners ??= new ProgressListeners()
    return this.#progressListeners.add(callId, listener)
  }

  /** Reports a successful call of this attachment. @param {SuccessfulUse} use */
  capabilityUsed(use) {
    this.#session?.notify('onCapabilityUsed', use)
  }

  /** Reports tools that a search of this attachment found. @param {string[]} toolIds */
  toolsFound(toolIds) {
    this.#session?.toolsFound(toolIds)
  }

  /**
   * Begins the trace of a call; null if calls are not traced.
   * @param {{ id: string | null, name: string | null }} call without a name if it is confirmed by its token
   */
  begin({ id, name }) {
    const { tracer } = callTracing
    if (tracer === null) return null
    const toolId = name !== null && this.tool(name) === undefined ? UNKNOWN_TOOL : name
    this.#openCalls ??= new OpenCalls()
    return this.#openCalls.begin(tracer, { toolId, callId: id, sessionId: this.sessionId })
  }

  /**
   * Starts a handler in the context of its call.
   * @template T
   * @param {string} toolId
   * @param {string} meta JSON text
   * @param {() => T} handler
   */
  startHandler(toolId, meta, handler) {
    return this.#openCalls === null ? handler() : this.#openCalls.start(toolId, meta, handler)
  }

  /**
   * Publishes an answered call to the diagnostics channel, and ends its trace.
   * @param {string | import('../../index.js').ToolResponse} answer a ToolResponse, or its JSON text
   * @param {string | null} args JSON text; null if they are not known, or not JSON
   * @param {import('../observe/call-tracing.js').OpenCall | null} open
   */
  answered(answer, args, open) {
    if (open === null && !callChannel.hasSubscribers) return
    const response = typeof answer === 'string' ? JSON.parse(answer) : answer
    const message = new CallMessage(response, {
      sessionId: this.sessionId,
      principal: this.principal,
      shownArgs: toolId => (args === null ? null : this.shownArgs(toolId, args)),
      shownAnswer: text => this.#gate.shownAnswer(this.toolSet.native, args, text),
    })
    if (open !== null) this.#openCalls?.end(open, message, this.tool(message.toolId)?.source?.name)
    if (callChannel.hasSubscribers) callChannel.publish(message)
  }

  /** The masked arguments of a call, JSON text; null if they are invalid. @param {string} toolId @param {string} args */
  shownArgs(toolId, args) {
    return this.#gate.shownArgs(this.toolSet.native, toolId, args)
  }

  /** Writes a handler's audit line; the core masks what is sensitive. @param {LogEntry} entry @param {string} dataText */
  log(entry, dataText) {
    this.#gate.log(this.toolSet.native, this.sessionId, JSON.stringify(entry), dataText)
  }
}

/**
 * The function that sends messages to the client: the host's, or the connection's; null if there is neither.
 * @param {HostObjects['messaging']} messaging
 * @param {HostObjects['ws']} ws
 * @returns {Send | null}
 */
function sender(messaging, ws) {
  if (typeof messaging === 'function') return messaging
  if (typeof messaging?.send === 'function') return message => messaging.send(message)
  if (typeof ws?.send !== 'function') return null
  return (/** @type {unknown} */ message) => {
    if (ws.readyState !== undefined && ws.readyState !== OPEN) throw new Error('the connection is closed')
    return ws.send(JSON.stringify(message))
  }
}

module.exports = { AttachmentContext }
