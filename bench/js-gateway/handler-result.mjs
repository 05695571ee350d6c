// What a handler's end means: its result checked, its data capped, its failure given a type.

const FROM_HANDLERS = new Set([
  'VALIDATION',
  'NOT_FOUND',
  'AUTH',
  'RATE_LIMIT',
  'SESSION_INACTIVE',
  'SESSION_ACTIVE',
  'CONFLICT',
  'TRANSIENT',
  'PERMANENT',
])
const INTENTS = new Set(['END_VOICE_SESSION', 'SUPPRESS_AUDIO', 'SUPPRESS_TRANSCRIPT', 'SET_PENDING_MESSAGE'])

/**
 * @typedef {object} Outcome
 * @property {unknown} head `ok`, `data` or `error`, and `intents`, as its way keeps them
 * @property {object | null} error
 * @property {number} [bytes] of the data as text
 * @property {object} [truncated]
 * @property {string[]} [warnings]
 */

/** @returns {Outcome} */
export function failed(way, error, intents = []) {
  const full = {
    type: error.type,
    message: error.message,
    retryable: error.retryable ?? false,
    partialSideEffects: error.partialSideEffects ?? false,
  }
  for (const optional of ['details', 'suggestion', 'retryAfterMs', 'idempotencyRequired', 'confirmation_request']) {
    if (error[optional] !== undefined) full[optional] = error[optional]
  }
  return { head: way.answer.failed(full, intents), error: full, bytes: 0 }
}

/** @returns {Outcome} of what a handler returned */
export function ofReturned(way, tool, result, limitBytes) {
  if (result === null || typeof result !== 'object') return broken(way, tool, 'its result is not an object with `ok`')
  const { intents, warnings } = readIntents(result.intents)
  if (result.ok === true) return succeeded(way, tool, result.data, intents, warnings, limitBytes)
  if (result.ok !== false) return broken(way, tool, 'its result has no boolean `ok`')
  const { error } = result
  if (!FROM_HANDLERS.has(error?.type) || typeof error.message !== 'string')
    return broken(way, tool, 'its error has no usable `type` or `message`')
  return failed(way, error, intents)
}

/** @returns {Outcome} of what a handler threw: a typed error is believed, anything else is hidden */
export function ofThrown(way, tool, thrown) {
  if (FROM_HANDLERS.has(thrown?.type) && typeof thrown.message === 'string') {
    return failed(way, {
      ...thrown,
      message: thrown.message,
      retryable: thrown.retryable ?? ['TRANSIENT', 'RATE_LIMIT'].includes(thrown.type),
    })
  }
  return failed(way, {
    type: 'INTERNAL',
    message: `\`${tool.id}\` failed unexpectedly`,
    partialSideEffects: tool.writes,
  })
}

/** @returns {Outcome} */
export function ofTimeout(way, tool) {
  const message = `\`${tool.id}\` did not answer within ${tool.timeoutMs} ms`
  const details = { reason: 'timeout', timeoutMs: tool.timeoutMs }
  if (!tool.writes) return failed(way, { type: 'TRANSIENT', message, retryable: true, details })
  return failed(way, {
    type: 'TRANSIENT',
    message,
    partialSideEffects: true,
    details: { ...details, outcome: 'unknown' },
  })
}

/** The details of a result that can't be written as JSON. */
const NOT_JSON = { reason: 'result_not_json' }

function broken(way, tool, problem, details) {
  return failed(way, {
    type: 'INTERNAL',
    message: `\`${tool.id}\` gave no usable answer: ${problem}`,
    partialSideEffects: tool.writes,
    details,
  })
}

function succeeded(way, tool, data, intents, warnings, limitBytes) {
  let text
  try {
    text = JSON.stringify(data)
  } catch (problem) {
    return broken(way, tool, `its result is not JSON: ${problem.message}`, NOT_JSON)
  }
  if (text === undefined)
    return { head: way.answer.succeeded(undefined, undefined, intents), error: null, warnings, bytes: 0 }
  let truncated
  if (way.isLonger(text, limitBytes)) {
    ;({ text, truncated } = cap(JSON.parse(text), Buffer.byteLength(text), limitBytes))
    data = JSON.parse(text)
  }
  return {
    head: way.answer.succeeded(data, text, intents),
    error: null,
    truncated,
    warnings,
    bytes: Buffer.byteLength(text),
  }
}

function readIntents(listed) {
  if (listed === undefined || listed === null || listed.length === 0) return { intents: [], warnings: [] }
  if (!Array.isArray(listed)) return { intents: [], warnings: ['`intents` is not a list and was dropped'] }
  const known = listed.filter(intent => INTENTS.has(intent?.type))
  const warnings = known.length === listed.length ? [] : ['an unknown intent is not applied']
  return { intents: known, warnings }
}

/** Lists directly in the data lose their last elements, the largest list first; where that is not enough, all goes. */
function cap(data, originalBytes, limitBytes) {
  const truncated = { limitBytes, originalBytes, dropped: [], shortened: [] }
  const size = value => Buffer.byteLength(JSON.stringify(value))
  const lists = Object.entries(data)
    .filter(([, value]) => Array.isArray(value))
    .sort((one, other) => size(other[1]) - size(one[1]))
  let over = originalBytes - limitBytes
  for (const [name, list] of lists) {
    const of = list.length
    while (over > 0 && list.length > 0) over -= size(list.pop()) + 1
    if (list.length < of) truncated.shortened.push({ path: `/${name}`, kept: list.length, of })
  }
  const text = JSON.stringify(data)
  if (Buffer.byteLength(text) <= limitBytes) return { text, truncated }
  return { text: 'null', truncated: { limitBytes, originalBytes, dropped: [''], shortened: [] } }
}
