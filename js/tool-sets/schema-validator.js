'use strict'

// Validates any value against a JSON Schema, as the gate validates arguments. Values cross the boundary as JSON text.

const native = require('../../native.js')
const { isObject, checkOptionNames } = require('../gate/option-checks.js')
const { jsonText } = require('../values/json-text.js')
const { withTypeErrors } = require('../gate/type-errors.js')

const OPTIONS = ['formats', 'remotes']

class SchemaValidator {
  #native

  /**
   * @param {import('../../index.js').JsonSchema} schema
   * @param {import('../../index.js').SchemaValidatorOptions} [options]
   */
  constructor(schema, options = {}) {
    const optionsText = serialized(nativeOptions(options), 'the options')
    const text = serialized(schema, 'the schema')
    this.#native = withTypeErrors(() => new native.NativeSchemaValidator(text, optionsText))
  }

  /** @param {unknown} value @returns {import('../../index.js').SchemaValidation} */
  validate(value) {
    const { text, problem } = jsonText(value)
    if (text === undefined)
      return notValidated(`the value can't be written as JSON: ${problem ?? `${typeof value} is not JSON`}`)
    const result = JSON.parse(this.#native.validate(text))
    if (result.problem !== undefined) return notValidated(`the value can't be checked: ${result.problem}`, result.at)
    const errors = result.errors.map((/** @type {import('../../index.js').ValidationIssue} */ issue) => ({
      path: issue.instancePath,
      ...issue,
    }))
    return {
      valid: errors.length === 0,
      errors,
      value: Object.hasOwn(result, 'value') ? result.value : JSON.parse(text),
    }
  }
}

/** @param {import('../../index.js').SchemaValidatorOptions} options */
function nativeOptions(options) {
  checkOptionNames(options, OPTIONS, 'validator')
  const { formats, remotes } = options
  if (formats !== undefined && formats !== 'all' && formats !== 'declared' && !isNames(formats)) {
    throw new TypeError("`formats` must be `all`, `declared`, or a list of formats, such as `['email']`")
  }
  if (remotes !== undefined) checkRemotes(remotes)
  return { formats, remotes }
}

/** @param {unknown} value */
const isNames = value => Array.isArray(value) && value.every(name => typeof name === 'string')

/** @param {unknown} remotes */
function checkRemotes(remotes) {
  if (!isObject(remotes)) throw new TypeError('`remotes` must be an object of schemas by their URI')
  const wrong = Object.keys(remotes).find(uri => !URL.canParse(uri) || uri.includes('#'))
  if (wrong !== undefined)
    throw new TypeError(`\`remotes\` names \`${wrong}\`; it must be an absolute URI without fragment`)
}

/** @param {unknown} value @param {string} what */
function serialized(value, what) {
  const { text, problem } = jsonText(value)
  if (text === undefined)
    throw new TypeError(`${what} can't be written as JSON: ${problem ?? `${typeof value} is not JSON`}`)
  return text
}

/**
 * The result for a value that can't be validated.
 * @param {string} message
 * @param {string} [path]
 * @returns {import('../../index.js').SchemaValidation}
 */
function notValidated(message, path = '') {
  return {
    valid: false,
    errors: [{ path, instancePath: path, schemaPath: '', keyword: 'json', params: {}, message }],
    value: undefined,
  }
}

module.exports = { SchemaValidator }
