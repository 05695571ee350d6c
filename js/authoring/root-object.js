'use strict'

// The root of `parameters`: an object schema, however the library has named or composed it.

const { pointerNames } = require('../values/json-pointer.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/**
 * Replaces a root that only refers to a definition by the definition.
 * @param {JsonObject} schema
 * @returns {JsonObject}
 */
function withoutRootReference(schema) {
  const { $ref, ...others } = schema
  const target = resolved(schema, $ref)
  if (target === null) return schema
  const { $defs, ...beside } = others
  const name = nameOf($ref)
  const root = { ...target, ...beside, $defs }
  // A definition that no other refers to is gone with the reference.
  if (!JSON.stringify(root).includes(JSON.stringify($ref))) {
    const { [name]: _moved, ...rest } = $defs
    root.$defs = rest
  }
  if (Object.keys(root.$defs).length === 0) delete root.$defs
  return withoutRootReference(root)
}

/** @param {JsonObject} root @param {unknown} reference @returns {JsonObject | null} a definition with `properties` or parts */
function resolved(root, reference) {
  if (typeof reference !== 'string' || !reference.startsWith('#/$defs/')) return null
  const name = nameOf(reference)
  const target = Object.hasOwn(root.$defs ?? {}, name) ? root.$defs[name] : null
  return typeof target === 'object' && target !== null && target.$ref === undefined ? target : null
}

/** @param {string} reference to a definition, `#/$defs/…` */
const nameOf = reference => /** @type {string} */ (pointerNames(reference)[1])

/**
 * A union of closed objects as an object: its root names the properties of all alternatives, so that it is closed too.
 * @param {JsonObject} schema
 * @returns {JsonObject} the same unless it is such a union
 */
function unionAsObject(schema) {
  const alternatives = alternativesOf(schema, schema)
  if (schema.type !== undefined || alternatives === null) return schema
  const names = [...new Set(alternatives.flatMap(({ properties }) => Object.keys(properties)))]
  const properties = Object.fromEntries(names.map(name => [name, inAnyOf(alternatives, name)]))
  const required = names.filter(name => alternatives.every(one => (one.required ?? []).includes(name)))
  return { type: 'object', properties, required, additionalProperties: false, ...schema }
}

/**
 * @param {JsonObject} given
 * @param {JsonObject} root
 * @returns {JsonObject[] | null} the closed objects of a union, also of unions in it; null if there is anything else
 */
function alternativesOf(given, root) {
  const union = given.anyOf ?? given.oneOf
  if (!Array.isArray(union) || union.length === 0 || given.properties !== undefined) return null
  const found = union.map(one => {
    const schema = resolved(root, one?.$ref) ?? one
    const isClosed = schema?.type === 'object' && schema.additionalProperties === false
    return isClosed ? [{ ...schema, properties: schema.properties ?? {} }] : alternativesOf(schema ?? {}, root)
  })
  return found.some(one => one === null) ? null : found.flatMap(one => one ?? [])
}

/**
 * A property as any of the alternatives has it. Without its default, which the others would refuse.
 * @param {JsonObject[]} alternatives
 * @param {string} name
 */
function inAnyOf(alternatives, name) {
  const having = alternatives.filter(({ properties }) => Object.hasOwn(properties, name))
  const distinct = new Map(
    having.map(({ properties }) => {
      const { default: _default, ...schema } = properties[name]
      return [JSON.stringify(schema), schema]
    }),
  )
  const schemas = [...distinct.values()]
  if (schemas.length === 1) return schemas[0]
  if (schemas.every(({ const: value }) => typeof value === 'string'))
    return { type: 'string', enum: schemas.map(({ const: value }) => value) }
  return { anyOf: schemas }
}

module.exports = { unionAsObject, withoutRootReference }
