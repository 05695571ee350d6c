'use strict'

const { deepFreeze } = require('../values/deep-freeze.js')
const { wellFormedJsonText } = require('../values/json-text.js')

/**
 * @typedef {import('../../native.js').NativeSession} NativeSession
 * @typedef {import('./pending-calls.js').PendingCalls} PendingCalls
 * @typedef {import('./pending-calls.js').Start} Start
 */

/** The state of a session: a synchronous view of the core's state. */
class SessionStateView {
  #native
  #pendingCalls

  /** @param {NativeSession} native @param {PendingCalls} pendingCalls */
  constructor(native, pendingCalls) {
    this.#native = native
    this.#pendingCalls = pendingCalls
  }

  /** @param {string} field @returns {any} */
  get(field) {
    const text = this.#native.getState(field)
    return text === null ? undefined : JSON.parse(text)
  }

  /**
   * Takes effect at once. Throws a TypeError for a value that a built-in field does not accept.
   * @param {string} field
   * @param {unknown} value
   */
  set(field, value) {
    const { text, problem } = wellFormedJsonText(value)
    if (text === undefined)
      throw new TypeError(`\`${field}\` must be a JSON value${problem === null ? '' : `: ${problem}`}`)
    this.#answer(callNumber => this.#native.setState(callNumber, field, text))
  }

  /** False if the intent was refused; a refused intent changes nothing. @param {unknown} intent */
  applyIntent(intent) {
    try {
      // `undefined`: applied, and still being written to the store.
      const text = /** @type {string} the core throws for what JSON omits */ (wellFormedJsonText(intent ?? null).text)
      return this.#answer(callNumber => this.#native.applyIntent(callNumber, text)) !== false
    } catch {
      return false
    }
  }

  /** @returns {Readonly<import('../../index.js').SessionState>} */
  getSnapshot() {
    return deepFreeze(JSON.parse(this.#native.stateSnapshot()))
  }

  /** As `applyIntent`. @param {unknown} intent */
  apply(intent) {
    return this.applyIntent(intent)
  }
  /** As `getSnapshot`. */
  snapshot() {
    return this.getSnapshot()
  }
  /** @returns {import('../../index.js').StateController['history']} */
  get history() {
    return JSON.parse(this.#native.stateHistory())
  }

  /**
   * The change is made when the native call returns; only its write to the store may still be pending.
   * @param {Start} start
   */
  #answer(start) {
    const now = this.#pendingCalls.now(start, this)
    if (now === null) return undefined
    const { value, error } = JSON.parse(now)
    if (error !== undefined) throw new TypeError(error.message)
    return value
  }
}

module.exports = { SessionStateView }
