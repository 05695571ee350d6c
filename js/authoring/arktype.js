'use strict'

// ArkType's converter: its Standard JSON Schema leaves out defaults, and turns what JSON does not have into `{}`.

const { COMPUTED, withMember } = require('./computed-default.js')
const { lostFlags, lostPart } = require('./lost-part.js')
const { isFlagged, removePatterns, visitSchemas } = require('./never-narrower.js')
const { memberOf, textOf } = require('../values/foreign.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./lost-part.js').LostPart} LostPart
 * @typedef {{ base: JsonObject, pattern?: string }} FallbackContext
 * @typedef {import('../values/standard-schema.js').StandardSchema & { toJsonSchema(options: object): JsonObject,
 *   internal?: { references?: ArkNode[] } }} ArkSchema
 * @typedef {{ kind: string, rule?: string, flags?: string, default?: unknown }} ArkNode `rule`: of a pattern
 */

const NOT_JSON = Symbol('a default that is computed')

/** @param {import('../values/standard-schema.js').StandardSchema} schema @returns {schema is ArkSchema} */
const isArkType = schema =>
  schema['~standard'].vendor === 'arktype' &&
  typeof (/** @type {Partial<ArkSchema>} */ (schema).toJsonSchema) === 'function'

/**
 * @param {ArkSchema} schema
 * @param {string} target
 * @returns {{ json: JsonObject, parts: LostPart[] }} `parts`: the code, without its place, which ArkType does not give
 */
function convertArkType(schema, target) {
  /** @type {LostPart[]} */
  const parts = []
  /** @param {string} what */
  const lost =
    what =>
    (/** @type {FallbackContext} */ { base }) => {
      parts.push(lostPart(what))
      return base
    }
  const kept = (/** @type {FallbackContext} */ { base }) => base
  const nodes = schema.internal?.references ?? []
  const computed = nodes.filter(node => typeof node.default === 'function')
  const options = {
    target,
    fallback: {
      morph: lost('a morph'),
      predicate: lost('a `narrow`'),
      defaultValue: (/** @type {{ value: unknown }} */ { value }) => {
        parts.push(value === NOT_JSON ? COMPUTED : lostPart('a default that is not JSON'))
        return undefined
      },
      patternIntersection: (/** @type {FallbackContext} */ { base, pattern }) => ({
        ...base,
        allOf: [...(base.allOf ?? []), { pattern }],
      }),
      // What the Standard JSON Schema of ArkType does for values that no JSON has.
      arrayObject: kept,
      symbolKey: kept,
      unit: kept,
    },
  }
  // The converter writes the value of a default's function, which may throw.
  const json = withMember(computed, 'default', NOT_JSON, () => schema.toJsonSchema(options))
  const flagged = nodes.filter(({ kind, flags }) => kind === 'pattern' && isFlagged(flags ?? ''))
  const sources = new Set(flagged.map(({ rule }) => String(rule)))
  visitSchemas(json, one => removePatterns(one, sources))
  return { json, parts: [...parts, ...flagged.map(({ flags }) => lostFlags(String(flags)))] }
}

/**
 * ArkType's message is the dumped context.
 * @param {unknown} cause
 * @returns {string | null} the name of what can't be converted; null if it is another error
 */
function arkTypeReason(cause) {
  if (memberOf(cause, 'name') !== 'ToJsonSchemaError') return null
  const code = memberOf(cause, 'code')
  return `JSON has no ${code === 'proto' ? 'instances of a class' : `\`${textOf(code)}\``}`
}

module.exports = { arkTypeReason, convertArkType, isArkType }
