'use strict'

// The parts of a Zod schema that its JSON Schema silently omits: code, which only Zod runs.

const { lostFlags, lostPart } = require('./lost-part.js')
const { isFlagged } = require('./never-narrower.js')
const { STANDARD_FORMATS } = require('./standard-formats.js')

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./lost-part.js').LostPart} LostPart
 * @typedef {import('./zod.js').ZodSchema} ZodSchema
 */

/** The checks that have a keyword in JSON Schema; the size is that of a file, set or map, which JSON does not have. */
const WITH_KEYWORD = new Set([
  'less_than',
  'greater_than',
  'multiple_of',
  'number_format',
  'bigint_format',
  'max_length',
  'min_length',
  'length_equals',
  'string_format',
])
/** @type {Record<string, string>} */
const NAMED_CHECKS = {
  custom: 'a refinement',
  overwrite: 'an overwrite such as `trim`',
  property: 'a check of a property',
}

/**
 * @param {ZodSchema} schema
 * @returns {Generator<LostPart>}
 */
function* lostParts({ _zod: { def } }) {
  const part = lostKind(def)
  if (part !== null) yield part
  yield* lostFormat(def)
  for (const { _zod } of def.checks ?? []) {
    const check = _zod.def
    if (check.check === 'string_format') yield* lostFormat(check)
    else if (!WITH_KEYWORD.has(check.check)) yield lostPart(NAMED_CHECKS[check.check] ?? `the check \`${check.check}\``)
  }
}

/** @param {JsonObject} def @returns {LostPart | null} */
function lostKind(def) {
  if (def.type === 'pipe') return lostPart(pipeName(def))
  if (def.type === 'transform') return lostPart('a transform')
  if (def.type === 'catch')
    return { what: '`catch`', fact: '`catch` replaces nothing that the JSON Schema refuses, such as another type' }
  if (def.coerce === true) {
    const what = `the coercion to \`${def.type}\``
    return { what, fact: `${what} gets only what the JSON Schema takes: another type is refused before` }
  }
  return null
}

/** @param {JsonObject} def of a pipe */
function pipeName(def) {
  if ([def.in, def.out].some(side => side._zod.def.type === 'transform')) return 'a transform'
  return typeof def.transform === 'function' ? 'a codec' : 'what follows `pipe`'
}

/**
 * What a format checks beyond its pattern.
 * @param {JsonObject} def of a string, or of its check
 * @returns {Generator<LostPart>}
 */
function* lostFormat({ format, pattern, protocol, hostname }) {
  if (format === undefined) return
  if (protocol !== undefined || hostname !== undefined) yield lostPart('the check of the parsed URL')
  if (format === 'regex' && isFlagged(pattern.flags)) yield lostFlags(pattern.flags)
  if (pattern === undefined && !STANDARD_FORMATS.has(format) && !WITHOUT_CODE.has(format))
    yield lostPart(`the format \`${format}\``)
}

/** Formats of numbers, and `url`, whose format in JSON Schema is `uri`. */
const WITHOUT_CODE = new Set(['url', 'guid', 'safeint', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64'])

module.exports = { lostParts }
