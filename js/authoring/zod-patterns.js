'use strict'

// The formats and patterns of Zod's texts, as the gate checks them.

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
const ANY_SCHEME = '[A-Za-z][A-Za-z0-9+.-]*'
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
  removeFlagged(jsonSchema, checks)
  const { format } = jsonSchema
  if (format === undefined) return
  loosen(jsonSchema, regexes)
  const own = Object.hasOwn(OWN_PATTERNS, format) ? regexes?.[OWN_PATTERNS[format]]?.source : undefined
  if (jsonSchema.pattern === own && own !== undefined && /\(\?<?[=!]/.test(own)) delete jsonSchema.pattern
  for (const one of checks) {
    if (one.format === 'jwt') addPattern(jsonSchema, JWT)
    const url = one.format === 'url' ? urlPattern(one) : null
    if (url !== null) addPattern(jsonSchema, url)
  }
  if (!STANDARD_FORMATS.has(jsonSchema.format)) delete jsonSchema.format
}

/**
 * Removes patterns whose flags a JSON Schema does not have: without `i` it refuses what Zod takes.
 * @param {JsonObject} jsonSchema of a text @param {JsonObject[]} checks
 */
function removeFlagged(jsonSchema, checks) {
  const flagged = new Set(checks.flatMap(({ pattern }) => (/[ims]/.test(pattern?.flags ?? '') ? [pattern.source] : [])))
  if (flagged.size === 0) return
  if (flagged.has(jsonSchema.pattern)) delete jsonSchema.pattern
  const rest = jsonSchema.allOf?.filter((/** @type {JsonObject} */ { pattern }) => !flagged.has(pattern)) ?? []
  if (rest.length > 0) jsonSchema.allOf = rest
  else delete jsonSchema.allOf
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

/**
 * The protocol and hostname of a URL, for its text. Null if neither can be taken over.
 * @param {{ protocol?: RegExp, hostname?: RegExp }} def
 */
function urlPattern({ protocol, hostname }) {
  const scheme = inner(protocol)
  const host = inner(hostname)
  if (host !== null) return `^${scheme ?? ANY_SCHEME}://(?:[^/?#@]*@)?${host}(?::[0-9]*)?(?:[/?#]|$)`
  return scheme === null ? null : `^${scheme}:`
}

/**
 * The pattern between the anchors `^` and `$`, as a group; null if it is not a plain one.
 * @param {RegExp | undefined} regex
 */
function inner(regex) {
  if (regex === undefined || regex.flags !== '') return null
  const [, body] = /^\^([^]*)\$$/.exec(regex.source.replace(LENGTH_LIMIT, '^')) ?? []
  if (body === undefined || /\(\?<?[=!]|[^\\[]\^|[^\\]\$|\\[1-9k]/.test(body) || hasOpenAlternative(body)) return null
  return `(?:${body})`
}

/** Whether `|` is outside of groups: then an anchor belongs to one alternative only. @param {string} body */
function hasOpenAlternative(body) {
  let depth = 0
  for (const [sign] of body.matchAll(/\\.|\[(?:\\.|[^\]])*\]|[()|]/g)) {
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    if (sign === '|' && depth === 0) return true
  }
  return false
}

module.exports = { correctFormat }
