'use strict'

// Converts an author's value to JSON. A value that JSON can't express is refused, never dropped silently.

const { AuthoringFailure } = require('./failure.js')
const { pointer } = require('../values/json-pointer.js')
const { isStandardSchema } = require('../values/standard-schema.js')
const { withPresentKeywords } = require('./typebox.js')

/** Exceeds the depth of any schema. */
const MAX_DEPTH = 200

const WRITE_JSON = 'write texts, numbers, true, false, null, lists and plain objects'
const WRITE_REFERENCE =
  "for a schema within itself write a reference: `{ $ref: '#/$defs/…' }`, with the schema in `$defs`"
const WRITE_FLATTER = 'look for a loop that nests it, or write it with fewer levels'

/**
 * @param {unknown} value
 * @param {PropertyKey[]} [names] the path to the value
 * @returns {unknown} plain objects, lists, texts, numbers, booleans and null. A member that is `undefined` is absent.
 * @throws {AuthoringFailure}
 */
const toJson = (value, names = []) => convert(value, names, [])

/**
 * @param {unknown} value
 * @param {PropertyKey[]} names
 * @param {object[]} around the objects and lists that the value is in
 * @returns {unknown}
 */
function convert(value, names, around) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return finite(value, names)
  if (typeof value === 'object') {
    if (around.includes(value)) throw refused(names, 'contains itself', WRITE_REFERENCE)
    if (around.length > MAX_DEPTH) throw refused(names.slice(0, 3), `is deeper than ${MAX_DEPTH} levels`, WRITE_FLATTER)
  }
  if (Array.isArray(value)) return value.map((item, index) => convert(item, [...names, index], [...around, value]))
  if (isStandardSchema(value)) {
    throw refused(
      names,
      'is a library schema inside plain JSON Schema',
      'write the whole of `parameters` as one schema, such as `z.object({ … })`, or all of it as JSON Schema',
    )
  }
  if (typeof value === 'object' && isPlain(value)) return members(value, names, around)
  throw refused(names, `is ${described(value)}, which JSON does not have`, patternHelp(value))
}

/** @param {unknown} value @returns {string | undefined} undefined unless it is a regular expression */
function patternHelp(value) {
  if (Object.prototype.toString.call(value) !== '[object RegExp]') return undefined
  const { source, flags } = /** @type {RegExp} */ (value)
  const lost = flags.replace('u', '')
  const hint = lost === '' ? '' : `; a pattern has no flags (\`${lost}\`): for \`i\` write both cases, as in \`[aA]\``
  return `write its text: ${JSON.stringify(source)}${hint}`
}

/** @param {number} value @param {PropertyKey[]} names */
function finite(value, names) {
  if (Number.isFinite(value)) return value
  throw refused(names, `is ${value}, which JSON does not have`)
}

/** @param {object} value @param {PropertyKey[]} names @param {object[]} around */
function members(value, names, around) {
  const present = Object.entries(withPresentKeywords(value)).filter(([, member]) => member !== undefined)
  // Defined, not assigned: a member may be named `__proto__`.
  return Object.fromEntries(
    present.map(([name, member]) => [name, convert(member, [...names, name], [...around, value])]),
  )
}

/** Whether the prototype is null or the `Object.prototype` of any realm. @param {object} value */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** @param {unknown} value */
function described(value) {
  if (typeof value === 'object') return `a ${/** @type {object} */ (value).constructor?.name || 'special object'}`
  /** @type {Record<string, string>} */
  const types = { undefined: 'undefined', bigint: 'a BigInt' }
  return types[typeof value] ?? `a ${typeof value}`
}

/** @param {PropertyKey[]} names @param {string} what @param {string} [help] */
function refused(names, what, help = WRITE_JSON) {
  const at = pointer(names)
  return new AuthoringFailure({ kind: 'module', pointer: at, message: `\`${at}\` ${what}`, help })
}

module.exports = { toJson }
