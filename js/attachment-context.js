'use strict'

// The context shared by the handlers of one attachment: the host's objects, and the session's tool set.

const { deepFreeze } = require('./deep-freeze.js')
const { failure } = require('./tool-response.js')

/** `ws.readyState` of an open connection, in browsers and in `ws`. */
const OPEN = 1

class AttachmentContext {
  #native = null
  #session = null
  #loaded
  #log

  /** @param {{ loaded: import('./tool-set.js').ToolSet, options: object, services: object, log: Function }} parts */
  constructor({ options, services, loaded, log }) {
    this.clientId = options.clientId ?? null
    this.ws = options.ws ?? null
    this.geminiSession = options.geminiSession ?? null
    this.send = sender(options.messaging, this.ws)
    this.services = services
    this.#loaded = loaded
    this.sessionId = options.sessionId ?? null
    this.#log = log
  }

  /** Connects the context to its session, once that exists. */
  attach(session, native) {
    this.#native = native
    this.#session = session
    this.sessionId = session.sessionId
  }

  /** Uses the tool set that the session started with. */
  pin(loaded) {
    this.#loaded = loaded
  }

  tool(toolId) {
    return this.#loaded.tool(toolId)
  }
  get toolSet() {
    return this.#loaded
  }
  get handlers() {
    return this.#loaded.handlers
  }
  get toolsVersion() {
    return this.#loaded.version
  }

  snapshot() {
    const state = this.#native === null ? { isActive: true } : JSON.parse(this.#native.stateSnapshot())
    return deepFreeze(state)
  }

  /** A nested call of a handler, through the gate of its session. */
  callTool(invocation, toolId, args) {
    if (this.#session === null)
      return Promise.resolve(failure('SESSION_INACTIVE', 'outside a session no tool can call another'))
    return this.#session.callWithin(invocation, toolId, args)
  }

  /** Reports progress of a call to the session's listener. */
  progress(update) {
    this.#session?.progress(update)
  }

  /** Reports a successful call of this attachment. */
  capabilityUsed(use) {
    this.#session?.capabilityUsed(use)
  }

  log(event, toolId, callId, dataText) {
    this.#log(this.sessionId, event, toolId, callId, dataText)
  }
}

/** The function that sends messages to the client: the host's, or the connection's; null if there is neither. */
function sender(messaging, ws) {
  if (typeof messaging === 'function') return messaging
  if (typeof messaging?.send === 'function') return message => messaging.send(message)
  if (typeof ws?.send !== 'function') return null
  return message => {
    if (ws.readyState !== undefined && ws.readyState !== OPEN) throw new Error('the connection is closed')
    return ws.send(JSON.stringify(message))
  }
}

module.exports = { AttachmentContext }
