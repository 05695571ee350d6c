'use strict'

// A tool in one file.

const { described } = require('../authoring/exported-value.js')

const EFFECTS = ['none', 'read_only', 'writes']
const FUNCTION = 'a function, `async execute({ args }) { … }`'
const SCHEMA = 'a schema, such as `z.object({ … })`'
/** Names that other libraries have for the fields. */
const OTHER_NAMES = {
  execute: ['handler', 'run', 'call', 'invoke', 'func', 'fn', 'callback', 'handle'],
  parameters: ['inputSchema', 'input_schema', 'schema', 'input', 'args', 'params', 'argsSchema'],
  sideEffects: ['sideEffect', 'effects', 'effect', 'side_effects'],
}

/**
 * The tool that a `tool.ts` or `tool.js` exports, with the fields that it leaves out. A tool that writes asks its user
 * first unless it says otherwise.
 * @template {import('../../index.js').ToolDefinition<any>} Definition
 * @param {Definition} definition
 * @throws {TypeError} if `execute`, `sideEffects` or `parameters` is missing
 */
function defineTool(definition) {
  const { execute, reconcile, sideEffects, parameters } = definition ?? {}
  if (described(execute) !== 'a function') throw refused(definition, 'execute', FUNCTION)
  if (reconcile !== undefined && typeof reconcile !== 'function')
    throw refused(definition, 'reconcile', 'a function, or leave it out')
  if (!EFFECTS.includes(sideEffects))
    throw refused(definition, 'sideEffects', `one of ${EFFECTS.map(one => `\`${one}\``).join(', ')}`)
  if (parameters === undefined || parameters === null) throw refused(definition, 'parameters', SCHEMA)
  const writes = sideEffects === 'writes'
  return Object.freeze({
    version: '0.1.0',
    category: writes ? 'action' : 'utility',
    idempotent: !writes,
    requiresConfirmation: writes,
    allowedModes: ['text', 'voice'],
    latencyBudgetMs: 1000,
    ...definition,
  })
}

/**
 * @param {any} definition
 * @param {keyof OTHER_NAMES | 'reconcile'} name of the field
 * @param {string} right what it must be
 * @returns {TypeError} `what` and `help`: for the findings of a build
 */
function refused(definition, name, right) {
  const value = definition?.[name]
  const others = /** @type {Record<string, string[]>} */ (OTHER_NAMES)[name] ?? []
  const other = value === undefined ? others.find(one => definition?.[one] !== undefined) : undefined
  const what =
    other !== undefined
      ? `\`${name}\` is missing; \`${other}\` is not a field of a tool`
      : value === undefined
        ? `\`${name}\` is missing`
        : `\`${name}\` is ${typeof value === 'string' ? `\`${value.slice(0, 50)}\`` : described(value)}`
  const help = other === undefined ? `write ${right}` : `rename \`${other}\` to \`${name}\`: ${right}`
  return Object.assign(new TypeError(`defineTool(): ${what}; ${help}`), { code: 'TOOL_DEFINITION', what, help })
}

module.exports = { defineTool }
