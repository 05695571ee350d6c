'use strict'

// Standard Schema (standardschema.dev): a schema of any library has the member `~standard`. A validator that TypeBox has compiled
// is given one.

const { pointerNames } = require('./json-pointer.js')

/**
 * @typedef {{ '~standard': { vendor: string, jsonSchema?: { input(options: object): object },
 *   validate?: (value: unknown) => unknown } }} StandardSchema
 * @typedef {{ message: string, path?: string, instancePath?: string }} TypeBoxError
 * @typedef {{ Check(value: unknown): boolean, Decode(value: unknown): unknown, Errors(value: unknown): Iterable<TypeBoxError>,
 *   Schema?(): object, Type?(): object }} CompiledTypeBox `Schema` in TypeBox 0.x, `Type` in 1.x
 */

/** @param {unknown} value some schemas are functions @returns {value is StandardSchema} */
const isStandardSchema = value =>
  value !== null &&
  (typeof value === 'object' || typeof value === 'function') &&
  typeof (/** @type {Partial<StandardSchema>} */ (value)['~standard']) === 'object'

/** @param {unknown} value @returns {StandardSchema | undefined} */
const asStandardSchema = value =>
  isStandardSchema(value) ? value : isCompiledTypeBox(value) ? standardTypeBox(value) : undefined

/** @param {any} value @returns {value is CompiledTypeBox} */
const isCompiledTypeBox = value =>
  [value?.Check, value?.Decode, value?.Errors, value?.Schema ?? value?.Type].every(one => typeof one === 'function')

/** @param {CompiledTypeBox} compiled @returns {StandardSchema} */
const standardTypeBox = compiled => ({
  '~standard': {
    vendor: 'typebox',
    jsonSchema: { input: () => /** @type {object} */ ((compiled.Schema ?? compiled.Type)?.call(compiled)) },
    // `Decode` of 1.x converts what does not fit: the check comes first.
    validate: value =>
      compiled.Check(value)
        ? { value: compiled.Decode(value) }
        : { issues: Array.from(compiled.Errors(value), issueOf) },
  },
})

/** @param {TypeBoxError} error */
const issueOf = ({ message, path, instancePath }) => ({ message, path: pointerNames(path ?? instancePath ?? '') })

module.exports = { asStandardSchema, isStandardSchema }
