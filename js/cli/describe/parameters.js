'use strict'

// Formats a schema's properties: name, type, bounds, description. The JSON output contains the whole schema.

const { harmless } = require('../terminal.js')
const { wrapped } = require('./wrap.js')

/** Deeper properties are only in the JSON output. */
const DEEPEST = 4

/**
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {string | number | undefined} Bound
 */

/** @param {JsonObject} schema an object schema @param {import('../terminal.js').Look} look @returns {string} */
function renderParameters(schema, look) {
  const lines = [...linesOf(schema, look, 1)]
  return lines.length === 0 ? '  none\n' : `${lines.join('\n')}\n`
}

/**
 * @param {JsonObject} schema
 * @param {import('../terminal.js').Look} look
 * @param {number} depth
 * @returns {Generator<string>}
 */
function* linesOf(schema, look, depth) {
  const { paint, width } = look
  const indent = '  '.repeat(depth)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) === true
    const facts = [
      typeOf(property),
      ...bounds(property),
      property.default === undefined ? null : `default ${JSON.stringify(property.default)}`,
    ].filter(Boolean)
    yield `${indent}${paint.cyan(harmless(name))}${isRequired ? '' : paint.dim('?')}  ${paint.dim(harmless(facts.join(', ')))}`
    if (property.description) yield* wrapped(harmless(property.description), width, `${indent}    `)
    if (depth < DEEPEST) yield* linesOf(property.type === 'array' ? (property.items ?? {}) : property, look, depth + 1)
  }
}

/** @param {JsonObject} schema @returns {string} */
function typeOf({ type, enum: values, const: only, items, anyOf, oneOf, $ref, format }) {
  if (values !== undefined) return values.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if ($ref !== undefined) return $ref.split('/').at(-1)
  const choices = anyOf ?? oneOf
  if (type === undefined && choices !== undefined) return choices.map(typeOf).join(' | ')
  const plain = type === 'array' ? `${items ? typeOf(items) : 'any'}[]` : [type ?? 'any'].flat().join(' | ')
  return format === undefined ? plain : `${plain} (${format})`
}

/** @param {JsonObject} schema */
function bounds(schema) {
  return [
    between(
      schema.minimum ?? exclusive('above', schema.exclusiveMinimum),
      schema.maximum ?? exclusive('below', schema.exclusiveMaximum),
      '',
    ),
    between(schema.minLength, schema.maxLength, ' characters'),
    between(schema.minItems, schema.maxItems, ' items'),
    schema.pattern === undefined ? null : `/${schema.pattern}/`,
  ]
}

/** @param {string} word @param {number | undefined} value */
const exclusive = (word, value) => (value === undefined ? undefined : `${word} ${value}`)

/** @param {Bound} least @param {Bound} most @param {string} unit */
function between(least, most, unit) {
  if (least === undefined && most === undefined) return null
  if (least === undefined) return `at most ${most}${unit}`
  if (most === undefined) return `at least ${least}${unit}`
  return `${least} to ${most}${unit}`
}

module.exports = { renderParameters }
