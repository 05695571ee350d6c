'use strict'

// The background calls of a session: their results, as an attachment takes and delivers them, and their cancellation.

const { onAbort, signalOf } = require('./abortable.js')
const { readCallId } = require('./call-request.js')
const { checkOptionNames } = require('./option-checks.js')
const { saysOutcome } = require('../answers/outcome-in-answer.js')
const { trackOrigin } = require('../answers/views.js')

/**
 * @typedef {import('../../native.js').NativeSession} NativeSession
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {{ id: number, response: import('../../index.js').ToolResponse }} Taken
 * @typedef {(start: import('./pending-calls.js').Start) => Promise<any>} Value runs a native function; resolves with its `value`
 */

/** A result that this attachment holds until it is accepted or released. */
class BackgroundResult {
  #id
  #native
  #value

  /** @param {Taken} taken @param {NativeSession} native @param {Value} value */
  constructor({ id, response }, native, value) {
    this.#id = id
    this.#native = native
    this.#value = value
    this.response = response
    this.toolId = response.meta.toolId
    this.callId = response.meta.callId ?? null
    this.turn = response.meta.turn ?? null
  }

  /**
   * Ends the delivery: the provider, or the user, has the result. False if another attachment has it now, or if the answer that they
   * have does not say what became of the call.
   * @param {ToolResponse} [answer] @returns {Promise<boolean>}
   */
  async accept(answer) {
    return (answer === undefined || saysOutcome(answer)) && this.#end(true)
  }

  /** Gives the result back: it is offered again. @returns {Promise<boolean>} */
  async release() {
    return this.#end(false)
  }

  /** @param {boolean} accepted */
  #end(accepted) {
    return this.#value(callNumber => this.#native.endDelivery(callNumber, this.#id, accepted))
  }
}

/** @typedef {{ wait?: boolean, signal?: AbortSignal }} ResultsOptions `wait: false` ends after the results that are there */

/** @param {AbortSignal | null} signal */
const isAborted = signal => signal?.aborted === true

class BackgroundCalls {
  #native
  #value
  #session

  /** @param {NativeSession} native @param {Value} value @param {import('./session.js').Session} session */
  constructor(native, value, session) {
    this.#native = native
    this.#value = value
    this.#session = session
  }

  /**
   * The results, each once. From the first one on, calls of tools with `background` are answered early.
   * @param {ResultsOptions} [options]
   */
  results(options = {}) {
    // Checked here and not in the generator, which would throw only when it is first asked.
    checkOptionNames(options, ['wait', 'signal'], 'results')
    const { wait = true } = options
    if (typeof wait !== 'boolean') throw new TypeError('`wait` must be true or false')
    return this.#taken(wait, signalOf(options))
  }

  /** @param {boolean} wait @param {AbortSignal | null} signal @returns {AsyncGenerator<BackgroundResult, void, void>} */
  async *#taken(wait, signal) {
    while (!isAborted(signal)) {
      const taken = await nextResult(this.#native, this.#value, wait, signal)
      if (taken === null) return
      trackOrigin(taken.response, this.#session)
      const result = new BackgroundResult(taken, this.#native, this.#value)
      // It may have been aborted meanwhile.
      if (isAborted(signal)) await result.release()
      else yield result
    }
  }

  /** @param {string} callId @returns {import('../../index.js').HeldResult | null} */
  held(callId) {
    const id = readCallId(callId)
    if (id === null || !id.isWellFormed() || !this.#native.holdsResult(id)) return null
    return {
      accept: async answer =>
        (answer === undefined || saysOutcome(answer)) &&
        this.#value(callNumber => this.#native.acceptResult(callNumber, id)),
    }
  }

  /** @returns {Promise<import('../../index.js').BackgroundCall[]>} */
  list() {
    return this.#value(callNumber => this.#native.backgroundCalls(callNumber))
  }

  /** @param {string} callId @param {string} [reason] @returns {Promise<'aborted' | 'continues' | 'unknown' | null>} */
  async cancel(callId, reason = 'cancelled') {
    const id = readCallId(callId)
    if (id === null || !id.isWellFormed()) return null
    return this.#value(callNumber => this.#native.cancelBackground(callNumber, id, String(reason)))
  }

  /** @param {number} invocation @returns {Promise<string>} */
  completionToken(invocation) {
    return this.#value(callNumber => this.#native.completionToken(callNumber, invocation))
  }
}

/**
 * @param {NativeSession} native @param {Value} value @param {boolean} wait @param {AbortSignal | null} signal
 * @returns {Promise<Taken | null>}
 */
async function nextResult(native, value, wait, signal) {
  /** @type {number | null} */
  let waiting = null
  const stop = () => waiting !== null && native.stopWaiting(waiting)
  const stopWatching = signal === null ? null : onAbort(signal, stop)
  try {
    return await value(callNumber => {
      waiting = callNumber
      return native.nextResult(callNumber, wait)
    })
  } finally {
    stopWatching?.()
  }
}

module.exports = { BackgroundCalls }
