'use strict'

// The template of a tool in one file, made from the template of its category.

/**
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {{ extension: string, zod: boolean }} FileForm `extension`: of the file, `ts`, `js` or `mjs`
 */

/** Fields that `defineTool` sets. */
const DEFAULTED = new Set([
  'toolId',
  'version',
  'category',
  'idempotent',
  'requiresConfirmation',
  'allowedModes',
  'latencyBudgetMs',
])
const HANDLER = /^export async function execute\(([^]*)\n$/

/**
 * @param {{ schema: JsonObject, texts: Record<string, string> }} template of a category, as ES module
 * @param {FileForm} form
 * @returns {Record<string, string>} texts by file name
 */
function oneFileTexts({ schema, texts }, { extension, zod }) {
  const [, handler] = /** @type {RegExpExecArray} */ (HANDLER.exec(texts['handler.js']))
  const { parameters, sideEffects, ...rest } = schema
  const fields = Object.entries(rest).filter(([name]) => !DEFAULTED.has(name) || name === 'category')
  const lines = [
    ...fields.map(([name, value]) => `${name}: ${literal(value)},`),
    `sideEffects: ${literal(sideEffects)},`,
    `parameters: ${zod ? zodText(parameters) : literal(parameters)},`,
    `async execute(${handler},`,
  ]
  const tool = `import { defineTool } from 'toolgate'
${zod ? "import { z } from 'zod'\n" : ''}
export default defineTool({
${indented(lines.join('\n'))}
})
`
  const tests = Object.entries(texts).filter(([name]) => name.startsWith('handler.test.'))
  return {
    [`tool.${extension}`]: tool,
    ...Object.fromEntries(tests.map(([name, text]) => [name.replace('handler', 'tool'), text])),
  }
}

/** @param {string} text */
const indented = text => text.replaceAll(/^(?=.)/gm, '  ')

/** A value as JavaScript: member names without quotes, texts in single ones. @param {unknown} value @returns {string} */
function literal(value) {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)},`)
  return `{\n${indented(members.join('\n'))}\n}`
}

/** The Zod form of an object schema, with the keywords that the templates have. @param {JsonObject} schema */
function zodText({ properties, required = [] }) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const { type, minLength, maxLength, minimum, maximum, default: fallback, description } = schema
    const checks = [
      ['min', minLength ?? minimum],
      ['max', maxLength ?? maximum],
      ['default', fallback],
      ['describe', description],
    ]
    const chain = checks.flatMap(([method, value]) => (value === undefined ? [] : [`.${method}(${literal(value)})`]))
    const optional = required.includes(name) || fallback !== undefined ? '' : '.optional()'
    return `${name}: ${type === 'integer' ? 'z.number().int()' : `z.${type}()`}${chain.join('')}${optional},`
  })
  return `z.object({\n${indented(members.join('\n'))}\n})`
}

module.exports = { oneFileTexts }
