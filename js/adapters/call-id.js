'use strict'

// The ids of a framework's calls.

const { randomUUID } = require('node:crypto')

/** What some servers put before a tool's name. */
const PREFIX = 'functions.'

/**
 * The id of a call: the framework's, or one that the core takes for no id, so that it knows the call by its content and turn. Some
 * providers send no id, or an empty one.
 * @param {string | null | undefined} id
 */
const callIdOf = id => id || `temp_${randomUUID()}`

/**
 * Whether the core knows a call with this id by its content and turn: `CallId::is_stable`.
 * @param {string} id
 * @param {string} name
 */
function isUnstable(id, name) {
  if (isShort(id) || id.includes('temp')) return true
  const rest = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id
  return rest.startsWith(name) && /^[:_]\d+$/.test(rest.slice(name.length))
}

/** Whether an id has at most eight characters; those beyond U+FFFF are two in its length. @param {string} id */
const isShort = id => id.length <= 8 || (id.length <= 16 && [...id].length <= 8)

module.exports = { callIdOf, isUnstable }
