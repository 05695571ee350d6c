'use strict'

// Valibot's converter refuses an action that is code, and ignores what follows a transformation. Here both are reported, and
// run at call time.

const { COMPUTED, withMember } = require('./computed-default.js')
const { pointer } = require('../values/json-pointer.js')
const { lostPart } = require('./lost-part.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./lost-part.js').LostPart} LostPart
 * @typedef {import('./lost-part.js').PlacedPart} PlacedPart
 * @typedef {JsonObject & { type: string, kind: string }} Item a schema or an action of Valibot
 */

/** Their formats in JSON Schema have another grammar: a zone and seconds, days that exist, other characters. */
const OWN_PATTERNS = new Set(['iso_date', 'iso_date_time', 'iso_time', 'iso_timestamp', 'rfc_email'])

/** The deepest schema that is looked into: a lazy one can be endless. */
const MAX_DEPTH = 50

/**
 * @param {Item} schema
 * @param {(schema: Item, options: object) => JsonObject} toJsonSchema of `@valibot/to-json-schema`
 * @param {string} target
 * @returns {{ json: JsonObject, parts: PlacedPart[] }} `at`: JSON Pointer within the JSON Schema
 */
function convertValibot(schema, toJsonSchema, target) {
  /** @type {Set<Item>} */
  const refused = new Set()
  const computed = [...schemasIn(schema, new Set())].filter(hasComputedDefault)
  const options = {
    target,
    typeMode: 'input',
    overrideAction: (/** @type {{ valibotAction: Item, jsonSchema: JsonObject, errors?: unknown }} */ given) => {
      const { valibotAction: action, jsonSchema, errors } = given
      if (OWN_PATTERNS.has(action.type))
        return { ...given.jsonSchema, format: undefined, pattern: action.requirement.source }
      if (!errors) return undefined
      const pattern = patternOf(action)
      if (pattern !== null) return { ...jsonSchema, allOf: [...(jsonSchema.allOf ?? []), { pattern }] }
      refused.add(action)
      // A pattern without its flags would refuse what the library takes.
      return action.type === 'regex' ? { ...jsonSchema, pattern: undefined } : jsonSchema
    },
  }
  // A recursive schema is made anew each time.
  const overrideSchema = (/** @type {{ valibotSchema: Item, jsonSchema: JsonObject }} */ given) => {
    const { default: value, ...others } = given.jsonSchema
    if (hasComputedDefault(given.valibotSchema)) return others
    return given.valibotSchema.type === 'loose_object' ? { ...given.jsonSchema, additionalProperties: true } : undefined
  }
  // The converter calls the function of a default, which may throw.
  const json = withMember(computed, 'default', undefined, () => toJsonSchema(schema, { ...options, overrideSchema }))
  return { json, parts: [...lostIn(schema, [], refused)] }
}

/**
 * The pattern of an action that Valibot's converter takes only once for a text.
 * @param {Item} action
 * @returns {string | null}
 */
function patternOf({ type, requirement }) {
  if (requirement instanceof RegExp) return requirement.flags.replace(/[gu]/g, '') === '' ? requirement.source : null
  if (typeof requirement !== 'string') return null
  const text = requirement.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\\-', '-')
  /** @type {Record<string, string>} */
  const patterns = { starts_with: `^${text}`, ends_with: `${text}$`, includes: text }
  return Object.hasOwn(patterns, type) ? patterns[type] : null
}

/**
 * @param {Item} schema
 * @param {string[]} names the path in the JSON Schema
 * @param {Set<Item>} refused
 * @returns {Generator<PlacedPart>}
 */
function* lostIn(schema, names, refused) {
  if (names.length > MAX_DEPTH) return
  const at = pointer(names)
  if ('fallback' in schema) {
    yield {
      at,
      part: {
        what: '`fallback`',
        fact: '`fallback` replaces nothing that the JSON Schema refuses, such as another type',
      },
    }
  }
  if (hasComputedDefault(schema)) yield { at, part: COMPUTED }
  for (const action of (schema.pipe ?? []).slice(1)) {
    if (action.kind === 'schema') yield { at, part: lostPart('a second schema of a pipe') }
    else if (action.kind === 'transformation' || refused.has(action)) yield { at, part: lostPart(`\`${action.type}\``) }
  }
  for (const [below, inner] of innerSchemas(schema)) yield* lostIn(inner, [...names, ...below], refused)
}

/** @param {Item} schema */
const hasComputedDefault = schema => typeof schema.default === 'function'

/** @param {Item} schema @param {Set<Item>} seen @returns {Generator<Item>} */
function* schemasIn(schema, seen) {
  if (seen.has(schema)) return
  seen.add(schema)
  yield schema
  for (const [, inner] of innerSchemas(schema)) yield* schemasIn(inner, seen)
  for (const inner of schema.pipe?.slice(1) ?? []) if (inner.kind === 'schema') yield* schemasIn(inner, seen)
  if (schema.type === 'lazy') yield* schemasIn(schema.getter(undefined), seen)
}

/** @param {Item} schema @returns {Generator<[below: string[], inner: Item]>} */
function* innerSchemas(schema) {
  for (const [name, entry] of Object.entries(schema.entries ?? {})) yield [['properties', name], entry]
  if (schema.item !== undefined) yield [['items'], schema.item]
  for (const [index, item] of (schema.items ?? []).entries()) yield [['prefixItems', String(index)], item]
  if (schema.type === 'record') yield [['additionalProperties'], schema.value]
  const word = schema.type === 'intersect' ? 'allOf' : schema.type === 'variant' ? 'oneOf' : 'anyOf'
  for (const [index, option] of (schema.options ?? []).entries())
    if (typeof option === 'object' && option !== null) yield [[word, String(index)], option]
  if (schema.wrapped !== undefined) yield [[], schema.wrapped]
}

module.exports = { convertValibot }
