'use strict'

const { isUtf8 } = require('node:buffer')
const { isUint8Array } = require('node:util/types')

const { isInstance, memberOf } = require('./foreign.js')
const { BIG_INT, findJsonLoss, lossText } = require('./json-loss.js')
const { jsonEstimate } = require('./json-size.js')

// JavaScript values as JSON text for the core; or the reason if a value can't be serialized, without internal names.

/** The problem of a value whose JSON text would exceed the engine's longest string (512 MB). */
const TOO_LONG = 'it is longer than a text can be'

/** A lone surrogate: UTF-8 can't represent it. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** @param {string} surrogate */
const escaped = surrogate => `\\u${surrogate.charCodeAt(0).toString(16)}`

/**
 * A call's arguments as text.
 * @param {unknown} args a provider's JSON text, as a string or as its bytes, or a value
 * @returns {{ text: string, problem: string | null }} the problem is a sentence for the call's answer
 */
function argsText(args) {
  const { text, problem } = receivedText(args)
  return { text, problem: problem === null ? null : `the arguments can't be written as JSON: ${problem}` }
}

/**
 * JSON text as it is; any other value as its JSON text.
 * @param {unknown} value JSON text, as a string or as its bytes, or a value; the text of null and undefined is empty
 * @returns {{ text: string, problem: string | null }}
 */
function receivedText(value) {
  if (typeof value === 'string') {
    // The escape reaches the core, which reports its position; conversion to UTF-8 would lose the surrogate.
    return { text: value.isWellFormed() ? value : value.replace(LONE_SURROGATE, escaped), problem: null }
  }
  if (value === undefined || value === null) return { text: '', problem: null }
  if (isUint8Array(value)) return utf8Text(value)
  const { text, problem } = exactText(value)
  return { text: text ?? '', problem: problem ?? (text === undefined ? `${typeof value} is not JSON` : null) }
}

/**
 * As `jsonText`, for values that mean a call: JSON writes `null` for NaN and Infinity (which `JSON.parse` makes of `1e400`),
 * and a `null` can mean that an argument is absent.
 * @param {unknown} value
 * @returns {{ text: string | undefined, problem: string | null }}
 */
function exactText(value) {
  const { text, problem } = jsonText(value)
  const loss = text?.includes('null') ? findJsonLoss(value) : null
  return { text, problem: loss === null ? problem : lossText(loss) }
}

/** @param {Uint8Array} bytes */
function utf8Text(bytes) {
  if (!isUtf8(bytes)) return { text: '', problem: 'its bytes are not UTF-8' }
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(), problem: null }
}

/**
 * Converts arguments that a provider's client has parsed: an object is unchanged; any other value becomes its JSON
 * text, so that the gate refuses it. A bare string would be read as JSON text, and a call that the model encoded twice
 * would run.
 * @param {unknown} value
 * @returns {Record<string, unknown> | string}
 */
function parsedArgs(value) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? /** @type {Record<string, unknown>} */ (value) : JSON.stringify(value)
}

/**
 * @param {unknown} value
 * @returns {{ text: string | undefined, problem: string | null }} neither for a value that JSON omits (undefined, a
 *   function, a symbol)
 */
function jsonText(value) {
  try {
    return { text: JSON.stringify(value), problem: null }
  } catch (error) {
    return { text: undefined, problem: reason(error) }
  }
}

/**
 * As `jsonText`, for a value of at most `maxBytes` of JSON: a larger one is not written.
 * @param {unknown} value
 * @param {number} maxBytes
 * @returns {{ text: string | undefined, problem: string | null, tooLarge: boolean, loss: import('./json-loss.js').JsonLoss | null }}
 *   `loss`: what the text does not say, or the BigInt that is the problem
 */
function boundedJsonText(value, maxBytes) {
  const { isTooLarge, isLossy } = jsonEstimate(value, maxBytes)
  if (isTooLarge) return { text: undefined, problem: null, tooLarge: true, loss: null }
  const { text, problem } = jsonText(value)
  const tooLarge = problem === TOO_LONG || (text !== undefined && text.length > maxBytes)
  if (tooLarge || (problem === null && !isLossy)) return { text, problem, tooLarge, loss: null }
  return { text, problem, tooLarge, loss: findJsonLoss(value, problem === null ? undefined : BIG_INT) }
}

/** In JSON text as `JSON.stringify` writes it: an escaped backslash, or an escaped lone surrogate. */
const ESCAPED_SURROGATE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g

/** JSON text of `JSON.stringify`, with U+FFFD for each lone surrogate. @param {string} text */
const wellFormed = text => text.replace(ESCAPED_SURROGATE, found => (found === '\\\\' ? found : '\ufffd'))

/** As `jsonText`, with U+FFFD for each lone surrogate: the core's strings are UTF-8. @param {unknown} value */
function wellFormedJsonText(value) {
  const { text, problem } = jsonText(value)
  return { text: text === undefined ? text : wellFormed(text), problem }
}

/**
 * Whether serialization failed because the text would exceed the engine's longest string (512 MB).
 * @param {unknown} error
 */
const isTooLong = error => /string length|string longer/i.test(saidBy(error))

/** @param {unknown} error */
function saidBy(error) {
  const message = memberOf(error, 'message')
  return typeof message === 'string' ? message : ''
}

/** @param {unknown} error */
function reason(error) {
  const message = saidBy(error)
  if (/circular|cyclic/i.test(message)) return 'it holds a cycle'
  if (/BigInt/.test(message)) return 'it holds a BigInt'
  if (isTooLong(error)) return TOO_LONG
  if (isInstance(error, RangeError) || /call stack/.test(message)) return 'it is nested too deeply'
  return 'one of its values throws when it is serialized'
}

/** The issue of arguments that `argsText` could not write. @param {string} message */
const unwritableIssue = message => ({ instancePath: '', schemaPath: '', keyword: 'json', params: {}, message })

module.exports = {
  argsText,
  boundedJsonText,
  exactText,
  jsonText,
  parsedArgs,
  receivedText,
  unwritableIssue,
  wellFormed,
  wellFormedJsonText,
}
