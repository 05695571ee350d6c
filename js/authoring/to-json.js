'use strict'

// A value that an author wrote, as the JSON that it means. What JSON can't hold is refused, never dropped in silence.

const { isStandardSchema } = require('./standard.js')
const { AuthoringFailure, pointer } = require('./failure.js')

/** Deeper than any schema; a value in a circle never ends. */
const DEEPEST = 200

/**
 * @param {unknown} value
 * @returns {unknown} plain objects, lists, texts, numbers, booleans and null. A member that is `undefined` is absent.
 * @throws {AuthoringFailure}
 */
function toJson(value, names = []) {
  if (names.length > DEEPEST) throw refused(names.slice(0, 3), 'goes round in a circle')
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return finite(value, names)
  if (Array.isArray(value)) return value.map((item, index) => toJson(item, [...names, index]))
  if (isStandardSchema(value)) {
    throw refused(
      names,
      'is a schema within plain JSON',
      'write the whole of `parameters` as one schema, or all of it as JSON Schema',
    )
  }
  if (typeof value === 'object' && isPlain(value)) return members(value, names)
  throw refused(names, `is ${described(value)}, which JSON does not have`)
}

function finite(value, names) {
  if (Number.isFinite(value)) return value
  throw refused(names, `is ${value}, which JSON does not have`)
}

function members(value, names) {
  const present = Object.entries(value).filter(([, member]) => member !== undefined)
  // Defined, not assigned: a member may be called `__proto__`.
  return Object.fromEntries(present.map(([name, member]) => [name, toJson(member, [...names, name])]))
}

/** Of any realm: an object whose prototype, if it has one, is an `Object.prototype`. */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function described(value) {
  if (typeof value === 'object') return `a ${value.constructor?.name || 'special object'}`
  return { undefined: 'undefined', bigint: 'a BigInt' }[typeof value] ?? `a ${typeof value}`
}

function refused(names, what, help = 'write texts, numbers, true, false, null, lists and plain objects') {
  const at = pointer(names)
  return new AuthoringFailure({ kind: 'module', pointer: at, message: `\`${at}\` ${what}`, help })
}

module.exports = { toJson }
