'use strict'

// A JSON Schema on its own: what the gate does with arguments, for any value. Values cross as JSON text.

const native = require('../native.js')
const { isObject, checkNames } = require('./options.js')
const { jsonText } = require('./json-text.js')
const { misuse } = require('./misuse.js')

const OPTIONS = ['formats', 'remotes']

class SchemaValidator {
  #native

  constructor(schema, options = {}) {
    const told = written(nativeOptions(options), 'the options')
    const text = written(schema, 'the schema')
    this.#native = misuse(() => new native.NativeSchemaValidator(text, told))
  }

  validate(value) {
    const { text, problem } = jsonText(value)
    if (text === undefined)
      return unread(`the value can't be written as JSON: ${problem ?? `${typeof value} is not JSON`}`)
    const told = JSON.parse(this.#native.validate(text))
    if (told.problem !== undefined) return unread(`the value can't be checked: ${told.problem}`, told.at)
    const errors = told.errors.map(issue => ({ path: issue.instancePath, ...issue }))
    return { valid: errors.length === 0, errors, value: Object.hasOwn(told, 'value') ? told.value : JSON.parse(text) }
  }
}

function nativeOptions(options) {
  checkNames(options, OPTIONS, 'validator')
  const { formats, remotes } = options
  if (formats !== undefined && formats !== 'all' && formats !== 'declared' && !isNames(formats)) {
    throw new TypeError("`formats` must be `all`, `declared`, or a list of formats, such as `['email']`")
  }
  if (remotes !== undefined) checkRemotes(remotes)
  return { formats, remotes }
}

const isNames = value => Array.isArray(value) && value.every(name => typeof name === 'string')

function checkRemotes(remotes) {
  if (!isObject(remotes)) throw new TypeError('`remotes` must be an object of schemas by their URI')
  const wrong = Object.keys(remotes).find(uri => !URL.canParse(uri) || uri.includes('#'))
  if (wrong !== undefined)
    throw new TypeError(`\`remotes\` names \`${wrong}\`; it must be an absolute URI without fragment`)
}

function written(value, what) {
  const { text, problem } = jsonText(value)
  if (text === undefined)
    throw new TypeError(`${what} can't be written as JSON: ${problem ?? `${typeof value} is not JSON`}`)
  return text
}

/** The answer for what no schema can be asked about. */
function unread(message, path = '') {
  return {
    valid: false,
    errors: [{ path, instancePath: path, schemaPath: '', keyword: 'json', params: {}, message }],
    value: undefined,
  }
}

module.exports = { SchemaValidator }
