'use strict'

// A state with the rules of a session state, for hosts and tests that keep one outside a session.

const native = require('../../native.js')
const { deepFreeze } = require('../values/deep-freeze.js')
const { wellFormedJsonText } = require('../values/json-text.js')
const { withTypeErrors } = require('./type-errors.js')

/** @param {string | null} text */
const parsed = text => (text === null ? undefined : JSON.parse(text))

class StateController {
  #state
  /** A state outside a session has no end, so its host says if it is active. */
  #isActive = true

  /** @param {Record<string, import('../../index.js').JsonValue> & { mode?: string }} [state] */
  constructor({ mode = 'text', ...initial } = {}) {
    this.#state = new native.NativeState(mode)
    for (const [field, value] of Object.entries(initial)) this.set(field, value)
  }

  /** @param {string} field */
  get(field) {
    return field === 'isActive' ? this.#isActive : parsed(this.#state.get(field))
  }

  /** @param {string} field @param {unknown} value */
  set(field, value) {
    if (field === 'isActive') {
      if (typeof value !== 'boolean') throw new TypeError('`isActive` must be true or false')
      this.#isActive = value
      return
    }
    const { text, problem } = wellFormedJsonText(value)
    if (text === undefined)
      throw new TypeError(`\`${field}\` must be a JSON value${problem === null ? '' : `: ${problem}`}`)
    withTypeErrors(() => this.#state.set(field, text))
  }

  /** @param {unknown} intent */
  applyIntent(intent) {
    return this.#state.applyIntent(wellFormedJsonText(intent ?? null).text ?? 'null')
  }
  getSnapshot() {
    return deepFreeze({ ...JSON.parse(this.#state.snapshot()), isActive: this.#isActive })
  }

  /** As `applyIntent`. @param {unknown} intent */
  apply(intent) {
    return this.applyIntent(intent)
  }
  /** As `getSnapshot`. */
  snapshot() {
    return this.getSnapshot()
  }
  get history() {
    return JSON.parse(this.#state.history())
  }
}

/**
 * Creates a state controller outside a session.
 * @param {Record<string, import('../../index.js').JsonValue>} [initial]
 */
const createStateController = initial => new StateController(initial)

module.exports = { createStateController }
