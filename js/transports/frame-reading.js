'use strict'
// Reading frames that may hold anything where a protocol promises something. Nothing here throws, and nothing here
// knows a provider.

/** An object whose members can be read, for whatever came. */
function recordOf(value) {
  return typeof value === 'object' && value !== null ? value : {}
}

function listOf(value) {
  return Array.isArray(value) ? value : []
}

/** The text, or `null` for anything else and for the empty text. */
function textOf(value) {
  return typeof value === 'string' && value !== '' ? value : null
}

module.exports = { recordOf, listOf, textOf }
