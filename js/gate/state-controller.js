'use strict'

// A state with the rules of a session state, for hosts and tests that keep one outside a session.

const native = require('../../native.js')
const { deepFreeze } = require('../values/deep-freeze.js')
const { wellFormedJsonText } = require('../values/json-text.js')
const { withTypeErrors } = require('./type-errors.js')

/** As many changes as the core keeps. */
const MOST_CHANGES = 200

/** @param {string | null} text */
const parsed = text => (text === null ? undefined : JSON.parse(text))

/** @param {unknown} value */
function activeFlag(value) {
  if (typeof value !== 'boolean') throw new TypeError('`isActive` must be true or false')
  return value
}

class StateController {
  #state
  /** A state outside a session has no end, so its host says if it is active. */
  #isActive = true
  /** @type {import('../../index.js').StateController['history']} */
  #history = []

  /** @param {Record<string, import('../../index.js').JsonValue> & { mode?: string }} [state] */
  constructor({ mode = 'text', isActive = true, ...initial } = {}) {
    this.#state = new native.NativeState(mode)
    this.#isActive = activeFlag(isActive)
    for (const [field, value] of Object.entries(initial)) this.set(field, value)
  }

  /** @param {string} field */
  get(field) {
    return field === 'isActive' ? this.#isActive : parsed(this.#state.get(field))
  }

  /** @param {string} field @param {unknown} value */
  set(field, value) {
    if (field === 'isActive') {
      this.#isActive = activeFlag(value)
      this.#changed({ field, value: this.#isActive, at: new Date().toISOString(), by: 'host' })
      return
    }
    const { text, problem } = wellFormedJsonText(value)
    if (text === undefined)
      throw new TypeError(`\`${field}\` must be a JSON value${problem === null ? '' : `: ${problem}`}`)
    withTypeErrors(() => this.#state.set(field, text))
    this.#changed()
  }

  /** False, and nothing changes, if the session is not active. @param {unknown} intent */
  applyIntent(intent) {
    if (!this.#isActive || !this.#state.applyIntent(wellFormedJsonText(intent ?? null).text ?? 'null')) return false
    this.#changed()
    return true
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
    return structuredClone(this.#history)
  }

  /** Remembers a change, by default the last one of the core's. @param {import('../../index.js').StateController['history'][number]} [change] */
  #changed(change = JSON.parse(this.#state.history()).at(-1)) {
    this.#history.push({ ...change, isActive: this.#isActive })
    if (this.#history.length > MOST_CHANGES) this.#history.shift()
  }
}

/**
 * Creates a state controller outside a session.
 * @param {Record<string, import('../../index.js').JsonValue>} [initial]
 */
const createStateController = initial => new StateController(initial)

module.exports = { createStateController }
