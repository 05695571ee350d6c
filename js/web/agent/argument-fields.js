'use strict'

// The fields of a form in which a user changes the arguments of a question: made from the tool's schema.

const { hiddenCharacters } = require('../../../native.js')

/**
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'moment' | 'texts' | 'json' | 'masked'} FieldKind
 *   `json`: anything that has no control of its own, as JSON text; `masked`: sensitive, shown and left as it is
 * @typedef {{ name: string, title?: string, kind: FieldKind, isRequired: boolean, choices?: string[] }} ArgumentField
 */

/** Texts from this length on get several lines. */
const LONG_TEXT = 120
const MAX_REFERENCES = 8
/** How the core shows a sensitive value. */
const MASK = '***'
const HIDDEN = new RegExp(hiddenCharacters(), 'u')

/** Whether a control shows all characters of a text. @param {string} text */
const isVisible = text => !HIDDEN.test(text)

/**
 * A field for each property of the schema, in its order, and for each other argument.
 * @param {unknown} parameters @param {JsonObject} args @returns {ArgumentField[]}
 */
function argumentFields(parameters, args) {
  const root = isSchema(parameters) ? parameters : {}
  const properties = isSchema(root.properties) ? root.properties : {}
  const required = Array.isArray(root.required) ? root.required : []
  const names = new Set([...Object.keys(properties), ...Object.keys(args)])
  return [...names]
    .map(name => {
      const schema = resolved(properties[name], root)
      const kind = kindOf(schema, Object.hasOwn(args, name) ? args[name] : undefined)
      const title = typeof schema.title === 'string' ? schema.title : undefined
      return {
        name,
        title,
        kind,
        isRequired: required.includes(name),
        ...(kind === 'choice' && { choices: choicesOf(schema) }),
      }
    })
    .filter(({ name, kind }) => kind !== 'masked' || Object.hasOwn(args, name))
}

/** @param {JsonObject} schema @param {unknown} value @returns {FieldKind} */
function kindOf(schema, value) {
  const kind = kindOfSchema(schema)
  if (value === MASK || kind === 'masked') return 'masked'
  return value === undefined || fits(kind, schema, value) ? kind : 'json'
}

/** @param {JsonObject} schema @returns {FieldKind} */
function kindOfSchema(schema) {
  const { type, format, maxLength } = schema
  if (isSensitive(schema) && type !== 'object') return 'masked'
  if (schema.enum !== undefined) return choicesOf(schema) ? 'choice' : 'json'
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type === 'array') return isSchema(schema.items) && isPlainText(schema.items) ? 'texts' : 'json'
  if (type !== 'string') return 'json'
  if (format === 'date-time') return 'moment'
  return typeof maxLength !== 'number' || maxLength > LONG_TEXT ? 'long' : 'text'
}

/**
 * Whether the control shows the value, whole and as it is: hidden characters are seen only as escapes of JSON.
 * @param {FieldKind} kind @param {JsonObject} schema @param {unknown} value
 */
function fits(kind, schema, value) {
  if (kind === 'number' || kind === 'integer') return typeof value === 'number'
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'choice') return choicesOf(schema)?.includes(/** @type {string} */ (value)) === true
  if (kind === 'texts')
    return Array.isArray(value) && value.every(one => typeof one === 'string' && one !== '' && isVisible(one))
  if (typeof value !== 'string') return false
  return isVisible(kind === 'long' ? value.replaceAll('\n', '') : value)
}

/** @param {JsonObject} schema */
const isSensitive = schema => JSON.stringify(schema).includes('"x-sensitive"')

/** @param {JsonObject} schema */
const isPlainText = ({ type, enum: choices }) => type === 'string' && choices === undefined

/** @param {JsonObject} schema @returns {string[] | undefined} */
function choicesOf({ enum: choices }) {
  const isOfTexts =
    Array.isArray(choices) && choices.every(one => typeof one === 'string' && one !== '' && isVisible(one))
  return isOfTexts ? choices : undefined
}

/** A schema, or the definition of the same document that it refers to. @param {unknown} schema @param {JsonObject} root @returns {JsonObject} */
function resolved(schema, root) {
  let found = schema
  for (let steps = 0; isSchema(found) && typeof found.$ref === 'string' && steps < MAX_REFERENCES; steps += 1) {
    const [document, ...names] = found.$ref.split('/')
    if (document !== '#') return {}
    found = names.reduce(
      (/** @type {unknown} */ at, /** @type {string} */ name) =>
        isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined,
      root,
    )
  }
  return isSchema(found) ? found : {}
}

/** @param {unknown} value @returns {value is JsonObject} */
const isSchema = value => typeof value === 'object' && value !== null && !Array.isArray(value)

module.exports = { argumentFields }
