'use strict'

// A request that is refused before the gate, as an answer of the same shape as a failed call.

const { RegistryVersionMismatch, httpStatus } = require('../answers/errors.js')
const { isInstance, memberOf, messageOf } = require('../values/foreign.js')

/** @typedef {import('toolgate').ErrorTypeName} ErrorTypeName */

/** In development a session begun with other tools is not continued, nor is a second one begun in its place. */
const CHANGED = 'the tools have changed since this conversation began; begin a new one'

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

/**
 * An error as a refusal: one of a known type has its status; any other is a 500 without details.
 * @param {unknown} error
 */
function refusalOf(error) {
  if (isInstance(error, HttpRefusal)) return error
  if (memberOf(error, 'code') === 'CLOSED')
    return new HttpRefusal(503, 'TRANSIENT', 'the server is shutting down', { 'retry-after': '1' })
  if (isInstance(error, RegistryVersionMismatch)) return new HttpRefusal(409, 'CONFLICT', CHANGED)
  const type = memberOf(error, 'type')
  const isKnown =
    isInstance(error, Error) && typeof type === 'string' && memberOf(error, 'partialSideEffects') !== undefined
  if (isKnown) return new HttpRefusal(httpStatus(type), /** @type {ErrorTypeName} */ (type), messageOf(error))
  return new HttpRefusal(500, 'INTERNAL', 'the server failed')
}

/**
 * Writes an error to the console that is no refusal, such as of a tool set that did not load: its client hears no details.
 * @param {unknown} error
 */
function logUnexpected(error) {
  if (refusalOf(error).type === 'INTERNAL') console.error(error)
}

/**
 * The host's `onError`. A fault of its own is written to the console and answers nothing.
 * @param {(error: unknown, request: Request) => unknown} [onError]
 */
function errorListener(onError = logUnexpected) {
  return async (/** @type {unknown} */ error, /** @type {Request} */ request) => {
    try {
      const given = await onError(error, request)
      return isInstance(given, Response) ? given : undefined
    } catch (fault) {
      console.error(`\`onError\` failed: ${messageOf(fault)}`)
      return undefined
    }
  }
}

/** @param {unknown} error @param {Request} request @param {ReturnType<typeof errorListener>} onError */
async function failureResponse(error, request, onError) {
  if (isInstance(error, HttpRefusal)) return error.toResponse()
  return (await onError(error, request)) ?? refusalOf(error).toResponse()
}

module.exports = { HttpRefusal, errorListener, failureResponse, jsonResponse, logUnexpected, refusalOf }
