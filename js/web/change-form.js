'use strict'

// What whoever decides by a link may change, where the route offers it: the arguments that a form can show, and a grant for later
// calls. Whether a change is allowed is the core's.

const { changedArgs, formFields } = require('../gate/argument-fields.js')
const { PREFIX, linkField } = require('./answer-form.js')

/** The grant of a page: the same as that of the web app's card. */
const GRANT = { calls: 20, ttlMs: 600_000 }

/** The longest text that a field has, in characters: a person must see all of it. */
const MAX_TEXT = 2000

/**
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./index.js').LinkField} LinkField
 * @typedef {import('../../index.js').ShownArguments['rows']} Rows
 * @typedef {import('../gate/argument-fields.js').FormTool & { grantable?: 'args' | 'tool' }} Tool
 * @typedef {{ args: JsonObject, approvers?: { count: number } }} AskedCall
 */

/**
 * @param {Tool | undefined} tool @param {AskedCall} question @param {Rows} rows as a person sees them
 * @returns {{ fields: LinkField[], grantable?: 'args' | 'tool' }}
 */
function offeredChanges(tool, { args, approvers }, rows) {
  // Of several approvers, each confirms what the others saw; and none grants later calls.
  if (approvers !== undefined && approvers.count > 1) return { fields: [] }
  const fields = Object.entries(shownFields(tool, args, rows)).map(([name, schema]) => changeField(name, schema))
  const grantable = approvers === undefined ? tool?.grantable : undefined
  return { fields, ...(grantable !== undefined && { grantable }) }
}

/**
 * The fields of values that a page shows as they are: not those with hidden characters, or with what a browser's field would change.
 * @param {Tool | undefined} tool @param {JsonObject} args @param {Rows} rows
 * @returns {Record<string, any>}
 */
function shownFields(tool, args, rows) {
  const shown = new Map(rows.map(({ name, value }) => [name, value]))
  const isPlain = (/** @type {unknown} */ value, /** @type {string} */ name) =>
    typeof value !== 'string' || (value.length <= MAX_TEXT && shown.get(name) === value && !/[\r\n]/.test(value))
  return Object.fromEntries(Object.entries(formFields(tool, args)).filter(([name]) => isPlain(args[name], name)))
}

/** @param {string} name @param {any} schema @returns {LinkField} */
function changeField(name, { type, enum: choices, format: _checkedByTheGate, default: given, ...schema }) {
  // A box that is not ticked would be an answer, too.
  const values = type === 'boolean' ? { enum: ['true', 'false'] } : choices === undefined ? {} : { enum: choices }
  const text = given === undefined || type !== 'boolean' ? given : String(given)
  return linkField({
    name,
    schema: {
      ...schema,
      ...values,
      type: type === 'boolean' ? 'string' : type,
      ...(text !== undefined && { default: text }),
    },
    isRequired: given !== undefined && (type !== 'string' || choices !== undefined),
  })
}

/**
 * The arguments as a form has them; undefined if none was changed.
 * @param {Tool | undefined} tool @param {AskedCall} question @param {Rows} rows @param {URLSearchParams} sent
 */
function changedByForm(tool, { args }, rows, sent) {
  const fields = shownFields(tool, args, rows)
  const changes = Object.entries(fields).flatMap(([name, { type }]) => {
    const texts = sent.getAll(PREFIX + name).map(text => text.replaceAll('\r\n', '\n'))
    return texts.length !== 1 || texts[0] === String(args[name] ?? '') ? [] : [[name, valueOf(type, texts[0])]]
  })
  return changedArgs(fields, args, Object.fromEntries(changes))
}

/** What is not understood is sent on as it is, and refused. @param {string} type @param {string} text */
function valueOf(type, text) {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'string' || text.trim() === '' || !Number.isFinite(Number(text))) return text
  return Number(text)
}

/** @param {URLSearchParams} sent */
function grantByForm(sent) {
  const scope = sent.get('grant') ?? ''
  return scope === '' ? undefined : { scope, ...GRANT }
}

module.exports = { GRANT, changedByForm, grantByForm, offeredChanges }
