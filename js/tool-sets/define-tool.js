'use strict'

// A tool in one file.

const EFFECTS = ['none', 'read_only', 'writes']

/**
 * The tool that a `tool.ts` or `tool.js` exports, with the fields that it leaves out. A tool that writes asks its user
 * first unless it says otherwise.
 * @template {import('../../index.js').ToolDefinition<any>} Definition
 * @param {Definition} definition
 * @throws {TypeError} if `execute`, `sideEffects` or `parameters` is missing
 */
function defineTool(definition) {
  const { execute, reconcile, sideEffects, parameters } = definition ?? {}
  if (typeof execute !== 'function') throw new TypeError('defineTool() takes `execute`, a function')
  if (reconcile !== undefined && typeof reconcile !== 'function')
    throw new TypeError('`reconcile` must be a function; leave it out if the tool has none')
  if (!EFFECTS.includes(sideEffects)) throw new TypeError(`\`sideEffects\` must be one of ${EFFECTS.join(', ')}`)
  if (parameters === undefined || parameters === null) {
    throw new TypeError('defineTool() takes `parameters`, a schema such as `z.object({})`')
  }
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

module.exports = { defineTool }
