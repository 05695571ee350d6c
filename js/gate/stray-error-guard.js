'use strict'

// Whether a registry hears the errors that nothing awaits. Loaded only on demand: tracking asynchronous contexts has a cost, and
// few hosts use it.

class StrayErrorGuard {
  #report
  /** Null while they are Node's. @type {import('./stray-errors.js').StrayErrorScope | null} */
  scope = null

  /** @param {Parameters<typeof import('./stray-errors.js').containStrayErrors>[0]} report */
  constructor(report) {
    this.#report = report
  }

  start() {
    this.scope ??= require('./stray-errors.js').containStrayErrors(this.#report)
  }

  stop() {
    this.scope?.release()
    this.scope = null
  }
}

module.exports = { StrayErrorGuard }
