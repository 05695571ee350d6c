'use strict'

// Where handlers run. The core starts them through a threadsafe function and hears of their end by a native call; between
// the two they are ordinary JavaScript, and what one does cannot harm another call.

const { HandlerContext } = require('./handler-context.js')
const { jsonText } = require('./json-text.js')
const { describeThrown } = require('./thrown.js')

/** How a handler ended, in the core's numbers. */
const Ended = Object.freeze({ RETURNED: 0, NOTHING: 1, NOT_JSON: 2, THREW: 3 })

/** One handler's way of being stopped. The AbortController is made when the handler first asks for its signal. */
class Stop {
  #controller = null
  #reason = null

  get signal() {
    this.#controller ??= new AbortController()
    if (this.#reason !== null) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason) {
    this.#reason ??= new DOMException(reason, reason === 'timeout' ? 'TimeoutError' : 'AbortError')
    this.#controller?.abort(this.#reason)
  }
}

class HandlerHost {
  /** What stops each running handler, by the core's number for it. */
  #stops = new Map()
  /** Numbers count up, and starts come in their order; a stop has a way of its own and may come before its start. */
  #lastStarted = 0
  #stoppedBefore = new Set()
  /** attachment → WeakRef of its owner; who waits for an answer holds the owner itself. */
  #owners = new Map()
  #dropped = new FinalizationRegistry(attachment => this.#owners.delete(attachment))
  #settle
  #onError

  /**
   * @param {(id: number, ended: number, text: string) => void} settle tells the core
   * @param {(error: unknown, call: { toolId: string, sessionId: string | null }) => void} onError hears untyped throws
   */
  constructor(settle, onError) {
    this.#settle = settle
    this.#onError = onError
  }

  /** @param {number} attachment @param {object} owner services, messaging, handlers of one attachment */
  add(attachment, owner) {
    this.#owners.set(attachment, new WeakRef(owner))
    this.#dropped.register(owner, attachment)
  }

  /** The core starts a handler. Never throws. */
  start(id, attachment, toolId, args, meta) {
    this.#lastStarted = id
    if (this.#stoppedBefore.delete(id)) {
      this.#end(id, Ended.NOTHING, '')
      return
    }
    const owner = this.#owners.get(attachment)?.deref()
    const handler = owner?.handlers.get(toolId)
    if (handler === undefined) {
      this.#end(id, Ended.NOT_JSON, 'its handler is not loaded')
      return
    }
    try {
      const tool = owner.tools.get(toolId)
      const stop = new Stop()
      this.#stops.set(id, stop)
      const context = new HandlerContext({ owner, tool, args: JSON.parse(args), meta, stop })
      const result = handler(context)
      if (typeof result?.then === 'function') {
        // `Promise.resolve` adopts a foreign thenable once, however often it settles.
        Promise.resolve(result).then(value => this.#returned(id, value), error => this.#threw(id, error, owner, toolId))
      } else {
        this.#returned(id, result)
      }
    } catch (error) {
      this.#threw(id, error, owner, toolId)
    }
  }

  abort(id, reason) {
    if (id > this.#lastStarted) this.#stoppedBefore.add(id)
    else this.#stops.get(id)?.abort(reason)
  }

  #returned(id, value) {
    const { text, problem } = jsonText(value)
    if (problem !== null) this.#end(id, Ended.NOT_JSON, problem)
    else if (text === undefined || value === null) this.#end(id, Ended.NOTHING, '')
    else this.#end(id, Ended.RETURNED, text)
  }

  #threw(id, error, owner, toolId) {
    const { text, typed } = describeThrown(error)
    if (!typed) this.#onError(error, { toolId, sessionId: owner.sessionId })
    this.#end(id, Ended.THREW, text)
  }

  #end(id, ended, text) {
    this.#stops.delete(id)
    this.#settle(id, ended, text)
  }
}

module.exports = { HandlerHost }
