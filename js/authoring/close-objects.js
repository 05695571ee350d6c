'use strict'

// Objects that do not say whether they take other properties, closed. A model that invents an argument must hear of it; in
// the libraries that schemas are written with, the plain object drops such properties in silence.

/**
 * @param {object} schema JSON Schema of a library's making
 * @returns {object} the same, changed in place: an object with `properties` has `additionalProperties: false`, unless it
 *   says otherwise; one that is composed has `unevaluatedProperties: false`, because each part of it names only its own
 */
function closeObjects(schema) {
  close(schema, { composed: false, root: schema, shared: sharedParts(schema) })
  return schema
}

function close(schema, place) {
  if (!isObject(schema)) return
  const parts = partsOf(schema)
  for (const part of parts) close(part, { ...place, composed: true })
  const whole = { ...place, composed: false }
  // Alternatives beside properties of their own are parts as well.
  const alternatives = [...listed(schema.anyOf), ...listed(schema.oneOf)]
  const beside = place.composed || isObject(schema.properties)
  for (const one of alternatives) close(one, beside ? { ...place, composed: true } : whole)
  for (const inner of innerSchemas(schema)) close(inner, whole)
  for (const [name, definition] of Object.entries(schema.$defs ?? {}))
    close(definition, { ...whole, composed: place.shared.has(`#/$defs/${name}`) })
  if (!place.composed) closeOne(schema, parts.length > 0 || (isObject(schema.properties) && alternatives.length > 0))
}

function closeOne(schema, isComposed) {
  if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) return
  if (isComposed) schema.unevaluatedProperties = false
  else if (isObject(schema.properties)) schema.additionalProperties = false
}

/** What a schema is composed of: each of these sees the same object. */
const partsOf = schema =>
  [
    ...listed(schema.allOf),
    schema.if,
    schema.then,
    schema.else,
    ...Object.values(schema.dependentSchemas ?? {}),
  ].filter(isObject)

/** Schemas of values within. What stands under `not` is left as it is: closing it would open it. */
const innerSchemas = schema =>
  [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...listed(schema.prefixItems),
    schema.items,
    schema.additionalProperties,
    schema.contains,
  ].filter(isObject)

/** The definitions that are a part of something composed. */
function sharedParts(root) {
  const found = new Set()
  const visit = (value, composed) => {
    if (Array.isArray(value)) return value.forEach(item => visit(item, composed))
    if (!isObject(value)) return
    if (composed && typeof value.$ref === 'string') found.add(value.$ref)
    for (const [name, member] of Object.entries(value)) visit(member, name === 'allOf')
  }
  visit(root, false)
  return found
}

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const listed = value => (Array.isArray(value) ? value : [])

module.exports = { closeObjects }
