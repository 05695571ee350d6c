'use strict'

// One run of a handler: its abort signal and its progress reports.

const { memberOf } = require('../values/foreign.js')
const { wellFormedJsonText } = require('../values/json-text.js')

/** The names of errors by which clients say that a signal ended them: of Node and browsers, of axios, of the OpenAI client. */
const ABORT_NAMES = ['AbortError', 'CanceledError', 'APIUserAbortError']
/** Limits of one run's progress reports: they are for display, not for data transfer. */
const MAX_PROGRESS_REPORTS = 100
const MAX_PROGRESS_CHARACTERS = 16 * 1024

class HandlerRun {
  /** Created when the handler first reads its signal. @type {AbortController | null} */
  #controller = null
  /** @type {DOMException | null} */
  #reason = null
  #isSettled = false
  #progressReports = 0
  /** @type {Set<{ error: unknown }>} */
  #unheeded = new Set()
  /** The tokens that complete the call from elsewhere. @type {Set<unknown> | null} */
  #completionTokens = null

  /** @param {number} id the core's id of the run */
  constructor(id) {
    this.id = id
  }

  get signal() {
    this.#controller ??= new AbortController()
    if (this.#reason !== null) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /** @param {string} reason */
  abort(reason) {
    this.#isSettled = true
    this.#reason ??= new DOMException(reason, reason === 'timeout' ? 'TimeoutError' : 'AbortError')
    this.#controller?.abort(this.#reason)
  }

  /**
   * Whether a handler that throws this obeys its signal: it throws the reason of the abort, or what a client that was given the
   * signal makes of it.
   * @param {unknown} error
   */
  isEndedBy(error) {
    if (this.#reason === null) return false
    if (error === this.#reason || memberOf(error, 'cause') === this.#reason) return true
    const name = memberOf(error, 'name')
    return typeof name === 'string' && ABORT_NAMES.includes(name)
  }

  /**
   * A promise for the handler. One that was rejected without the handler's looking at it is the handler's own error: a message that
   * no caller got must not become a success, or an unhandled rejection.
   * @param {{ result: Promise<unknown>, failed?: unknown }} sent
   * @returns {Promise<unknown>}
   */
  heeded({ result, failed }) {
    const [then, failure] = [result.then.bind(result), { error: failed }]
    if (failed !== undefined) this.#unheeded.add(failure)
    let isHeeded = false
    then(undefined, error => {
      failure.error = error
      if (!isHeeded) this.#unheeded.add(failure)
    })
    result.then = (...listeners) => {
      isHeeded = true
      this.#unheeded.delete(failure)
      return then(...listeners)
    }
    return result
  }

  /** The first error of `heeded` that the handler has not looked at; null if there is none. */
  get unheeded() {
    return [...this.#unheeded][0] ?? null
  }

  /** Notes a token that completes this run's call. @param {string} token */
  completedBy(token) {
    this.#completionTokens ??= new Set()
    this.#completionTokens.add(token)
  }

  /** Whether a token completes this run's call. @param {unknown} token */
  isCompletedBy(token) {
    return this.#completionTokens?.has(token) === true
  }

  /** Marks the run as settled: later progress reports are dropped. */
  settle() {
    this.#isSettled = true
  }

  /**
   * Returns a copy of the update as plain JSON; undefined if it is one too many, too long, too late, or not JSON.
   * @param {unknown} update
   * @returns {import('../../index.js').JsonValue | undefined}
   */
  progress(update) {
    if (this.#isSettled || this.#progressReports >= MAX_PROGRESS_REPORTS) return undefined
    const { text } = wellFormedJsonText(update)
    if (text === undefined || text.length > MAX_PROGRESS_CHARACTERS) return undefined
    this.#progressReports += 1
    return JSON.parse(text)
  }
}

module.exports = { HandlerRun }
