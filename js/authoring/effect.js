'use strict'

// Effect's Standard JSON Schema contains no code: neither of a transformation nor of a check without a JSON Schema. Both are
// found in the schema's syntax tree, beside the JSON Schema that was made of it.

const { pointer, pointerNames } = require('../values/json-pointer.js')
const { lostPart } = require('./lost-part.js')
const { widenLength } = require('./never-narrower.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./lost-part.js').LostPart} LostPart
 * @typedef {import('./lost-part.js').PlacedPart} PlacedPart
 * @typedef {JsonObject & { _tag: string }} Ast
 * @typedef {{ _tag: string, checks?: Check[], annotations?: { representation?: { id: string, payload: any } } }} Check
 * @typedef {{ root: JsonObject, references: Set<string> }} Walk `references`: those that were looked into
 */

/** How Effect gives the JSON Schema and the code of one schema, which takes what JSON has. */
const EFFECT = '`Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(schema)))` of Effect 4'

/** Whether a value is a schema of Effect that is not a Standard Schema yet. @param {unknown} value */
const isBareEffect = value =>
  value !== null &&
  (typeof value === 'object' || typeof value === 'function') &&
  ('~effect/Schema/Schema' in value || Symbol.for('effect/Schema') in value) &&
  !('~standard' in value)

/**
 * Effect writes `additionalProperties: true` into every struct, and drops such properties.
 * @param {any} json
 * @returns {any}
 */
function withoutExcess(json) {
  if (Array.isArray(json)) return json.map(withoutExcess)
  if (typeof json !== 'object' || json === null) return json
  const members = Object.entries(json).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === true && json.properties !== undefined),
  )
  return Object.fromEntries(members.map(([name, value]) => [name, withoutExcess(value)]))
}

/**
 * @param {unknown} schema of Effect
 * @param {JsonObject} given the JSON Schema that Effect made
 * @returns {{ json: JsonObject, parts: PlacedPart[] }} `at`: JSON Pointer within the JSON Schema
 */
function convertEffect(schema, given) {
  const json = withoutExcess(given)
  const { ast } = /** @type {{ ast?: Ast }} */ (schema)
  return { json, parts: ast === undefined ? [] : [...lostIn(ast, [], json, { root: json, references: new Set() })] }
}

/**
 * @param {Ast} ast
 * @param {string[]} names the path in the JSON Schema
 * @param {JsonObject | undefined} at the JSON Schema there
 * @param {Walk} walk
 * @returns {Generator<PlacedPart>}
 */
function* lostIn(ast, names, at, walk) {
  const json = resolved(at, walk)
  // A reference that was looked into, or a part that the JSON Schema does not have.
  if (json === undefined) return
  const part = lostAt(ast, json)
  if (part !== null) yield { at: pointer(names), part }
  for (const [below, inner] of innerSchemas(ast)) {
    const member = below.reduce((value, name) => value?.[name], json)
    yield* lostIn(inner, [...names, ...below], member, walk)
  }
}

/** @param {JsonObject | undefined} json @param {Walk} walk @returns {JsonObject | undefined} */
function resolved(json, { root, references }) {
  const reference = json?.$ref
  if (typeof reference !== 'string') return json
  if (references.has(reference)) return undefined
  references.add(reference)
  const [, name] = pointerNames(reference)
  return root.$defs?.[/** @type {string} */ (name)]
}

/** @param {Ast} ast @param {JsonObject} json @returns {LostPart | null} */
function lostAt(ast, json) {
  if (ast.encoding !== undefined) return lostByEncoding(ast)
  if (isNotJson(ast, json)) {
    const fact = 'the JSON Schema takes values here that the schema refuses'
    return { what: 'a type that JSON does not have', fact, help: `write ${EFFECT}` }
  }
  const code = [...checksOf(ast.checks)].find(check => !isTold(check, ast, json))
  return code === undefined ? null : lostPart(nameOf(code))
}

/** Types whose JSON is that of `Schema.toCodecJson`. */
const NOT_JSON = new Set(['Declaration', 'BigInt', 'Symbol', 'UniqueSymbol', 'Undefined', 'Void'])

/** The JSON Schema of a number has the names of the infinite ones. @param {Ast} ast @param {JsonObject} json */
const isNotJson = ({ _tag: tag }, json) => NOT_JSON.has(tag) || (tag === 'Number' && json.anyOf !== undefined)

/** @param {Ast} ast @returns {LostPart | null} */
function lostByEncoding(ast) {
  const { to } = ast.encoding[0]
  if (isInstance(ast, to) || ast._tag === 'Undefined' || isNumberOrName(to)) {
    const code = [...checksOf(ast.checks)][0]
    return code === undefined ? null : lostPart(nameOf(code))
  }
  const isDefault = to.context?.isOptional === true && ast.context?.isOptional !== true
  return lostPart(isDefault ? 'a default' : 'a transformation')
}

/** A class: its instances are made of the struct that the JSON Schema describes. @param {Ast} ast @param {Ast} to */
const isInstance = (ast, to) => ast._tag === 'Declaration' && to._tag === 'Objects'

/** What `Schema.toCodecJson` makes of a number. @param {Ast} to */
const isNumberOrName = to =>
  to._tag === 'Union' &&
  to.types.every(
    (/** @type {Ast} */ one) =>
      one._tag === 'Number' || (one._tag === 'Literal' && ['Infinity', '-Infinity', 'NaN'].includes(one.literal)),
  )

/** @param {Check[] | undefined} checks @returns {Generator<Check>} */
function* checksOf(checks = []) {
  for (const check of checks) {
    if (check._tag === 'FilterGroup') yield* checksOf(check.checks)
    else yield check
  }
}

/** Whether the JSON Schema has a check. @param {Check} check @param {Ast} ast @param {JsonObject} json */
function isTold({ annotations }, ast, json) {
  const { id, payload } = annotations?.representation ?? {}
  if (id === undefined || !id.startsWith('effect/schema/')) return false
  // A number that may be infinite has a union without bounds.
  if (ast._tag === 'Number') return json.anyOf === undefined
  if (id.endsWith('/isPattern')) return tellPattern(json, payload)
  // Effect counts UTF-16 units, so its JSON Schema has half of the least length.
  if (json.type === 'string' && typeof payload?.minLength === 'number') widenLength(json, payload.minLength)
  return true
}

/**
 * The JSON Schema of Effect has its own patterns only.
 * @param {JsonObject} json
 * @param {{ source: string, flags: string }} pattern
 */
function tellPattern(json, { source, flags }) {
  if (json.type !== 'string' || flags.replace(/[dgu]/g, '') !== '') return false
  if (json.pattern !== source) json.allOf = [...(json.allOf ?? []), { pattern: source }]
  return true
}

/** @param {Check} check */
const nameOf = ({ annotations }) => {
  const name = annotations?.representation?.id.split('/').at(-1)
  return name === undefined ? 'a filter' : `\`${name}\``
}

/** @param {Ast} ast @returns {Generator<[below: string[], inner: Ast]>} */
function* innerSchemas(ast) {
  if (ast.encoding !== undefined) {
    yield [[], ast.encoding.at(-1).to]
    return
  }
  for (const { name, type } of ast.propertySignatures ?? []) yield [['properties', String(name)], type]
  for (const { type } of ast.indexSignatures ?? []) yield [['additionalProperties'], type]
  for (const [index, element] of (ast.elements ?? []).entries()) yield [['prefixItems', String(index)], element]
  for (const element of ast.rest ?? []) yield [['items'], element]
  if (ast._tag === 'Union') for (const [index, one] of ast.types.entries()) yield [['anyOf', String(index)], one]
  if (ast._tag === 'Suspend') yield [[], ast.thunk()]
}

module.exports = { EFFECT, convertEffect, isBareEffect }
