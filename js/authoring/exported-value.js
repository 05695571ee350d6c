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
  /** @type {Record<string, string>} */
  const names = { function: 'a function', string: 'a text' }
  return names[typeof value] ?? `a ${typeof value}`
}

module.exports = { defaultOf, described }
