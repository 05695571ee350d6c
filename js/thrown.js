'use strict'

// What a handler threw, described for the core. Anything can be thrown, and nothing of it is believed.

const { ErrorType, SAID } = require('./errors.js')
const { wholeJsonText } = require('./json-text.js')

const TYPED_FIELDS = ['retryable', 'partialSideEffects', 'idempotencyRequired', 'suggestion', 'retryAfterMs', 'details']
const TYPES = {
  retryable: 'boolean',
  partialSideEffects: 'boolean',
  idempotencyRequired: 'boolean',
  suggestion: 'string',
  retryAfterMs: 'number',
}

/**
 * @param {unknown} thrown
 * @returns {{ text: string, typed: boolean }} JSON text for the core, and whether its type was known
 */
function describeThrown(thrown) {
  try {
    const typed = typeof thrown?.type === 'string' && Object.hasOwn(ErrorType, thrown.type)
    const described = typed ? typedError(thrown) : untyped(thrown)
    return { text: wholeJsonText(described).text ?? '{}', typed }
  } catch {
    // A getter or a proxy that throws: nothing can be said of it.
    return { text: '{}', typed: false }
  }
}

function typedError(thrown) {
  const described = { type: thrown.type, message: String(thrown.message ?? '') }
  for (const field of TYPED_FIELDS) {
    const value = thrown[field]
    const fits = field === 'details' ? wholeJsonText(value).text !== undefined : typeof value === TYPES[field]
    if (value !== undefined && fits && wasSaid(thrown, field)) described[field] = value
  }
  if (described.retryAfterMs !== undefined) described.retryAfterMs = wholeMs(described.retryAfterMs)
  return described
}

/** `retryable` and `partialSideEffects` are always there on a ToolError: whether its thrower meant them, the error says. */
const wasSaid = (thrown, field) => (Array.isArray(thrown[SAID]) ? thrown[SAID].includes(field) : true)

const wholeMs = ms => (Number.isFinite(ms) ? Math.min(Math.max(0, Math.round(ms)), Number.MAX_SAFE_INTEGER) : undefined)

/** Only what tells a network failure from a defect: an untyped message can hold anything and is not handed on. */
function untyped(thrown) {
  const code = thrown?.code ?? thrown?.cause?.code
  const status = thrown?.status ?? thrown?.statusCode ?? thrown?.response?.status
  const retryAfterMs = retryAfter(thrown?.headers ?? thrown?.response?.headers)
  return {
    message: '',
    ...(typeof code === 'string' ? { code } : {}),
    ...(Number.isInteger(status) && status >= 100 && status <= 599 ? { status } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** `Retry-After` (RFC 9110, 10.2.3: seconds or a date), or the `retry-after-ms` that some services send beside it. */
function retryAfter(headers) {
  const header = name => (typeof headers?.get === 'function' ? headers.get(name) : headers?.[name])
  const ms = Number.parseFloat(header('retry-after-ms'))
  if (Number.isFinite(ms)) return wholeMs(ms)
  const said = header('retry-after')
  if (said === undefined || said === null) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(said)) return wholeMs(Number(said) * 1000)
  return wholeMs(Date.parse(said) - Date.now())
}

module.exports = { describeThrown }
