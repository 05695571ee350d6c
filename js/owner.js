'use strict'

// What handlers of one attachment are given: the host's objects, and the tools and handlers that its session started with.

const { deepFreeze } = require('./deep-freeze.js')
const { failure } = require('./tool-response.js')

/** `ws.readyState` of an open connection, in browsers and in `ws`. */
const OPEN = 1

class Owner {
  #native = null
  #session = null
  #loaded
  #log

  /** @param {{ loaded: import('./tool-set.js').ToolSet }} owned with what else it holds */
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

  /** The session is made: its native side and its owner know each other from now on. */
  attach(session, native) {
    this.#native = native
    this.#session = session
    this.sessionId = session.sessionId
  }

  /** The session started with another tool set than the one that is loaded now. */
  pin(loaded) {
    this.#loaded = loaded
  }

  tool(toolId) {
    return this.#loaded.tool(toolId)
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

  /** A call of a handler's own, through the gate of its session. */
  callTool(invocation, toolId, args) {
    if (this.#session === null)
      return Promise.resolve(failure('SESSION_INACTIVE', 'outside a session no tool can call another'))
    return this.#session.callWithin(invocation, toolId, args)
  }

  /** News for whoever listens to the session. */
  progress(news) {
    this.#session?.progress(news)
  }

  /** A call of this attachment ran, and succeeded in the end. */
  used(use) {
    this.#session?.used(use)
  }

  log(event, toolId, callId, dataText) {
    this.#log(this.sessionId, event, toolId, callId, dataText)
  }
}

/** How messages reach the client: the host's way, or the connection itself. Null where there is neither. */
function sender(messaging, ws) {
  if (typeof messaging === 'function') return messaging
  if (typeof messaging?.send === 'function') return message => messaging.send(message)
  if (typeof ws?.send !== 'function') return null
  return message => {
    if (ws.readyState !== undefined && ws.readyState !== OPEN) throw new Error('the connection is closed')
    return ws.send(JSON.stringify(message))
  }
}

module.exports = { Owner }
