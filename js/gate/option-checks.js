'use strict'

// Checks of options, whatever they are for. An unknown name throws: a misspelt option would silently do nothing.

const MIN_KEY_BYTES = 16

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @typedef {{ fits(value: unknown): boolean, expected: string }} OptionType */

/** @type {OptionType} */
const FUNCTION = { fits: value => typeof value === 'function', expected: 'a function' }
/** @type {OptionType} */
const OBJECT = { fits: isObject, expected: 'an object' }
/** @type {OptionType} */
const BOOLEAN = { fits: value => typeof value === 'boolean', expected: 'true or false' }
/** @param {unknown} value @returns {value is string} */
const isSecret = value => typeof value === 'string' && Buffer.byteLength(value) >= MIN_KEY_BYTES
/** @type {OptionType} */
const SECRET = { fits: isSecret, expected: `a text of ${MIN_KEY_BYTES} bytes or more` }

/** @param {unknown} options @param {string[]} known @param {string} what */
function checkOptionNames(options, known, what) {
  if (!isObject(options)) throw new TypeError(`${what} options must be an object`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`unknown ${what} option \`${unknown}\`; it takes ${known.join(', ')}`)
}

/** @param {object} options @param {Record<string, OptionType>} types */
function checkOptionTypes(options, types) {
  for (const [name, { fits, expected }] of Object.entries(types)) {
    const value = Reflect.get(options, name)
    if (value !== undefined && !fits(value)) throw new TypeError(`\`${name}\` must be ${expected}`)
  }
}

/**
 * A duration in whole milliseconds. `Infinity` means the core's maximum, 2³² − 1 ms (49 days).
 * @param {unknown} value
 * @param {string} name
 */
function milliseconds(value, name) {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0)
    throw new TypeError(`\`${name}\` must be a number of milliseconds, 0 or more`)
  return Math.min(Math.ceil(value), 2 ** 32 - 1)
}

/** @param {unknown} value @param {string} name */
function optionalText(value, name) {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '') throw new TypeError(`\`${name}\` must be a text that is not empty`)
  // In UTF-8, texts that differ in a lone surrogate only would become one.
  if (!value.isWellFormed()) throw new TypeError(`\`${name}\` must not contain a lone surrogate`)
  return value
}

module.exports = {
  BOOLEAN,
  FUNCTION,
  OBJECT,
  SECRET,
  checkOptionNames,
  checkOptionTypes,
  isObject,
  isSecret,
  milliseconds,
  optionalText,
}
