'use strict'

// The default export of a module, and what kind of value it is.

const { isStandardSchema } = require('../values/standard-schema.js')

/**
 * `exports.default` of a CommonJS module counts, which TypeScript and Babel write for `export default`. A schema of Zod has a
 * method of that name.
 * @param {import('../shared-types.js').JsonObject} namespace
 * @returns {any}
 */
const defaultOf = namespace =>
  isStandardSchema(namespace.default) ? namespace.default : (namespace.default?.default ?? namespace.default)

/** @param {unknown} value */
function described(value) {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isStandardSchema(value)) return 'a schema'
  if (typeof value === 'object') return 'then' in value && typeof value.then === 'function' ? 'a promise' : 'an object'
  if (typeof value === 'function') return describedFunction(value)
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

/** By its kind and its text: a module may be of another realm. @param {Function} value */
function describedFunction(value) {
  if (/Generator/.test(Object.prototype.toString.call(value))) return 'a generator'
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'a class' : 'a function'
}

module.exports = { defaultOf, described }
