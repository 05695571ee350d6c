'use strict'

// The form of a server's question behind a link: its fields, and what a browser sends of them.

const { answerFields } = require('../gate/server-question-form.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('./index.js').LinkField} LinkField */
/** @typedef {{ const?: unknown, title?: unknown }} TitledChoice */

/** What the names of a page's fields begin with: the page's own fields have none. */
const PREFIX = 'field.'

/** @param {JsonObject} args of the question @returns {LinkField[]} */
function linkFields(args) {
  return answerFields(args).map(linkField)
}

/** @param {{ name: string, schema: JsonObject, isRequired: boolean }} field @returns {LinkField} */
function linkField({ name, schema, isRequired }) {
  const { title, description, type, format, default: given } = schema
  const choices = choicesOf(schema)
  return {
    name,
    title: String(title ?? name),
    type: type === 'array' ? 'choices' : choices === undefined ? /** @type {LinkField['type']} */ (type) : 'choice',
    required: isRequired,
    ...(typeof description === 'string' && { description }),
    ...(typeof format === 'string' && { format }),
    ...(choices !== undefined && { choices }),
    ...(given !== undefined && { default: given }),
  }
}

/** @param {JsonObject} schema @returns {{ value: string, title: string }[] | undefined} */
function choicesOf({ type, items, enum: values, enumNames, oneOf, anyOf }) {
  if (type === 'array') return choicesOf(/** @type {JsonObject} */ (items))
  const titled = /** @type {TitledChoice[] | undefined} */ (oneOf ?? anyOf)
  if (titled !== undefined) return titled.map(one => ({ value: String(one.const), title: String(one.title) }))
  const names = /** @type {unknown[]} */ (enumNames ?? [])
  return /** @type {string[] | undefined} */ (values)?.map((value, place) => ({
    value,
    title: String(names[place] ?? value),
  }))
}

/**
 * The values of a form: a browser sends texts. An empty one is none, and what is not understood is sent on as it is, and refused.
 * @param {JsonObject} args of the question @param {URLSearchParams} sent
 */
function formValues(args, sent) {
  const values = linkFields(args).map(({ name, type }) => [name, valueOf(type, sent.getAll(PREFIX + name))])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** @param {LinkField['type']} type @param {string[]} texts */
function valueOf(type, texts) {
  if (type === 'boolean') return texts.length > 0
  const given = texts.filter(text => text !== '')
  if (type === 'choices') return given
  if (given.length === 0) return undefined
  const number = Number(given[0])
  return (type === 'number' || type === 'integer') && Number.isFinite(number) ? number : given[0]
}

module.exports = { PREFIX, formValues, linkField, linkFields }
