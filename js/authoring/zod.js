'use strict'

// Special cases of Zod 4: the converter for schemas that have none (zod/mini), coerced values, and defaults.

const { isDeepStrictEqual } = require('node:util')

const { COMPUTED, isComputed, withMember } = require('./computed-default.js')
const { AuthoringFailure } = require('./failure.js')
const { pointer } = require('../values/json-pointer.js')
const { lostFinding, unique } = require('./lost-part.js')
const { lostParts } = require('./zod-lost.js')
const { correctFormat } = require('./zod-patterns.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {import('../values/standard-schema.js').StandardSchema} StandardSchema
 * @typedef {StandardSchema & { _zod: { def: JsonObject } }} ZodSchema `def`: Zod's definition, of any kind of schema
 * @typedef {{ zodSchema: ZodSchema, jsonSchema: JsonObject, path: PropertyKey[] }} ConvertedNode
 * @typedef {{ override(node: ConvertedNode): void, unrepresentable: 'any' }} ConverterOptions
 */

/** @param {StandardSchema} schema @returns {schema is ZodSchema} */
const isZod = schema => /** @type {Partial<ZodSchema>} */ (schema)._zod?.def !== undefined
/** @param {StandardSchema} schema */
const isOldZod = schema => schema['~standard'].vendor === 'zod' && !isZod(schema)

/**
 * @param {ZodSchema} schema
 * @param {{ at: string, target: string, runs: import('./lost-part.js').CodeRuns,
 *   from: (name: string) => Promise<JsonObject> }} options `at`: JSON Pointer; `from` imports a package as resolved from
 *   the author's module
 * @returns {Promise<{ json: JsonObject, lost: FailureDetails[] }>}
 */
async function convert(schema, { at, target, runs, from }) {
  const core = await from('zod/v4/core').catch(() => null)
  /** @type {FailureDetails[]} */
  const lost = []
  const computed = new Set(defaultsOf(schema).filter(def => isComputed(() => def.defaultValue)))
  /** @param {ConvertedNode} node */
  const override = node => {
    representCoerced(node)
    if (computed.has(node.zodSchema._zod.def)) {
      delete node.jsonSchema.default
      lost.push(lostFinding(at + pointer(node.path), COMPUTED, runs))
    }
    for (const part of lostParts(node.zodSchema)) lost.push(lostFinding(at + pointer(node.path), part, runs))
    correctFormat(node.jsonSchema, node.zodSchema._zod.def, core?.regexes)
    // Zod makes one object of the parts, and loses that a part is open.
    if (node.zodSchema._zod.def.type === 'intersection' && isLoose(node.zodSchema))
      node.jsonSchema.additionalProperties = {}
    if (runs === 'at-call-time') removeOutputDefault(node)
  }
  const { jsonSchema } = schema['~standard']
  /** @type {(one: ZodSchema, options: ConverterOptions) => JsonObject} */
  const toJsonSchema =
    typeof jsonSchema?.input === 'function'
      ? (one, libraryOptions) => jsonSchemaOf(one).input({ target, libraryOptions })
      : (one, options) => core?.toJSONSchema(one, { target, io: 'input', ...options })
  if (typeof jsonSchema?.input !== 'function' && typeof core?.toJSONSchema !== 'function') {
    throw new AuthoringFailure({
      kind: 'conversion',
      pointer: at,
      message: "Zod's converter is not installed",
      help: 'install `zod` 4 beside the tools',
    })
  }
  // Zod writes the value of each default, and a computed one may throw.
  /** @type {typeof toJsonSchema} */
  const converted = (one, options) => withMember(computed, 'defaultValue', null, () => toJsonSchema(one, options))
  try {
    return {
      json: JSON.parse(JSON.stringify(converted(schema, { override, unrepresentable: 'any' }))),
      lost: unique(lost),
    }
  } catch (cause) {
    const culprit =
      at + culpritOf(schema, one => converted(one, { override: representCoerced, unrepresentable: 'any' }))
    throw new AuthoringFailure({
      kind: 'conversion',
      pointer: culprit,
      message: `there is no JSON Schema for it: ${/** @type {Partial<Error> | null} */ (cause)?.message ?? cause}`,
      help: `use a type that JSON has${instead(cause)}`,
    })
  }
}

/**
 * The definitions of all defaults in a schema.
 * @param {ZodSchema} schema
 * @returns {JsonObject[]}
 */
function defaultsOf(schema) {
  const seen = new Set()
  /** @type {JsonObject[]} */
  const found = []
  const waiting = [/** @type {unknown} */ (schema)]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const { _zod } = /** @type {Partial<ZodSchema> & { _zod?: { innerType?: unknown } }} */ (value)
    if (_zod?.def === undefined) {
      waiting.push(...Object.values(value))
      continue
    }
    const { defaultValue, ...others } = Object.getOwnPropertyDescriptors(_zod.def)
    if (DEFAULTS.has(_zod.def.type)) found.push(_zod.def)
    waiting.push(...Object.keys(others).map(name => _zod.def[name]))
    if (_zod.def.type === 'lazy') waiting.push(_zod.innerType)
  }
  return found
}

const DEFAULTS = new Set(['default', 'prefault'])
const ANYTHING = new Set(['any', 'unknown'])

/** Whether an object, or a part of an intersection, takes members that it does not name. @param {ZodSchema} schema @returns {boolean} */
function isLoose({ _zod: { def } }) {
  if (def.type === 'object') return ANYTHING.has(def.catchall?._zod.def.type)
  return [def.left, def.right, def.innerType].some(inner => inner !== undefined && isLoose(inner))
}

/** @type {Record<string, string>} */
const INSTEAD = {
  date: ': for a date `z.coerce.date()`, or a codec from `z.iso.datetime()`',
  bigint: ': for a large number `z.coerce.bigint()`, which takes a text of digits',
  map: ': for a map `z.record(z.string(), …)`',
  set: ': for a set `z.array(…)`',
  undefined: ': for an argument that may be absent `.optional()`',
  void: ': for an argument that may be absent `.optional()`',
}
/** @param {unknown} cause whose message quotes the type */
const instead = cause => INSTEAD[/`(\w+)` is not JSON/.exec(String(cause))?.[1] ?? ''] ?? ''

/** @param {StandardSchema} schema */
const jsonSchemaOf = schema =>
  /** @type {NonNullable<StandardSchema['~standard']['jsonSchema']>} */ (schema['~standard'].jsonSchema)

/**
 * The pointer of the innermost member that can't be converted by itself: Zod's message does not contain it.
 * @param {ZodSchema} schema
 * @param {(one: ZodSchema) => JsonObject} toJsonSchema
 * @param {string[]} [names]
 * @returns {string}
 */
function culpritOf(schema, toJsonSchema, names = []) {
  for (const [below, member] of membersOf(schema._zod.def)) {
    try {
      toJsonSchema(member)
    } catch {
      return culpritOf(member, toJsonSchema, [...names, ...below])
    }
  }
  return pointer(names)
}

/** @param {JsonObject} def @returns {[below: string[], member: ZodSchema][]} */
function membersOf(def) {
  if (def.type === 'object') return Object.entries(def.shape).map(([name, member]) => [['properties', name], member])
  if (def.type === 'array') return [[['items'], def.element]]
  if (def.innerType !== undefined) return [[[], def.innerType]]
  return []
}

/** What JSON does not have. A coerced date or number has a text in JSON. */
const NOT_JSON = new Set([
  'bigint',
  'symbol',
  'undefined',
  'void',
  'date',
  'transform',
  'custom',
  'function',
  'map',
  'set',
  'nan',
])
/** @type {Record<string, JsonObject>} */
const COERCED = {
  date: { type: 'string', format: 'date-time' },
  bigint: { type: 'string', pattern: '^-?[0-9]+$' },
}

/** @param {ConvertedNode} node @throws {Error} for what JSON does not have */
function representCoerced({ zodSchema: { _zod }, jsonSchema }) {
  const { def } = _zod
  if (def.coerce === true && Object.hasOwn(COERCED, def.type)) return Object.assign(jsonSchema, COERCED[def.type])
  const values = def.type === 'literal' ? def.values : []
  const other = values.find((/** @type {unknown} */ value) => value === undefined || typeof value === 'bigint')
  if (!NOT_JSON.has(def.type) && !values.includes(other)) return undefined
  throw new Error(`\`${values.length > 0 ? String(other) : def.type}\` is not JSON`)
}

/**
 * Removes a default that the schema itself would change or refuse, as after a transform: Zod fills it in at call time, when
 * nothing changes it.
 * @param {ConvertedNode} node
 */
function removeOutputDefault({ zodSchema: { _zod }, jsonSchema }) {
  if (_zod.def.type !== 'default' || jsonSchema.default === undefined) return
  // The compiler reports a default that is none of the values: no schema changes those.
  const { def } = _zod.def.innerType._zod
  if (!['enum', 'literal'].includes(def.type) && !isKept(_zod.def.innerType, jsonSchema.default))
    delete jsonSchema.default
}

/** @param {ZodSchema} schema @param {unknown} value */
function isKept(schema, value) {
  try {
    const result = /** @type {{ value?: unknown }} */ (schema['~standard'].validate?.(value) ?? {})
    return isDeepStrictEqual(result.value, value)
  } catch {
    return false
  }
}

module.exports = { convert, isOldZod, isZod }
