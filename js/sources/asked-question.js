'use strict'

// A server's question as its user may be shown it: within bounds, with fields that a form can have, and with nothing hidden.
// Whatever else the server sent is left out, so that what is shown is what is checked.

const { isObject } = require('../gate/option-checks.js')
const { visibleText } = require('../values/visible-text.js')
const { isSecretField } = require('./secret-field.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('./types.js').ServerQuestion} ServerQuestion */

const MAX_MESSAGE_CHARS = 4000
const MAX_SCHEMA_BYTES = 64 * 1024
const FORMATS = ['email', 'uri', 'date', 'date-time']
/** By type: the members that are kept, and the type of their values. @type {Record<string, Record<string, string>>} */
const MEMBERS = {
  string: { minLength: 'number', maxLength: 'number', pattern: 'string', default: 'string' },
  number: { minimum: 'number', maximum: 'number', default: 'number' },
  integer: { minimum: 'number', maximum: 'number', default: 'number' },
  boolean: { default: 'boolean' },
}

/** A question that is not put to the user. The message says why. */
class UnaskableQuestion extends Error {}

/**
 * @param {JsonObject} params of `elicitation/create`
 * @returns {ServerQuestion}
 * @throws {UnaskableQuestion}
 */
function askedQuestion({ mode = 'form', message, requestedSchema }) {
  if (mode !== 'form') throw new UnaskableQuestion(`it is of the kind \`${visibleText(String(mode))}\`, not a form`)
  if (typeof message !== 'string') throw new UnaskableQuestion('it has no message')
  if (message.length > MAX_MESSAGE_CHARS)
    throw new UnaskableQuestion(`its message is longer than ${MAX_MESSAGE_CHARS} characters`)
  const properties = isObject(requestedSchema) ? requestedSchema.properties : undefined
  if (!isObject(properties)) throw new UnaskableQuestion('it has no fields')
  if (Buffer.byteLength(JSON.stringify(requestedSchema)) > MAX_SCHEMA_BYTES)
    throw new UnaskableQuestion(`its fields take more than ${MAX_SCHEMA_BYTES} bytes`)
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldOf(name, schema)])
  const { required } = /** @type {JsonObject} */ (requestedSchema)
  const names = Array.isArray(required) ? required.filter(name => Object.hasOwn(properties, String(name))) : []
  return {
    message: visibleText(message.replace(/\s*[\r\n]+\s*/g, ' ').trim()),
    requestedSchema: { type: 'object', properties: Object.fromEntries(fields), required: names },
  }
}

/** @param {string} name @param {unknown} schema @returns {JsonObject} */
function fieldOf(name, schema) {
  const shown = `\`${visibleText(name)}\``
  if (!isObject(schema)) throw new UnaskableQuestion(`the field ${shown} has no type`)
  checkVisible([name], shown)
  const { title, description } = schema
  const texts = {
    ...(typeof title === 'string' && { title: visibleText(title) }),
    ...(typeof description === 'string' && { description: visibleText(description) }),
  }
  const choices = choicesOf(schema, shown)
  if (choices !== undefined) return { ...choices, ...texts }
  const type = String(schema.type)
  if (!Object.hasOwn(MEMBERS, type)) throw new UnaskableQuestion(`the field ${shown} is none that a form can have`)
  if (type !== 'boolean' && isSecretField(name, schema))
    throw new UnaskableQuestion(`the field ${shown} asks for a secret`)
  return { type, ...texts, ...membersOf(schema, type) }
}

/** @param {JsonObject} schema @param {string} type */
function membersOf(schema, type) {
  const kept = Object.entries(MEMBERS[type]).filter(([member, kind]) => typeof schema[member] === kind)
  const format = type === 'string' && FORMATS.includes(String(schema.format)) ? { format: schema.format } : {}
  return { ...format, ...Object.fromEntries(kept.map(([member]) => [member, schema[member]])) }
}

/** One of several texts, or some of them. Undefined if the field has no choices. @param {JsonObject} schema @param {string} shown */
function choicesOf(schema, shown) {
  const { type, items, minItems, maxItems } = schema
  if (type !== 'array') return oneOf(schema, 'oneOf', shown)
  const one = isObject(items) ? oneOf(/** @type {JsonObject} */ (items), 'anyOf', shown) : undefined
  if (one === undefined) throw new UnaskableQuestion(`the field ${shown} is a list without choices`)
  const { default: chosen } = schema
  return {
    type,
    items: one,
    uniqueItems: true,
    ...(typeof minItems === 'number' && { minItems }),
    ...(typeof maxItems === 'number' && { maxItems }),
    ...(Array.isArray(chosen) && chosen.every(isText) && { default: chosen }),
  }
}

/** @param {JsonObject} schema @param {'oneOf' | 'anyOf'} keyword @param {string} shown @returns {JsonObject | undefined} */
function oneOf(schema, keyword, shown) {
  const { enum: values, enumNames, default: chosen } = schema
  const given = isText(chosen) ? { default: chosen } : {}
  const titled = schema[keyword]
  if (Array.isArray(titled) && titled.every(one => isObject(one) && isText(one.const))) {
    const choices = /** @type {{ const: string, title?: unknown }[]} */ (titled)
    checkVisible(
      choices.map(one => one.const),
      shown,
    )
    const named = choices.map(one => ({ const: one.const, title: visibleText(String(one.title ?? one.const)) }))
    return { type: 'string', [keyword]: named, ...given }
  }
  if (!Array.isArray(values) || !values.every(isText)) return undefined
  checkVisible(values, shown)
  const names = Array.isArray(enumNames) && enumNames.every(isText) ? { enumNames: enumNames.map(visibleText) } : {}
  return { type: 'string', enum: values, ...names, ...given }
}

/** What is sent back can't be shown as an escape. @param {string[]} texts @param {string} shown */
function checkVisible(texts, shown) {
  if (texts.some(text => visibleText(text) !== text))
    throw new UnaskableQuestion(`the field ${shown} has hidden characters`)
}

/** @param {unknown} value @returns {value is string} */
const isText = value => typeof value === 'string'

module.exports = { MAX_MESSAGE_CHARS, UnaskableQuestion, askedQuestion }
