'use strict'

// The fields of a question: the arguments that a form of the protocol can show, with the values that an approval would run.

/** What the protocol's forms know of a text, a number and a boolean. */
const MEMBERS = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
}
const FORMATS = new Set(['email', 'uri', 'date', 'date-time'])
/** A form with more fields is none that a person reads. */
const MAX_FIELDS = 50

/**
 * @typedef {Record<string, any>} Schema foreign, of unchecked members
 * @typedef {Record<string, unknown>} Args
 * @typedef {Partial<Pick<import('../../index.js').ToolMetadata, 'jsonSchema' | 'sensitiveArguments'>>} FormTool
 * @typedef {keyof typeof MEMBERS} FieldType
 */

/**
 * A field for each argument of one primitive type. Lists, objects and sensitive arguments have none: an approval leaves them as
 * they are.
 * @param {FormTool | undefined} tool
 * @param {Args} args as they are shown
 * @returns {Record<string, any>} the properties of a `requestedSchema`
 */
function formFields({ jsonSchema, sensitiveArguments = [] } = {}, args) {
  const fields = Object.entries(/** @type {Schema} */ (jsonSchema)?.properties ?? {})
    .filter(([name]) => !sensitiveArguments.includes(name))
    .map(([name, schema]) => /** @type {const} */ ([name, fieldOf(schema, args[name])]))
    .filter(([, field]) => field !== null)
  return fields.length > MAX_FIELDS ? {} : Object.fromEntries(fields)
}

/** @param {Schema} schema @param {unknown} value @returns {Schema | null} */
function fieldOf(schema, value) {
  const type = typeOf(schema)
  if (type === null || (value !== undefined && !isOf(type, value))) return null
  if (schema.enum !== undefined && (type !== 'string' || !schema.enum.every(isText))) return null
  const { title, description, format, enum: choices } = schema
  const limits = choices === undefined ? MEMBERS[type] : []
  return {
    type,
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...(choices && { enum: choices }),
    ...(FORMATS.has(format) && { format }),
    ...Object.fromEntries(limits.filter(name => name in schema).map(name => [name, schema[name]])),
    ...(value !== undefined && { default: value }),
  }
}

/** The type of a schema, if it is one that a field can have. @param {Schema} schema @returns {FieldType | null} */
function typeOf(schema) {
  const type = schema?.type ?? (Array.isArray(schema?.enum) ? 'string' : undefined)
  return isText(type) && Object.hasOwn(MEMBERS, type) ? /** @type {FieldType} */ (type) : null
}

/** @param {unknown} value @returns {value is string} */
const isText = value => typeof value === 'string'

/** Whether a field of the type can show the value unchanged. @param {FieldType} type @param {unknown} value */
const isOf = (type, value) => (type === 'integer' ? Number.isInteger(value) : typeof value === type)

/**
 * All arguments as the user has changed them; undefined if they have changed none. What a client leaves out, and an empty text for
 * an argument that has no value, is unchanged; what was not asked for is ignored.
 * @param {Record<string, any>} fields
 * @param {Args} shown
 * @param {unknown} content of an accepted form, from the client
 * @returns {Args | undefined}
 */
function changedArgs(fields, shown, content) {
  const given = Object.entries(content ?? {}).filter(([name, value]) => {
    if (!Object.hasOwn(fields, name) || value === null) return false
    return Object.hasOwn(shown, name) ? value !== shown[name] : value !== ''
  })
  return given.length === 0 ? undefined : { ...shown, ...Object.fromEntries(given) }
}

module.exports = { changedArgs, formFields }
