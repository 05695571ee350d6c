'use strict'
// Reads members of untrusted messages, for any provider. The functions never throw.

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
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // An SDK's object that JSON can't hold: the gate refuses the text.
    return '{unwritable'
  }
}

/** Whether a JSON text is an object. @param {string} text */
function isObjectText(text) {
  if (!/^\s*\{/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

module.exports = { argumentsText, isObjectText, listOf, recordOf, textOf }
