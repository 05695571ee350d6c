'use strict'

// TypeBox schemas are JSON Schema, but for two things: transforms, codecs and refinements are members that JSON does not have, and
// tuples are written in the keywords of draft-07.

const { pointer } = require('../values/json-pointer.js')
const { lostPart } = require('./lost-part.js')

/**
 * The code in a schema.
 * @param {unknown} schema that `toJson` takes: without a cycle
 * @returns {{ at: string, part: import('./lost-part.js').LostPart }[]} `at`: JSON Pointer within the schema
 */
function codeIn(schema) {
  /** @type {[unknown, PropertyKey[]][]} */
  const open = [[schema, []]]
  const found = []
  while (open.length > 0) {
    const [value, names] = /** @type {[unknown, PropertyKey[]]} */ (open.pop())
    if (typeof value !== 'object' || value === null) continue
    found.push(...codeOf(value).map(what => ({ at: pointer(names), part: lostPart(what) })))
    for (const [name, member] of Object.entries(value)) open.push([member, [...names, name]])
  }
  return found
}

/** @param {object} schema of TypeBox 0.x, with a symbol, or 1.x */
function codeOf(schema) {
  const isTransform = Object.getOwnPropertySymbols(schema).some(
    ({ description }) => description === 'TypeBox.Transform',
  )
  return [
    ...(isTransform || Object.hasOwn(schema, '~codec') ? ['a transform'] : []),
    ...(Object.hasOwn(schema, '~refine') ? ['a refinement'] : []),
  ]
}

/**
 * The finding about code of a schema that is not compiled.
 * @param {string} at JSON Pointer
 * @param {import('./lost-part.js').LostPart} part
 * @returns {import('./failure.js').FailureDetails}
 */
const neverRuns = (at, { fact }) => ({
  kind: 'lost',
  pointer: at,
  message: `${fact}, and it never runs: the schema is not compiled`,
  help: 'give the compiled schema: `TypeCompiler.Compile(schema)`, in TypeBox 1.x `Compile(schema)`',
})

/**
 * A tuple of TypeBox in the keywords of draft 2020-12; any other object as it is.
 * @param {Record<string, any>} schema
 */
function withPresentKeywords(schema) {
  if (kindOf(schema) !== 'Tuple' || !Array.isArray(schema.items)) return schema
  const { items: prefixItems, additionalItems: items, ...others } = schema
  // `prefixItems` must not be empty.
  return { ...others, ...(prefixItems.length > 0 && { prefixItems }), items }
}

/** @param {Record<PropertyKey, any>} schema of TypeBox 0.x, by a symbol, or 1.x */
const kindOf = schema => schema['~kind'] ?? schema[Symbol.for('TypeBox.Kind')]

module.exports = { codeIn, neverRuns, withPresentKeywords }
