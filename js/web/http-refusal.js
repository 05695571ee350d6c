'use strict'

// A request that is refused before the gate, as an answer of the same shape as a failed call.

/** @typedef {import('toolgate').ErrorTypeName} ErrorTypeName */

class HttpRefusal extends Error {
  /**
   * @param {number} status
   * @param {ErrorTypeName} type
   * @param {string} message
   * @param {Record<string, string>} [headers]
   */
  constructor(status, type, message, headers = {}) {
    super(message)
    this.status = status
    this.type = type
    this.headers = headers
  }

  toResponse() {
    const { type, message } = this
    const error = { type, message, retryable: false, partialSideEffects: false }
    return jsonResponse({ ok: false, error }, this.status, this.headers)
  }
}

/** @param {unknown} body @param {number} status @param {Record<string, string>} headers */
const jsonResponse = (body, status, headers) =>
  Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  })

module.exports = { HttpRefusal, jsonResponse }
