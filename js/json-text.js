'use strict'

const { isUtf8 } = require('node:buffer')
const { isUint8Array } = require('node:util/types')

// JavaScript values as JSON text for the core; or the reason if a value can't be serialized, without internal names.

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
  if (typeof args === 'string') {
    // The escape reaches the core, which reports its position; conversion to UTF-8 would lose the surrogate.
    return { text: args.isWellFormed() ? args : args.replace(LONE_SURROGATE, escaped), problem: null }
  }
  if (args === undefined || args === null) return { text: '', problem: null }
  if (isUint8Array(args)) return utf8Text(args)
  const { text, problem } = jsonText(args)
  return text === undefined ? unwritable(problem ?? `${typeof args} is not JSON`) : { text, problem }
}

/** @param {string} problem */
function unwritable(problem) {
  return { text: '', problem: `the arguments can't be written as JSON: ${problem}` }
}

/** @param {Uint8Array} bytes */
function utf8Text(bytes) {
  if (!isUtf8(bytes)) return unwritable('its bytes are not UTF-8')
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

/** In JSON text as `JSON.stringify` writes it: an escaped backslash, or an escaped lone surrogate. */
const ESCAPED_SURROGATE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g

/** As `jsonText`, with U+FFFD for each lone surrogate: the core's strings are UTF-8. @param {unknown} value */
function wellFormedJsonText(value) {
  const { text, problem } = jsonText(value)
  return { text: text?.replace(ESCAPED_SURROGATE, found => (found === '\\\\' ? found : '\ufffd')), problem }
}

/** @param {unknown} error */
function reason(error) {
  const given = /** @type {{ message?: unknown } | null | undefined} */ (error)?.message
  const message = typeof given === 'string' ? given : ''
  if (/circular|cyclic/i.test(message)) return 'it holds a cycle'
  if (/BigInt/.test(message)) return 'it holds a BigInt'
  if (error instanceof RangeError || /call stack/.test(message)) return 'it is nested too deeply'
  return 'one of its values throws when it is serialized'
}

module.exports = { argsText, jsonText, parsedArgs, wellFormedJsonText }
