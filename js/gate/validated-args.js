'use strict'

// The check of arguments without a call.

const { ToolError } = require('../answers/errors.js')
const { argsText, unwritableIssue } = require('../values/json-text.js')

/**
 * @param {Pick<import('../../native.js').NativeGate, 'validateArgs'>} gate a gate, or a tool set
 * @param {string} toolId
 * @param {import('../../index.js').ToolCall['args']} args
 * @returns {ReturnType<import('../../index.js').ToolRegistry['validateArgs']>}
 * @throws {ToolError} if the tool is unknown
 */
function validatedArgs(gate, toolId, args) {
  const { text, problem } = argsText(args)
  if (problem !== null) return { valid: false, errors: [unwritableIssue(problem)] }
  const { args: completed, error } = JSON.parse(gate.validateArgs(toolId, text))
  if (error === undefined) return { valid: true, errors: [], args: completed }
  if (error.type !== 'VALIDATION') throw new ToolError(error.type, error.message, error)
  return { valid: false, errors: error.details ?? [] }
}

module.exports = { validatedArgs }
