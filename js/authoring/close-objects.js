'use strict'

// Closes objects that do not define whether they take additional properties, so that a call with an invented argument
// is refused. In schema libraries a plain object drops such properties silently.

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {{ composed: boolean, root: JsonObject, shared: Set<string> }} CloseContext `composed`: the schema is a part
 *   of a composed one; `shared`: references to definitions that are parts
 */

/**
 * @param {JsonObject} schema JSON Schema that a library generated
 * @returns {JsonObject} the same, changed in context: an object with `properties` has `additionalProperties: false` unless
 *   it sets the keyword; a composed object has `unevaluatedProperties: false`, because each part names only its own
 *   properties
 */
function closeObjects(schema) {
  close(schema, { composed: false, root: schema, shared: sharedParts(schema) })
  return schema
}

/** @param {unknown} schema @param {CloseContext} context */
function close(schema, context) {
  if (!isObject(schema)) return
  const parts = partsOf(schema)
  for (const part of parts) close(part, { ...context, composed: true })
  const whole = { ...context, composed: false }
  // Alternatives beside `properties` are parts as well.
  const alternatives = [...listed(schema.anyOf), ...listed(schema.oneOf)]
  const beside = context.composed || isObject(schema.properties)
  for (const one of alternatives) close(one, beside ? { ...context, composed: true } : whole)
  for (const inner of innerSchemas(schema)) close(inner, whole)
  for (const [name, definition] of Object.entries(schema.$defs ?? {}))
    close(definition, { ...whole, composed: context.shared.has(`#/$defs/${name}`) })
  if (!context.composed) closeOne(schema, parts.length > 0 || (isObject(schema.properties) && alternatives.length > 0))
}

/** @param {JsonObject} schema @param {boolean} isComposed */
function closeOne(schema, isComposed) {
  if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) return
  if (isComposed && mayBeObject(schema)) schema.unevaluatedProperties = false
  else if (isObject(schema.properties)) schema.additionalProperties = false
}

/** A text can be composed too, of patterns. @param {JsonObject} schema */
const mayBeObject = ({ type }) => type === undefined || [type].flat().includes('object')

/**
 * The schemas that a schema is composed of: each applies to the same object.
 * @param {JsonObject} schema
 * @returns {JsonObject[]}
 */
const partsOf = schema =>
  [
    ...listed(schema.allOf),
    schema.if,
    schema.then,
    schema.else,
    ...Object.values(schema.dependentSchemas ?? {}),
  ].filter(isObject)

/**
 * Schemas of inner values. `not` is left as it is: closing the schema under `not` would accept more.
 * @param {JsonObject} schema
 * @returns {JsonObject[]}
 */
const innerSchemas = schema =>
  [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...listed(schema.prefixItems),
    schema.items,
    schema.additionalProperties,
    schema.contains,
  ].filter(isObject)

/** The references to definitions that are parts of a composed schema. @param {JsonObject} root */
function sharedParts(root) {
  /** @type {Set<string>} */
  const found = new Set()
  /** @param {unknown} value @param {boolean} composed @returns {void} */
  const visit = (value, composed) => {
    if (Array.isArray(value)) return value.forEach(item => visit(item, composed))
    if (!isObject(value)) return
    if (composed && typeof value.$ref === 'string') found.add(value.$ref)
    for (const [name, member] of Object.entries(value)) visit(member, name === 'allOf')
  }
  visit(root, false)
  return found
}

/** @param {unknown} value @returns {value is JsonObject} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @param {unknown} value @returns {unknown[]} */
const listed = value => (Array.isArray(value) ? value : [])

module.exports = { closeObjects }
