'use strict'

// The error of a handler, described for the core. A handler can throw anything, so every field is checked.

const { ErrorType, EXPLICIT_FIELDS } = require('../answers/errors.js')
const { exceedsJsonSize } = require('../values/json-size.js')
const { wellFormedJsonText } = require('../values/json-text.js')

const TYPED_FIELDS = ['retryable', 'partialSideEffects', 'idempotencyRequired', 'retryAfterMs', 'retryAfter']
/** The length of an untyped error's message as the core gets it. The core looks for words in it, and never shows it. */
const MAX_UNTYPED_MESSAGE = 1000
/** @type {Record<string, string>} */
const TYPES = {
  retryable: 'boolean',
  partialSideEffects: 'boolean',
  idempotencyRequired: 'boolean',
  retryAfterMs: 'number',
  retryAfter: 'number',
}

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */

/**
 * @param {unknown} thrown
 * @param {number} [maxBytes] the most that is read of a text, and of the details
 * @returns {{ text: string, typed: boolean }} JSON text for the core; `typed`: whether the error has a known type
 */
function describeHandlerError(thrown, maxBytes = Infinity) {
  try {
    const error = /** @type {JsonObject} */ (thrown)
    const typed = typeof error?.type === 'string' && Object.hasOwn(ErrorType, error.type)
    const described = typed ? typedError(error, maxBytes) : untyped(error)
    return { text: wellFormedJsonText(described).text ?? '{}', typed }
  } catch {
    // A getter or a proxy that throws.
    return { text: '{}', typed: false }
  }
}

/** @param {JsonObject} thrown of unchecked members @param {number} maxBytes */
function typedError(thrown, maxBytes) {
  /** @type {JsonObject} */
  const described = { type: thrown.type, message: String(thrown.message ?? '').slice(0, maxBytes) }
  for (const field of TYPED_FIELDS) {
    const value = thrown[field]
    if (typeof value === TYPES[field] && wasSet(thrown, field)) described[field] = value
  }
  const { suggestion, details } = thrown
  if (typeof suggestion === 'string') described.suggestion = suggestion.slice(0, maxBytes)
  if (exceedsJsonSize(details, maxBytes)) described.detailsTooLarge = true
  else if (details !== undefined && wellFormedJsonText(details).text !== undefined) described.details = details
  if (described.retryAfterMs !== undefined) described.retryAfterMs = integerMs(described.retryAfterMs)
  return described
}

/**
 * A ToolError always has `retryable` and `partialSideEffects`; `EXPLICIT_FIELDS` lists the fields that its thrower set.
 * @param {JsonObject & { [EXPLICIT_FIELDS]?: unknown }} thrown
 * @param {string} field
 */
const wasSet = (thrown, field) =>
  Array.isArray(thrown[EXPLICIT_FIELDS]) ? thrown[EXPLICIT_FIELDS].includes(field) : true

/** @param {number} ms */
const integerMs = ms =>
  Number.isFinite(ms) ? Math.min(Math.max(0, Math.round(ms)), Number.MAX_SAFE_INTEGER) : undefined

/**
 * Only what distinguishes a network failure from a defect.
 * @param {JsonObject | null | undefined} thrown of unchecked members
 */
function untyped(thrown) {
  const code = thrown?.code ?? thrown?.cause?.code
  const status = thrown?.status ?? thrown?.statusCode ?? thrown?.response?.status
  const retryAfterMs = retryAfter(thrown?.headers ?? thrown?.response?.headers)
  return {
    message: typeof thrown?.message === 'string' ? thrown.message.slice(0, MAX_UNTYPED_MESSAGE) : '',
    ...(typeof code === 'string' ? { code } : {}),
    ...(Number.isInteger(status) && status >= 100 && status <= 599 ? { status } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/**
 * `Retry-After` (RFC 9110, 10.2.3: seconds or a date), or the `retry-after-ms` that some services send beside it.
 * @param {JsonObject | null | undefined} headers
 */
function retryAfter(headers) {
  /** @param {string} name */
  const header = name => (typeof headers?.get === 'function' ? headers.get(name) : headers?.[name])
  const ms = Number.parseFloat(header('retry-after-ms'))
  if (Number.isFinite(ms)) return integerMs(ms)
  const value = header('retry-after')
  if (value === undefined || value === null) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return integerMs(Number(value) * 1000)
  return integerMs(Date.parse(value) - Date.now())
}

module.exports = { describeHandlerError }
