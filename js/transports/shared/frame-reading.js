'use strict'
// Reads members of untrusted messages, for any provider. The functions never throw.

const { exactText } = require('../../values/json-text.js')

/** The longest id, and the longest name: far above those of all providers. */
const MAX_LABEL_LENGTH = 1024

/**
 * The value if it is an object, otherwise an empty object.
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function recordOf(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {}
}

/** @param {unknown} value @returns {unknown[]} */
function listOf(value) {
  return Array.isArray(value) ? value : []
}

/** The value if it is a text that is not empty, otherwise `null`. @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A tool's name. One that no tool has is cut: it is quoted and remembered. @param {unknown} value */
function nameOf(value) {
  const text = textOf(value)
  if (text === null || text.length <= MAX_LABEL_LENGTH) return text
  return copyOf(text.slice(0, MAX_LABEL_LENGTH))
}

/** A part of a text without the text: a slice would keep all of it in memory. @param {string} slice */
const copyOf = slice => Buffer.from(slice, 'utf16le').toString('utf16le')

/** The id of a message, an item or a call; one too long to be remembered counts as none. @param {unknown} value */
function idOf(value) {
  const text = textOf(value)
  return text === null || text.length > MAX_LABEL_LENGTH ? null : text
}

/** About the length of a value as text. @param {unknown} value */
function sizeOf(value) {
  if (typeof value === 'string') return value.length
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return Infinity
  }
}

/**
 * The arguments of a call as JSON text: a text unchanged, the joined pieces of a list of texts, the JSON of any other
 * value. Empty if there are none.
 * @param {unknown} value
 * @returns {string}
 */
function argumentsText(value) {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.length > 0 && value.every(piece => typeof piece === 'string')) return value.join('')
  const { text = '', problem } = exactText(value)
  // An SDK's object that JSON can't hold: the gate refuses the text.
  return problem === null ? text : '{unwritable'
}

/** Whether a JSON text is an object. @param {string} text */
const isObjectText = text => /^\s*\{/.test(text) && isJson(text)

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

module.exports = { argumentsText, copyOf, idOf, isJson, isObjectText, listOf, nameOf, recordOf, sizeOf, textOf }
