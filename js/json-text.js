'use strict'

const { isUtf8 } = require('node:buffer')
const { isUint8Array } = require('node:util/types')

// What JavaScript has, as JSON text for the core; and why it can't be, in words that name no internals.

/** An unpaired half of a character: text that no encoding of it can carry. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

const escaped = half => `\\u${half.charCodeAt(0).toString(16)}`

/**
 * A call's arguments as text.
 * @param {unknown} args a provider's JSON text, as a string or as its bytes, or a value
 * @returns {{ text: string, problem: string | null }}
 */
function argsText(args) {
  if (typeof args === 'string') {
    // Written as an escape, the core sees the half and says where it stands; converted to UTF-8 it would be lost.
    return { text: args.isWellFormed() ? args : args.replace(LONE_SURROGATE, escaped), problem: null }
  }
  if (args === undefined || args === null) return { text: '', problem: null }
  if (isUint8Array(args)) return textOf(args)
  const { text, problem } = jsonText(args)
  return { text: text ?? '', problem: problem ?? (text === undefined ? `${typeof args} is not JSON` : null) }
}

function textOf(bytes) {
  if (!isUtf8(bytes)) return { text: '', problem: 'its bytes are not UTF-8' }
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(), problem: null }
}

/**
 * Arguments that a provider's client has parsed, for the gate: an object as it is, anything else as its JSON text, so that it
 * is refused. A bare string would be taken for such text, and a call that the model encoded twice would run.
 */
function parsedArgs(value) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? value : JSON.stringify(value)
}

/**
 * @param {unknown} value
 * @returns {{ text: string | undefined, problem: string | null }} no text and no problem for what JSON leaves out
 */
function jsonText(value) {
  try {
    return { text: JSON.stringify(value), problem: null }
  } catch (error) {
    return { text: undefined, problem: reason(error) }
  }
}

/** In JSON text as `JSON.stringify` writes it: an escaped backslash, or half a character. */
const ESCAPED_HALF = /\\\\|\\ud[89a-f][0-9a-f]{2}/g

/** As `jsonText`, with U+FFFD for half characters: the core's strings are UTF-8 and have no place for one. */
function wholeJsonText(value) {
  const { text, problem } = jsonText(value)
  return { text: text?.replace(ESCAPED_HALF, found => (found === '\\\\' ? found : '\ufffd')), problem }
}

function reason(error) {
  const message = typeof error?.message === 'string' ? error.message : ''
  if (/circular|cyclic/i.test(message)) return 'it holds a cycle'
  if (/BigInt/.test(message)) return 'it holds a BigInt'
  if (error instanceof RangeError || /call stack/.test(message)) return 'it is nested too deeply'
  return 'one of its values refuses to be written'
}

module.exports = { argsText, jsonText, parsedArgs, wholeJsonText }
