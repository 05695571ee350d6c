'use strict'

// Standard Schema (standardschema.dev): a schema of any library has the member `~standard`.

/**
 * @typedef {{ '~standard': { vendor: string, jsonSchema?: { input(options: object): object },
 *   validate?: (value: unknown) => unknown } }} StandardSchema
 */

/** @param {unknown} value some schemas are functions @returns {value is StandardSchema} */
const isStandardSchema = value =>
  value !== null &&
  (typeof value === 'object' || typeof value === 'function') &&
  typeof (/** @type {Partial<StandardSchema>} */ (value)['~standard']) === 'object'

module.exports = { isStandardSchema }
