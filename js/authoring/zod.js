'use strict'

// Special cases of Zod 4: the converter for schemas that have none (zod/mini), the parts that its JSON Schema silently
// omits, and the patterns of its formats.

const { AuthoringFailure, pointer } = require('./failure.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {import('./standard.js').StandardSchema} StandardSchema
 * @typedef {StandardSchema & { _zod: { def: JsonObject } }} ZodSchema `def`: Zod's definition, of any kind of schema
 * @typedef {{ zodSchema: ZodSchema, jsonSchema: JsonObject, path: PropertyKey[] }} ConvertedNode
 * @typedef {{ override?: (node: ConvertedNode) => void }} ConverterOptions
 */

/** @param {StandardSchema} schema @returns {schema is ZodSchema} */
const isZod = schema => /** @type {Partial<ZodSchema>} */ (schema)._zod?.def !== undefined
/** @param {StandardSchema} schema */
const isOldZod = schema => schema['~standard'].vendor === 'zod' && !isZod(schema)

/**
 * @param {ZodSchema} schema
 * @param {{ at: string, target: string, from: (name: string) => Promise<JsonObject> }} options `at`: JSON Pointer; `from`
 *   imports a package as resolved from the author's module
 * @returns {Promise<{ json: JsonObject, lost: FailureDetails[] }>}
 */
async function convert(schema, { at, target, from }) {
  const core = await from('zod/v4/core').catch(() => null)
  /** @type {FailureDetails[]} */
  const lost = []
  /** @param {ConvertedNode} node */
  const override = node => {
    lost.push(...lostAt(node.zodSchema, at + pointer(node.path)))
    removeRedundantPattern(node, core?.regexes)
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
  try {
    return { json: JSON.parse(JSON.stringify(toJsonSchema(schema, { override }))), lost: unique(lost) }
  } catch (cause) {
    const culprit = at + culpritOf(schema, one => toJsonSchema(one, {}))
    throw new AuthoringFailure({
      kind: 'conversion',
      pointer: culprit,
      message: `there is no JSON Schema for it: ${/** @type {Partial<Error> | null} */ (cause)?.message ?? cause}`,
      help: 'use a type that JSON has, such as `z.iso.datetime()` for a date, and convert the value in the handler',
    })
  }
}

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

/**
 * The parts that run only in Zod's own parse: the gate validates by the JSON Schema and passes the model's arguments
 * on.
 * @param {ZodSchema} schema
 * @param {string} at
 * @returns {Generator<FailureDetails>}
 */
function* lostAt({ _zod: { def } }, at) {
  if (def.type === 'pipe' && [def.in, def.out].some(side => side._zod.def.type === 'transform'))
    yield lostPart(at, 'a transform', 'changes nothing')
  if (def.type === 'catch') yield lostPart(at, '`catch`', 'replaces nothing')
  for (const {
    _zod: { def: check },
  } of def.checks ?? []) {
    if (check.check === 'custom') yield lostPart(at, 'a refinement', 'checks nothing')
    if (check.check === 'overwrite') yield lostPart(at, 'an overwrite such as `trim`', 'changes nothing')
    if (check.format === 'regex' && /[ims]/.test(check.pattern.flags))
      yield lostPart(at, `the flags \`${check.pattern.flags}\` of a pattern`, 'are not there')
  }
}

/** @param {string} at @param {string} what @param {string} effect @returns {FailureDetails} */
const lostPart = (at, what, effect) => ({
  kind: 'lost',
  pointer: at,
  message: `${what} is not part of the JSON Schema and ${effect} here`,
  help: 'express it in JSON Schema, or do it in the handler',
})

/** Reports a schema that is used twice at one place only. @param {FailureDetails[]} lost */
const unique = lost => [...new Map(lost.map(one => [`${one.pointer} ${one.message}`, one])).values()]

/**
 * Formats that the gate asserts by itself, with the patterns that Zod adds to them.
 * @type {Record<string, string>}
 */
const OWN_PATTERNS = { email: 'email', duration: 'duration', hostname: 'hostname' }

/**
 * Removes redundant patterns and formats. Some of Zod's own patterns use look-around, which the gate's linear-time
 * patterns do not support; they repeat the format, so only the format is kept. A format that only Zod defines is
 * removed if a pattern expresses the same.
 * @param {ConvertedNode} node
 * @param {Record<string, RegExp> | undefined} regexes
 */
function removeRedundantPattern({ jsonSchema }, regexes) {
  const { format, pattern } = jsonSchema
  if (format === undefined || pattern === undefined) return
  const own = Object.hasOwn(OWN_PATTERNS, format) ? regexes?.[OWN_PATTERNS[format]]?.source : undefined
  if (pattern === own && pattern.includes('(?') && /\(\?<?[=!]/.test(pattern)) delete jsonSchema.pattern
  if (!STANDARD_FORMATS.has(format)) delete jsonSchema.format
}

/** JSON Schema Validation, draft 2020-12, section 7.3. */
const STANDARD_FORMATS = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'idn-hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'iri',
  'iri-reference',
  'uuid',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
])

module.exports = { convert, isOldZod, isZod }
