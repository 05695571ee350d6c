'use strict'

// Stray errors: errors that a handler throws outside its promise, such as in a timer, in an event listener, or in a
// promise that nothing awaits. By default Node ends the process, and with it every other call. With `strayErrors:
// 'report'` there are listeners on `process` until the registry is closed, and the host receives these errors. They are not the
// default, because a library that listens for the whole process changes the behaviour of its host.
//
// An error belongs to a handler if it was thrown in the handler's asynchronous context (AsyncLocalStorage). Any other
// error ends the process as it would without these listeners, unless the host has listeners of its own.

const { AsyncLocalStorage } = require('node:async_hooks')
const { inspect } = require('node:util')

/**
 * @typedef {{ toolId: string, sessionId: string | null }} HandlerCall the call of a handler
 * @typedef {(error: unknown, call: HandlerCall) => void} ErrorReport
 */

/** Scopes in use. They share one listener for each event. @type {Set<StrayErrorScope>} */
const scopes = new Set()

class StrayErrorScope {
  /** @type {AsyncLocalStorage<HandlerCall>} */
  #call = new AsyncLocalStorage()
  #report

  /** @param {ErrorReport} report */
  constructor(report) {
    this.#report = report
  }

  /**
   * Runs a handler; its stray errors are attributed to `call` from now on.
   * @template T
   * @param {() => T} handler
   * @param {HandlerCall} call
   */
  run(handler, call) {
    return this.#call.run(call, handler)
  }

  /** Reports the error if a handler of this scope threw it; false otherwise. @param {unknown} error */
  reportIfOwn(error) {
    const call = this.#call.getStore()
    if (call === undefined) return false
    this.#report(error, call)
    return true
  }

  release() {
    scopes.delete(this)
    if (scopes.size > 0) return
    process.off('uncaughtException', onException)
    process.off('unhandledRejection', onRejection)
  }
}

/**
 * @param {ErrorReport} report receives the errors of handlers
 */
function containStrayErrors(report) {
  const scope = new StrayErrorScope(report)
  if (scopes.size === 0) {
    process.on('uncaughtException', onException)
    process.on('unhandledRejection', onRejection)
  }
  scopes.add(scope)
  return scope
}

/** @param {unknown} error */
const reportedByScope = error => [...scopes].some(scope => scope.reportIfOwn(error))

/** @param {unknown} error */
function onException(error) {
  if (reportedByScope(error) || process.listenerCount('uncaughtException') > 1) return
  process.stderr.write(`Uncaught ${inspect(error)}\n`)
  process.exit(1)
}

/** @param {unknown} reason */
function onRejection(reason) {
  if (reportedByScope(reason) || process.listenerCount('unhandledRejection') > 1) return
  throw reason
}

module.exports = { StrayErrorScope, containStrayErrors }
