'use strict'

// Looks at values that others made: what a handler threw, what a library or a listener returned. A revoked proxy, a getter or a
// conversion that throws is such a value too, and a check that throws would end the process. Nothing here throws.

/** What stands for a value that can't be written as text. */
const UNREADABLE = 'a value that cannot be read'

/**
 * A member; undefined if it can't be read.
 * @param {unknown} value
 * @param {PropertyKey} name
 * @returns {unknown}
 */
function memberOf(value, name) {
  try {
    return /** @type {Record<PropertyKey, unknown> | null | undefined} */ (value)?.[name]
  } catch {
    return undefined
  }
}

/**
 * @template T
 * @param {unknown} value
 * @param {abstract new (...args: any[]) => T} type
 * @returns {value is T}
 */
function isInstance(value, type) {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
const isThenable = value => typeof memberOf(value, 'then') === 'function'

/** @param {unknown} value */
function textOf(value) {
  try {
    return String(value)
  } catch {
    return UNREADABLE
  }
}

/** What an error says, whatever was thrown. @param {unknown} error */
function messageOf(error) {
  const message = memberOf(error, 'message')
  return typeof message === 'string' ? message : textOf(error)
}

module.exports = { isInstance, isThenable, memberOf, messageOf, textOf }
