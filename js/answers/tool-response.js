'use strict'

// ToolResponse 1.0.0: its schema, its validation, and the results of handlers.

const native = require('../../native.js')
const { ErrorType, contract } = require('./errors.js')
const { messageOf } = require('../values/foreign.js')

const TOOL_RESPONSE_SCHEMA_VERSION = contract.responseSchemaVersion
const toolResponseSchema = contract.responseSchema

/** @typedef {{ intents?: import('../../index.js').Intent[], warnings?: string[] }} ResultOptions */

/**
 * Creates the result of a successful handler.
 * @param {unknown} data
 * @param {ResultOptions} [options]
 */
function success(data, options = {}) {
  return { ok: true, ...(data === undefined ? {} : { data }), ...beside(options) }
}

/**
 * Creates the result of a handler's expected failure.
 * @param {import('../../index.js').ErrorTypeName} type
 * @param {string} message
 * @param {import('../../index.js').ToolErrorOptions & ResultOptions} [options]
 */
function failure(type, message, { intents, warnings, ...options } = {}) {
  if (!Object.hasOwn(ErrorType, type)) {
    throw new TypeError(
      `unknown error type \`${String(type)}\`; it must be one of ${Object.keys(ErrorType).join(', ')}`,
    )
  }
  const { cause: _cause, ...details } = options
  return {
    ok: false,
    error: { type, message, retryable: false, ...details },
    ...beside({ intents, warnings }),
  }
}

/** @param {ResultOptions} options */
function beside({ intents, warnings }) {
  return { ...(intents === undefined ? {} : { intents }), ...(warnings === undefined ? {} : { meta: { warnings } }) }
}

/**
 * Returns true, or throws a TypeError that names the fault.
 * @param {unknown} value what a handler returns; with `strict`, an answer of the gate
 * @param {{ strict?: boolean }} [options]
 */
function validateToolResponse(value, { strict = false } = {}) {
  let text
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new TypeError(`not a ToolResponse: it can't be written as JSON (${messageOf(error).split('\n')[0]})`, {
      cause: error,
    })
  }
  const problem = text === undefined ? 'it is not a JSON value' : native.checkResponse(text, strict === true)
  if (problem !== null) throw new TypeError(`not a ToolResponse: ${problem}`)
  return true
}

module.exports = {
  TOOL_RESPONSE_SCHEMA_VERSION,
  toolResponseSchema,
  success,
  failure,
  validateToolResponse,
}
