'use strict'

// A chat message in the form in which a session keeps it: bounded, with sensitive arguments masked.

/** Of a message as JSON. The history of a session's state keeps the last 200 changes, so it bounds these too. */
const MAX_BYTES = 8 * 1024
const MAX_PARTS = 40
const MAX_TEXT = 4000
const MAX_OUTPUT_BYTES = 2 * 1024
const MAX_RECORDS = 10
const MAX_WORDS = 300

/**
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./body.js').ChatMessage} ChatMessage
 * @typedef {(tool: string, args: unknown) => unknown} Masking arguments as a person may see them
 */

/** Null if nothing is left to keep. @param {ChatMessage} message @param {Masking} masked @param {{ isCut?: boolean }} [how] @returns {ChatMessage | null} */
function keptMessage({ id, role, parts }, masked, { isCut = false } = {}) {
  let kept = parts.slice(-MAX_PARTS).flatMap(part => keptPart(part, masked) ?? [])
  // The beginning of a long answer goes first: its end has the result.
  while (sizeOf(kept) > MAX_BYTES) kept = kept.slice(1)
  if (!kept.some(part => part.type !== 'step-start')) return null
  return { id, role, parts: kept, ...(isCut && { metadata: { isCut } }) }
}

/** @param {JsonObject} part @param {Masking} masked @returns {JsonObject | null} */
function keptPart(part, masked) {
  const { type, text, toolCallId, title, state, output, errorText } = part
  if (type === 'text') return text === '' ? null : { type, text: cut(text, MAX_TEXT) }
  if (type === 'step-start') return { type }
  const name = type === 'dynamic-tool' ? part.toolName : type.startsWith('tool-') ? type.slice('tool-'.length) : null
  if (name === null) return null
  const call = { type: `tool-${name}`, toolCallId, ...(title && { title }), input: keptInput(masked(name, part.input)) }
  if (state === 'output-available') return { ...call, state, output: keptOutput(output) }
  if (state === 'output-error') return { ...call, state, errorText: cut(errorText, MAX_WORDS) }
  // It was stopped: the gate knows what came of it.
  return { ...call, state: state === 'input-streaming' ? state : 'input-available' }
}

/** @param {unknown} input */
const keptInput = input => (input === undefined || sizeOf(input) > MAX_OUTPUT_BYTES ? {} : input)

/** What the page draws and the model is reminded of: of large data the records that an answer cites. @param {JsonObject} response a ToolResponse, or what the host's own tool has answered */
function keptOutput(response) {
  if (typeof response?.ok !== 'boolean') return sizeOf(response) <= MAX_OUTPUT_BYTES ? response : null
  const { toolId, duration, attempts, pending, _idempotent_cache_hit } = response.meta ?? {}
  const base = { ...response, intents: [], meta: { toolId, duration, attempts, pending, _idempotent_cache_hit } }
  if (response.ok) return sizeOf(response.data) <= MAX_OUTPUT_BYTES ? base : { ...base, data: recordsIn(response.data) }
  const { type, message, retryable, partialSideEffects, details, confirmation_request: asked } = response.error ?? {}
  const error = {
    type,
    message: cut(String(message), MAX_WORDS),
    retryable,
    partialSideEffects,
    ...keptDetails(details),
  }
  const request = asked?.approvers && { confirmation_request: { approvers: asked.approvers } }
  return { ...base, error: { ...error, ...request } }
}

/** Whether a call was denied or has expired, and what is known of it, a page says in words of its own. @param {unknown} details */
function keptDetails(details) {
  const { reason, outcome } = /** @type {JsonObject} */ (details ?? {})
  const kept = { reason: textOf(reason), outcome: textOf(outcome) }
  return reason === undefined && outcome === undefined ? {} : { details: kept }
}

/** @param {unknown} data */
function recordsIn(data) {
  const { results } = /** @type {JsonObject} */ (data ?? {})
  /** @type {unknown[]} */
  const records = Array.isArray(results) ? results : [data]
  const named = records.slice(0, MAX_RECORDS).map(record => {
    const { id, title, url } = /** @type {JsonObject} */ (record ?? {})
    return { id: textOf(id), title: textOf(title), url: textOf(url) }
  })
  return Array.isArray(results) ? { results: named } : named[0]
}

/** @param {unknown} value */
const textOf = value => (typeof value === 'string' ? cut(value, MAX_WORDS) : undefined)

/** Never in the middle of a character. @param {string} text @param {number} length */
const cut = (text, length) =>
  text.length > length ? `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…` : text

/** @param {unknown} value */
const sizeOf = value => Buffer.byteLength(JSON.stringify(value) ?? '')

module.exports = { cut, keptMessage }
