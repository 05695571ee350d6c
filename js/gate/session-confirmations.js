'use strict'

// The questions of a session to its user: how they are answered, and how one looks what became of a call.

const { confirmationOf, denialOf, viaOf } = require('./answer-options.js')
const { encodeCall, readCall } = require('./call-request.js')
const { checkOptionNames } = require('./option-checks.js')

/**
 * @typedef {import('../../native.js').NativeSession} NativeSession
 * @typedef {import('../../index.js').ConfirmOptions} ConfirmOptions
 * @typedef {import('../../index.js').CallOutcome} CallOutcome
 * @typedef {import('./session.js').AbortableStart} AbortableStart
 * @typedef {import('./session.js').Encoded} Encoded
 * @typedef {object} SessionCalls
 * @property {(encoded: Encoded, act: () => Promise<string>) => Promise<string>} traced makes one call; resolves with the answer's
 *   JSON text
 * @property {(start: AbortableStart, options?: ConfirmOptions) => Promise<string>} run
 * @property {import('./background-calls.js').Value} value runs a native function; resolves with its `value`
 */

class SessionConfirmations {
  #native
  #calls

  /** @param {NativeSession} native @param {SessionCalls} calls */
  constructor(native, calls) {
    this.#native = native
    this.#calls = calls
  }

  /** @param {string} token @param {ConfirmOptions} [options] @returns {Promise<string>} */
  confirmToken(token, options) {
    const answer = confirmationOf(options)
    const call = { id: null, name: null, args: null, unwritable: null }
    return this.#confirm(call, (number, aborted) => this.#native.confirm(number, token, aborted, answer), options)
  }

  /** @param {import('../../index.js').ToolCall} call @param {ConfirmOptions} [options] @returns {Promise<string>} */
  confirmCall(call, options) {
    const encoded = encodeCall(readCall(call))
    const { id, name, args, unwritable, message } = encoded
    const answer = confirmationOf(options)
    const [messageId, isByContent] = [message?.id, message?.isByContent]
    /** @type {AbortableStart} */
    const start = (number, aborted) =>
      this.#native.confirmCall(number, id, name, args, unwritable, messageId, isByContent, aborted, answer)
    return this.#confirm(encoded, start, options)
  }

  /** @param {Encoded} encoded @param {AbortableStart} start @param {ConfirmOptions} [options] */
  #confirm(encoded, start, options) {
    return this.#calls.traced(encoded, async () => {
      const { answer, args } = JSON.parse(await this.#calls.run(start, options))
      // What ran, not what a page sent: that may have masks, and its user may have changed what was asked.
      Object.assign(encoded, { args, unwritable: null })
      return answer
    })
  }

  /**
   * @param {string} denied a token, or the id of a call
   * @param {string | undefined} reason @param {import('../../index.js').DecisionOptions | undefined} options
   * @returns {Promise<boolean>}
   */
  async deny(denied, reason, options) {
    const denial = denialOf(reason, options)
    // Neither a token nor an id of any call: converted to UTF-8 it would equal another one.
    if (!String(denied).isWellFormed()) return false
    return this.#calls.value(number => this.#native.deny(number, String(denied), ...denial))
  }

  /** @param {{ callId: string } | { token: string }} named @returns {Promise<CallOutcome>} */
  async outcome(named) {
    const { callId, token } = Object(named)
    checkOptionNames(Object(named), ['callId', 'token'], 'call whose outcome is asked for')
    if ((callId === undefined) === (token === undefined))
      throw new TypeError("`outcome` takes the call's id or its question's token: `{ callId }` or `{ token }`")
    const name = String(callId ?? token)
    if (!name.isWellFormed()) return { status: 'not_found' }
    return this.#calls.value(number => this.#native.outcome(number, name, token !== undefined))
  }

  /** @returns {Promise<import('../../index.js').PendingConfirmation[]>} */
  listPending() {
    return this.#calls.value(number => this.#native.listPending(number))
  }

  /** @returns {Promise<import('../../index.js').Grant[]>} */
  grants() {
    return this.#calls.value(number => this.#native.grants(number))
  }

  /** @param {string} id @param {import('../../index.js').AnswerOptions} [options] @returns {Promise<boolean>} */
  revoke(id, options) {
    const via = viaOf(options)
    return this.#calls.value(number => this.#native.revoke(number, String(id).toWellFormed(), via))
  }
}

module.exports = { SessionConfirmations }
