'use strict'

// TypeBox schemas are JSON Schema; a transform or codec is a member that JSON does not have.

const { pointer } = require('../values/json-pointer.js')

/** The most schemas that are looked into: a cyclic value is refused later. */
const MAX_SCHEMAS = 10_000

/**
 * @param {unknown} schema
 * @param {string[]} names the path of the schema in its export
 * @returns {import('./failure.js').FailureDetails[]}
 */
function typeBoxCode(schema, names) {
  /** @type {[unknown, string[]][]} */
  const open = [[schema, names]]
  const found = []
  for (let count = 0; open.length > 0 && count < MAX_SCHEMAS; count += 1) {
    const [value, at] = /** @type {[unknown, string[]]} */ (open.pop())
    if (typeof value !== 'object' || value === null) continue
    if (hasCode(value)) found.push(finding(pointer(at)))
    for (const [name, member] of Object.entries(value)) open.push([member, [...at, name]])
  }
  return found
}

/** @param {object} schema of TypeBox 0.x, by a symbol, or 1.x */
const hasCode = schema =>
  Object.hasOwn(schema, '~codec') ||
  Object.getOwnPropertySymbols(schema).some(({ description }) => description === 'TypeBox.Transform')

/** @param {string} at @returns {import('./failure.js').FailureDetails} */
const finding = at => ({
  kind: 'lost',
  pointer: at,
  message: 'a transform of TypeBox is not part of the JSON Schema, and never runs here',
  help: "call TypeBox's `Value.Decode` in the handler, then acknowledge this in `lintAccepted`",
})

module.exports = { typeBoxCode }
