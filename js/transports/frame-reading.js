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

/**
 * The arguments as the gate takes them. What is neither an object nor text goes on as JSON text, so that the gate
 * can say what is wrong with it.
 */
function argsOf(value) {
  if (value === undefined || value === null) return {}
  if (typeof value === 'string') return value
  return isPlain(value) ? value : jsonTextOf(value)
}

function jsonTextOf(value) {
  try {
    return JSON.stringify(value)
  } catch {
    return '[]' // a list too deep to write down is refused like any other list
  }
}

/**
 * A text that is equal for calls with equal names and arguments, whatever the order of their members; `null` where the
 * arguments are nested too deeply to compare.
 */
function signatureOf({ name, args }) {
  try {
    return JSON.stringify([name, args], (_key, value) => (isPlain(value) ? sortedMembers(value) : value))
  } catch {
    return null
  }
}

function isPlain(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortedMembers(value) {
  // A null prototype keeps a member named `__proto__` a member.
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
}

module.exports = { recordOf, listOf, textOf, argsOf, signatureOf }
