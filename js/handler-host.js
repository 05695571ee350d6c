'use strict'

// Where handlers run. The core starts them by a letter and hears of their end by a native call; between the two they are
// ordinary JavaScript, and what one does cannot harm another call.

const { HandlerContext } = require('./handler-context.js')
const { HandlerRun } = require('./handler-run.js')
const { jsonText } = require('./json-text.js')
const { describeThrown } = require('./thrown.js')

/** How a handler ended, in the core's numbers. */
const Ended = Object.freeze({ RETURNED: 0, NOTHING: 1, NOT_JSON: 2, THREW: 3 })

class HandlerHost {
  /**
   * Runs that may still be stopped, by the core's numbers for them. None has 0: it is there as V8 makes a map anew that
   * gets empty.
   */
  #runs = new Map([[0, null]])
  /** Numbers count up, and starts come in their order; a stop is read at once and may come before its start. */
  #lastStarted = 0
  #stoppedBefore = new Set()
  /** attachment → WeakRef of its owner; who waits for an answer holds the owner itself. */
  #owners = new Map()
  #dropped = new FinalizationRegistry(attachment => this.#owners.delete(attachment))
  #settle
  #onError
  #contain

  /**
   * @param {(id: number, ended: number, text: string) => void} settle tells the core
   * @param {(error: unknown, call: { toolId: string, sessionId: string | null }) => void} onError hears untyped throws
   * @param {() => import('./stray-errors.js').Container | null} [contain] what knows a handler's stray errors as its, where
   *   the host wants to hear of them
   */
  constructor(settle, onError, contain = () => null) {
    this.#settle = settle
    this.#onError = onError
    this.#contain = contain
  }

  /** The owner of an attachment, where somebody still holds it. */
  owner(attachment) {
    return this.#owners.get(attachment)?.deref()
  }

  /** @param {number} attachment @param {object} owner services, messaging, handlers of one attachment */
  add(attachment, owner) {
    this.#owners.set(attachment, new WeakRef(owner))
    this.#dropped.register(owner, attachment)
  }

  /** The core starts a handler. Never throws. */
  start({ id, attachment, toolId, args, meta }) {
    this.#lastStarted = id
    if (this.#stoppedBefore.delete(id)) {
      this.#end(id, Ended.NOTHING, '')
      return
    }
    const owner = this.owner(attachment)
    const handler = owner?.handlers.get(toolId)
    if (handler === undefined) {
      this.#end(id, Ended.NOT_JSON, 'its handler is not loaded')
      return
    }
    try {
      const tool = owner.tool(toolId)
      const run = new HandlerRun(id)
      this.#runs.set(id, run)
      const context = new HandlerContext({ owner, tool, args: JSON.parse(args), meta, run })
      const contain = this.#contain()
      const result =
        contain === null
          ? handler(context)
          : contain.run(() => handler(context), { toolId, sessionId: owner.sessionId })
      if (typeof result?.then === 'function') {
        // `Promise.resolve` adopts a foreign thenable once, however often it settles.
        Promise.resolve(result).then(
          value => this.#returned(id, value),
          error => this.#threw(id, error, owner, toolId),
        )
      } else {
        this.#returned(id, result)
      }
    } catch (error) {
      this.#threw(id, error, owner, toolId)
    }
  }

  abort(id, reason) {
    if (id > this.#lastStarted) this.#stoppedBefore.add(id)
    else this.#runs.get(id)?.abort(reason)
    // A run is stopped once. It may never end, and must not be kept until it does.
    this.#runs.delete(id)
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
    this.#runs.get(id)?.over()
    this.#runs.delete(id)
    this.#settle(id, ended, text)
  }
}

module.exports = { HandlerHost }
