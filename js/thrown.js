'use strict'

// What a handler threw, described for the core. Anything can be thrown, and nothing of it is believed.

const { ErrorType } = require('./errors.js')
const { wholeJsonText } = require('./json-text.js')

const TYPED_FIELDS = ['retryable', 'partialSideEffects', 'idempotencyRequired', 'suggestion', 'retryAfterMs', 'details']
const TYPES = {
  retryable: 'boolean', partialSideEffects: 'boolean', idempotencyRequired: 'boolean', suggestion: 'string', retryAfterMs: 'number',
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
    if (value !== undefined && fits) described[field] = value
  }
  const { retryAfterMs: wait } = described
  if (wait !== undefined) described.retryAfterMs = Number.isFinite(wait) ? Math.min(Math.max(0, Math.round(wait)), Number.MAX_SAFE_INTEGER) : undefined
  return described
}

/** Only what tells a network failure from a defect: an untyped message can hold anything and is not handed on. */
function untyped(thrown) {
  const code = thrown?.code ?? thrown?.cause?.code
  const status = thrown?.status ?? thrown?.statusCode ?? thrown?.response?.status
  return {
    message: '',
    ...(typeof code === 'string' ? { code } : {}),
    ...(Number.isInteger(status) && status >= 100 && status <= 599 ? { status } : {}),
  }
}

module.exports = { describeThrown }
