'use strict'

// The `requestState` of a question: sealed with the store's key, so that processes on the store alone can read it. It
// names the question and its call; a request that differs in its tool, its arguments or its principal can't use it.

const { createHash } = require('node:crypto')

const { canonicalJson } = require('../values/canonical-json.js')
const { invalidParams } = require('./protocol-error.js')

const PURPOSE = 'mcp request state'

/**
 * @typedef {import('./rounds.js').RoundQuestion & { sessionId: string, callId: string }} RequestState
 * @typedef {import('./tool-calls.js').CallParams} CallParams
 */

class RequestStates {
  #confirmations
  #principal

  /** @param {import('toolgate').ToolRegistry} registry @param {string | undefined} principal of its requests */
  constructor(registry, principal) {
    this.#confirmations = /** @type {import('../gate/registry.js').ToolRegistry} */ (
      /** @type {unknown} */ (registry)
    ).confirmations
    this.#principal = principal
  }

  /** @param {RequestState} state @param {number} expires @param {CallParams} params */
  seal({ sessionId, callId, token, isNested, shown }, expires, params) {
    const content = [sessionId, callId, token, isNested, shown, expires, this.#digest(params)]
    return this.#confirmations.seal(PURPOSE, content)
  }

  /**
   * @param {unknown} text from the client
   * @param {CallParams} params
   * @returns {Promise<RequestState>}
   * @throws an Error with a JSON-RPC code if it was not made for this call and principal, or has expired
   */
  async open(text, params) {
    const content = await this.#confirmations.unseal(PURPOSE, text)
    if (content === null) throw invalidState()
    const [sessionId, callId, token, isNested, shown, expires, digest] = content
    if (expires <= Date.now() || digest !== this.#digest(params)) throw invalidState()
    return { sessionId, callId, token, isNested, shown }
  }

  /** @param {CallParams} params */
  #digest({ name, arguments: args }) {
    const text = canonicalJson([name, args ?? null, this.#principal ?? null])
    return createHash('sha256').update(text).digest('base64url')
  }
}

const invalidState = () =>
  invalidParams('`requestState` is not valid for this request, or has expired', { reason: 'invalid_request_state' })

module.exports = { RequestStates, invalidState }
