'use strict'

// The formats and patterns of Zod's texts, as the gate checks them.

const { isFlagged, removePatterns } = require('./never-narrower.js')
const { STANDARD_FORMATS } = require('./standard-formats.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/**
 * Formats that the gate asserts by itself, with the patterns that Zod adds to them.
 * @type {Record<string, string>}
 */
const OWN_PATTERNS = { email: 'email', hostname: 'hostname' }
/** Durations of Zod may have a fraction of seconds, which the gate's format refuses. */
const DURATION = '^P[0-9TYMWDHS.,]+$'
/** Header, payload and signature; an unsigned token has an empty one. */
const JWT = '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*$'
/** Zod's pattern of domains begins with a look-ahead that limits their length. */
const LENGTH_LIMIT = /^\^\(\?=\.\{1,\d+\}(?:\\\.\?)?\$\)/

/**
 * Corrects formats and patterns in place. Some of Zod's own patterns use look-around and repeat a format, so only the format
 * is kept. A format that JSON Schema does not have is removed: its pattern, and Zod itself at call time, express it. What would refuse
 * more than Zod does is removed as well.
 * @param {JsonObject} jsonSchema of a text
 * @param {JsonObject} def Zod's definition
 * @param {Record<string, RegExp> | undefined} regexes Zod's own
 */
function correctFormat(jsonSchema, def, regexes) {
  const checks = [def, ...(def.checks ?? []).map((/** @type {any} */ check) => check._zod.def)]
  const flagged = checks.filter(({ pattern }) => isFlagged(pattern?.flags ?? ''))
  removePatterns(jsonSchema, new Set(flagged.map(({ pattern }) => pattern.source)))
  const { format } = jsonSchema
  if (format === undefined) return
  loosen(jsonSchema, regexes)
  const own = Object.hasOwn(OWN_PATTERNS, format) ? regexes?.[OWN_PATTERNS[format]]?.source : undefined
  if (jsonSchema.pattern === own && own !== undefined && /\(\?<?[=!]/.test(own)) delete jsonSchema.pattern
  if (checks.some(one => one.format === 'jwt')) addPattern(jsonSchema, JWT)
  if (!STANDARD_FORMATS.has(jsonSchema.format)) delete jsonSchema.format
}

/**
 * Of a format and the pattern that Zod writes beside it, the one that takes all that Zod takes.
 * @param {JsonObject} jsonSchema of a text @param {Record<string, RegExp> | undefined} regexes Zod's own
 */
function loosen(jsonSchema, regexes) {
  const { format, pattern } = jsonSchema
  // Zod parses an address, its pattern has no embedded IPv4.
  if (format === 'ipv6') delete jsonSchema.pattern
  if (format === 'email' && pattern !== undefined && pattern !== regexes?.email?.source) delete jsonSchema.format
  if (format === 'duration') Object.assign(jsonSchema, { format: undefined, pattern: DURATION })
  if (format === 'hostname' && typeof pattern === 'string')
    Object.assign(jsonSchema, { format: undefined, pattern: pattern.replace(LENGTH_LIMIT, '^') })
}

/** @param {JsonObject} jsonSchema @param {string} pattern */
function addPattern(jsonSchema, pattern) {
  if (jsonSchema.pattern === undefined && jsonSchema.allOf === undefined) jsonSchema.pattern = pattern
  else jsonSchema.allOf = [...(jsonSchema.allOf ?? []), { pattern }]
}

module.exports = { correctFormat }
