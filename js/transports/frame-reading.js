'use strict'
// Reads members of untrusted frames, for any provider. The functions never throw.

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

module.exports = { recordOf, listOf, textOf }
