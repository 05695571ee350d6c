'use strict'

// The results of code bases whose tools return `{ success, data?, error? }`, and their conversion from and to answers of
// the gate.

const { toModelResponse } = require('../answers/views.js')

/**
 * @typedef {import('./index.js').ToolResult} ToolResult
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('toolgate').ToolResponseError} ToolResponseError
 * @typedef {import('toolgate').HandlerResult} HandlerResult
 */

const INVALID_ARGUMENTS = 'Invalid tool arguments'
const FAILED = 'Tool execution failed'
const INVALID_RESPONSE = 'Invalid tool response format'
const FAILED_WITHOUT_MESSAGE = 'Tool execution failed without error message'

/** The core's words for a result that it can't use, and those of `fromToolResult`. */
const UNUSABLE_RESULT = /gave no usable answer|^Invalid tool response format$/
/** The core's words for a failed result without its error. */
const WITHOUT_ERROR = /a failure without an `?error/
/** The core's words for `{ success: false }` without a text. */
const WITHOUT_TEXT = /^`[^`]*` failed without an error message$/

/**
 * Converts an answer of the gate. The confirmation token is left out.
 * @param {Pick<ToolResponse, 'ok'> & { data?: unknown, error?: ToolResponseError, meta?: { toolId?: string } }} response
 * @returns {ToolResult}
 */
function toToolResult(response) {
  const { ok, data, error, meta } =
    toModelResponse(/** @type {any} of a handler, without `meta`, too */ (response), { meta: 'full' }) ?? {}
  if (ok === true) return data === undefined ? { success: true } : { success: true, data }
  if (ok !== false) return { success: false, error: INVALID_RESPONSE }
  const { confirmation_request: request } = error ?? {}
  if (request !== undefined) return { success: false, error: request.preview, data: { confirmation_request: request } }
  return { success: false, error: errorText(error, meta?.toolId) }
}

/** @param {ToolResponseError | undefined} error @param {string} [toolId] @returns {string} */
function errorText(error, toolId) {
  const { type, message, details } = /** @type {Partial<ToolResponseError>} */ (error ?? {})
  if (typeof message !== 'string' || message === '') return FAILED_WITHOUT_MESSAGE
  if (type === 'VALIDATION') return invalidArguments(details, message)
  if (type === 'INTERNAL') return internalText(message)
  if (WITHOUT_TEXT.test(message)) return FAILED_WITHOUT_MESSAGE
  const { reason } = /** @type {{ reason?: unknown }} */ (details ?? {})
  return type === 'TRANSIENT' && reason === 'timeout' && toolId !== undefined ? `Tool ${toolId} timed out` : message
}

/** @param {string} message of an INTERNAL error */
function internalText(message) {
  if (WITHOUT_ERROR.test(message)) return FAILED_WITHOUT_MESSAGE
  return UNUSABLE_RESULT.test(message) ? INVALID_RESPONSE : FAILED
}

/**
 * @param {unknown} issues the details of a VALIDATION error
 * @param {string} [message] used if the details are no issues
 */
function invalidArguments(issues, message) {
  const messages = Array.isArray(issues)
    ? issues.map(issue => issue?.message).filter(text => typeof text === 'string')
    : []
  const text = messages.length > 0 ? messages.join('; ') : message
  return text === undefined ? INVALID_ARGUMENTS : `${INVALID_ARGUMENTS}: ${text}`
}

/**
 * Converts a tool's result for the gate: what a handler returns. A failure is PERMANENT, because such a result has no
 * error type; what is no such result is INTERNAL.
 * @param {unknown} result
 * @returns {HandlerResult & { intents: [] }}
 */
function fromToolResult(result) {
  const { success, data, error } = /** @type {{ success?: unknown, data?: unknown, error?: unknown }} */ (result ?? {})
  if (success === true) return { ok: true, ...(data !== undefined && { data }), intents: [] }
  if (success !== false) return failed('INTERNAL', INVALID_RESPONSE)
  const message = typeof error === 'string' && error !== '' ? error : FAILED_WITHOUT_MESSAGE
  return failed('PERMANENT', message, data)
}

/**
 * @param {'INTERNAL' | 'PERMANENT'} type
 * @param {string} message
 * @param {any} [details] the data of a failed result
 * @returns {HandlerResult & { intents: [] }}
 */
function failed(type, message, details) {
  const error = { type, message, retryable: false, partialSideEffects: false }
  return { ok: false, error: details === undefined ? error : { ...error, details }, intents: [] }
}

/**
 * The answer for a realtime model: `{ name, response }`.
 * @param {string} name
 * @param {ToolResponse} response
 */
const toLiveAnswer = (name, response) => ({ name, response: toToolResult(response) })

/**
 * The record of a call: `{ id, name, success, data?, error?, durationMs }`.
 * @param {{ id: string, name: string }} call
 * @param {ToolResponse} response
 */
const toToolRecord = ({ id, name }, response) => ({
  id,
  name,
  ...toToolResult(response),
  durationMs: response.meta.duration,
})

module.exports = { FAILED, fromToolResult, invalidArguments, toLiveAnswer, toToolRecord, toToolResult }
