'use strict'

// What a handler throws outside its promise: in a timer, in an event, in a promise without a waiter. Node ends the
// process for it, and with it every other call. A host that would rather hear of it says so (`strayErrors: 'report'`);
// only then are there listeners on `process`, until the registry is closed.
//
// An error is a handler's if it was thrown in what the handler started, as AsyncLocalStorage follows it. Any other
// error stays Node's: it ends the process as it would without these listeners, unless the host has listeners of its own.

const { AsyncLocalStorage } = require('node:async_hooks')
const { inspect } = require('node:util')

/** Containers that are in use: the listeners are there once for all of them. */
const containers = new Set()

class Container {
  #call = new AsyncLocalStorage()
  #report

  constructor(report) {
    this.#report = report
  }

  /** Runs a handler; what goes astray in it from now on is known as its. */
  run(handler, call) {
    return this.#call.run(call, handler)
  }

  /** True if the error was a handler's, which is reported. */
  takes(error) {
    const call = this.#call.getStore()
    if (call === undefined) return false
    this.#report(error, call)
    return true
  }

  release() {
    containers.delete(this)
    if (containers.size > 0) return
    process.off('uncaughtException', onException)
    process.off('unhandledRejection', onRejection)
  }
}

/** @param {(error: unknown, call: { toolId: string, sessionId: string | null }) => void} report hears a handler's errors */
function containStrayErrors(report) {
  const container = new Container(report)
  if (containers.size === 0) {
    process.on('uncaughtException', onException)
    process.on('unhandledRejection', onRejection)
  }
  containers.add(container)
  return container
}

const isAHandlers = error => [...containers].some(container => container.takes(error))

function onException(error) {
  if (isAHandlers(error) || process.listenerCount('uncaughtException') > 1) return
  process.stderr.write(`Uncaught ${inspect(error)}\n`)
  process.exit(1)
}

function onRejection(reason) {
  if (isAHandlers(reason) || process.listenerCount('unhandledRejection') > 1) return
  throw reason
}

module.exports = { containStrayErrors }
