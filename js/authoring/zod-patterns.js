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
const OWN_PATTERNS = { email: 'email', duration: 'duration', hostname: 'hostname' }
/** Header, payload and signature; an unsigned token has an empty one. */
const JWT = '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*$'
const ANY_SCHEME = '[A-Za-z][A-Za-z0-9+.-]*'
/** Zod's pattern of domains begins with a look-ahead that limits their length. */
const LENGTH_LIMIT = /^\^\(\?=\.\{1,\d+\}\$\)/

/**
 * Corrects formats and patterns in place. Some of Zod's own patterns use look-around and repeat a format, so only the format
 * is kept. A format that JSON Schema does not have is removed: its pattern, and Zod itself at call time, express it.
 * @param {JsonObject} jsonSchema of a text
 * @param {JsonObject} def Zod's definition
 * @param {Record<string, RegExp> | undefined} regexes Zod's own
 */
function correctFormat(jsonSchema, def, regexes) {
  const { format } = jsonSchema
  if (format === undefined) return
  const own = Object.hasOwn(OWN_PATTERNS, format) ? regexes?.[OWN_PATTERNS[format]]?.source : undefined
  if (jsonSchema.pattern === own && own !== undefined && /\(\?<?[=!]/.test(own)) delete jsonSchema.pattern
  for (const one of [def, ...(def.checks ?? []).map((/** @type {any} */ check) => check._zod.def)]) {
    if (one.format === 'jwt') addPattern(jsonSchema, JWT)
    const url = one.format === 'url' ? urlPattern(one) : null
    if (url !== null) addPattern(jsonSchema, url)
  }
  if (!STANDARD_FORMATS.has(format)) delete jsonSchema.format
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
