'use strict'

// Values that JSON writes as something else, without an error: NaN and an invalid Date as null, a Map, a promise and
// other objects without members of their own as `{}`. Members that JSON leaves out (undefined, functions, symbols) are
// no loss; elements are, because JSON writes null for them.

const types = require('node:util/types')

const { pointer } = require('./json-pointer.js')

/** The deepest level that is searched. The core refuses deeper results. */
const MAX_DEPTH = 512
/** The longest path in a message, in characters. */
const MAX_PATH_CHARACTERS = 200

/** The only one of these values that JSON refuses. */
const BIG_INT = 'a BigInt'

/** @typedef {{ path: string, what: string }} JsonLoss `path`: a JSON Pointer (RFC 6901); `what`: such as `a Map` */

/**
 * Describes an object whose content JSON does not write; null for others. Objects with `toJSON` say themselves what is
 * written.
 * @param {object} value
 * @returns {string | null}
 */
function lossOfObject(value) {
  if (types.isDate(value)) return Number.isNaN(Number(value)) ? 'an invalid Date' : null
  const prototype = Object.getPrototypeOf(value)
  // Plain objects, also of another realm, and arrays.
  if (prototype === null || Object.getPrototypeOf(prototype) === null || Array.isArray(value)) return null
  if (types.isPromise(value) || typeof Reflect.get(value, 'then') === 'function')
    return 'a promise that was not awaited'
  if (typeof Reflect.get(value, 'toJSON') === 'function' || types.isBoxedPrimitive(value)) return null
  if (types.isNativeError(value)) return 'an Error'
  // JSON writes one member for each number of a typed array.
  if (ArrayBuffer.isView(value)) return instanceOf(prototype.constructor?.name)
  const isKnown = types.isMap(value) || types.isSet(value) || types.isRegExp(value)
  return isKnown || Object.keys(value).length === 0 ? instanceOf(prototype.constructor?.name) : null
}

/** @param {unknown} name of a class */
function instanceOf(name) {
  if (typeof name !== 'string' || !/^[A-Z]\w{0,40}$/.test(name) || name === 'Object')
    return 'an object without members of its own'
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`
}

/**
 * Describes a value that JSON does not write as it is; null for others.
 * @param {unknown} value
 * @param {boolean} isElement of an array
 * @returns {string | null}
 */
function lossOf(value, isElement) {
  switch (typeof value) {
    case 'object':
      return value === null ? null : lossOfObject(value)
    case 'number':
      return Number.isFinite(value) ? null : String(value)
    case 'bigint':
      return BIG_INT
    case 'undefined':
      return isElement ? 'undefined in a list' : null
    case 'function':
    case 'symbol':
      return isElement ? `a ${typeof value} in a list` : null
    default:
      return null
  }
}

/**
 * The first value that JSON does not write as it is; null if there is none. Slow, for a value that is known to have one.
 * @param {unknown} value
 * @param {string} [only] finds values of this description only
 * @returns {JsonLoss | null}
 */
function findJsonLoss(value, only) {
  try {
    const found = lossWithin(value, false, { only, seen: new Set() }, 0)
    if (found === null) return null
    return { path: pointer(found.tokens.reverse()).slice(0, MAX_PATH_CHARACTERS), what: found.what }
  } catch {
    // A getter or a proxy that throws.
    return null
  }
}

/**
 * @param {unknown} value
 * @param {boolean} isElement
 * @param {{ only: string | undefined, seen: Set<object> }} search `seen`: objects that have none; each is searched once
 * @param {number} depth
 * @returns {{ what: string, tokens: PropertyKey[] } | null} `tokens`: of the path, the last one first
 */
function lossWithin(value, isElement, search, depth) {
  const what = lossOf(value, isElement)
  if (what !== null && (search.only ?? what) === what) return { what, tokens: [] }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || search.seen.has(value)) return null
  search.seen.add(value)
  if (ArrayBuffer.isView(value) || typeof Reflect.get(value, 'toJSON') === 'function') return null
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const name of names) {
    const found = lossWithin(Reflect.get(value, name), Array.isArray(value), search, depth + 1)
    if (found !== null) {
      found.tokens.push(name)
      return found
    }
  }
  return null
}

/** The loss as a clause. @param {JsonLoss} loss */
const lossText = ({ path, what }) => (path === '' ? `it is ${what}` : `\`${path}\` is ${what}`)

module.exports = { BIG_INT, findJsonLoss, lossOfObject, lossText }
