'use strict'

// Toolgate's tools for Mastra (`@mastra/core`): every call of an agent goes through a session. The gate's questions suspend
// the call, and the user's reply resumes it.

const { callOrAsk, declarationsOf } = require('./gate-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').AskingGate} AskingGate
 * @typedef {import('./mastra.js').MastraToolsOptions} MastraToolsOptions
 * @typedef {{ toolCallId?: string, resumeData?: unknown, suspend?(payload: object): Promise<void> }} AgentContext
 * @typedef {{ abortSignal?: AbortSignal, agent?: AgentContext }} ToolContext
 */

/**
 * The tools that a session may use, for `new Agent({ tools })`.
 * @param {Session} session an attached session
 * @param {MastraToolsOptions} [options]
 */
function toMastraTools(session, options = {}) {
  const { registry = session.registry, onToolResponse, approvals = !onToolResponse } = options
  // Loaded here: Mastra is an optional peer.
  const { createTool } = /** @type {(id: string) => any} */ (require)('@mastra/core/tools')
  const gate = { session, registry, onToolResponse, approvals }
  const tools = Object.create(null)
  for (const { name, description, parameters } of declarationsOf(session, options)) {
    tools[name] = createTool({
      id: name,
      description,
      inputSchema: uncheckedSchema(parameters),
      /** @param {unknown} args @param {ToolContext} [context] */
      execute: (args, context) => invoke(gate, { id: context?.agent?.toolCallId, name, args }, context),
    })
  }
  return tools
}

/**
 * A Standard Schema that is declared to the model but accepts everything: the gate validates, and its answer helps the
 * model.
 * @param {object} parameters JSON Schema
 */
const uncheckedSchema = parameters => ({
  '~standard': {
    version: 1,
    vendor: 'toolgate',
    /** @param {unknown} value */
    validate: value => ({ value }),
    jsonSchema: { input: () => parameters, output: () => parameters },
  },
})

/**
 * @param {AskingGate} gate
 * @param {{ id?: string, name: string, args: any }} call
 * @param {ToolContext} [context]
 * @returns {Promise<ToolResponse | void>} nothing if the call is suspended
 */
async function invoke(gate, call, { abortSignal: signal, agent } = {}) {
  const canSuspend = agent?.suspend !== undefined
  const { answer, request } = await callOrAsk({ ...gate, approvals: gate.approvals && canSuspend }, call, {
    signal,
    reply: agent?.resumeData,
  })
  return request === undefined ? answer : agent?.suspend?.({ callId: call.id, name: call.name, request })
}

module.exports = { toMastraTools }
