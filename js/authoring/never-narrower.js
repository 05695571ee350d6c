'use strict'

// What would refuse more than a library takes leaves the JSON Schema: the library itself decides at the call.

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/**
 * Formats that libraries read more widely than JSON Schema does: a pattern that all of them fit, and words for the model.
 * @type {Record<string, { pattern?: string, words: string }>}
 */
const WIDER = {
  // Libraries ask the URL parser of JavaScript, which takes blanks around, and any letters.
  uri: { pattern: '^\\s*[A-Za-z][A-Za-z0-9+.\\-]*:', words: 'A URL.' },
  ipv6: { pattern: '^[0-9A-Fa-f:.]+(?:%.+)?$', words: 'An IPv6 address.' },
  email: { words: 'An e-mail address.' },
  regex: { words: 'A regular expression.' },
}
/** Whose values are schemas by name. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Whose values are no schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples'])

/**
 * By library, the formats that it reads more widely. These libraries count UTF-16 units, of which a character has one or two.
 * @type {Map<string, string[]>}
 */
const LIBRARIES = new Map([
  ['zod', ['uri']],
  ['valibot', ['uri', 'ipv6']],
  ['arktype', ['uri', 'ipv6', 'email', 'regex']],
])

/**
 * @param {JsonObject} json a library's, changed in place
 * @param {string} library
 * @returns {JsonObject}
 */
function neverNarrower(json, library) {
  const wider = LIBRARIES.get(library)
  if (wider === undefined) return json
  visitSchemas(json, schema => {
    if (typeof schema.minLength === 'number') widenLength(schema, schema.minLength)
    if (typeof schema.format === 'string' && wider.includes(schema.format)) widen(schema, WIDER[schema.format])
  })
  return json
}

/** Flags that a pattern of a JSON Schema does not have: without them it refuses what the library takes. */
const isFlagged = (/** @type {string} */ flags) => /[ims]/.test(flags)

/**
 * @param {JsonObject} schema of a text, changed in place
 * @param {Set<string>} patterns are removed
 */
function removePatterns(schema, patterns) {
  if (patterns.size === 0) return
  if (patterns.has(schema.pattern)) delete schema.pattern
  if (!Array.isArray(schema.allOf)) return
  const rest = schema.allOf.filter((/** @type {JsonObject} */ { pattern }) => !patterns.has(pattern))
  if (rest.length > 0) schema.allOf = rest
  else delete schema.allOf
}

/**
 * The least length in characters that takes all texts of so many UTF-16 units. The greatest length does so as it is.
 * @param {JsonObject} schema of a text @param {number} units
 */
function widenLength(schema, units) {
  schema.minLength = Math.ceil(units / 2)
  if (schema.minLength < units) describe(schema, `At least ${units} characters.`)
}

/** @param {JsonObject} schema @param {string} words */
function describe(schema, words) {
  const before = schema.description?.trim() ?? ''
  schema.description = [before, words].filter(text => text !== '').join(/[.!?]$/.test(before) ? ' ' : '. ')
}

/** @param {JsonObject} schema @param {{ pattern?: string, words: string }} wider */
function widen(schema, { pattern, words }) {
  delete schema.format
  if (schema.description === undefined) describe(schema, words)
  // A pattern beside the format is the library's own.
  if (schema.pattern === undefined && pattern !== undefined) schema.pattern = pattern
}

/** @param {unknown} value @param {(schema: JsonObject) => void} look @returns {void} */
function visitSchemas(value, look) {
  if (Array.isArray(value)) return value.forEach(item => visitSchemas(item, look))
  if (typeof value !== 'object' || value === null) return
  look(value)
  for (const [keyword, member] of Object.entries(value)) {
    if (NAMED.has(keyword)) for (const schema of Object.values(member)) visitSchemas(schema, look)
    else if (!VALUES.has(keyword)) visitSchemas(member, look)
  }
}

module.exports = { isFlagged, neverNarrower, removePatterns, visitSchemas, widenLength }
