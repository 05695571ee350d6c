'use strict'

// Toolgate's tools for Mastra (`@mastra/core`): every call of an agent goes through a session. The gate's questions suspend
// the call, and the user's reply resumes it.

const { callThroughGate, declarationsOf, declineCall, notifyHost } = require('./gate-call.js')
const { toModelResponse } = require('../views.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./mastra.js').MastraToolsOptions} MastraToolsOptions
 * @typedef {{ session: Session, registry: import('toolgate').ToolRegistry, approvals: boolean,
 *   onToolResponse?: MastraToolsOptions['onToolResponse'] }} Gate
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
 * @param {Gate} gate
 * @param {{ id?: string, name: string, args: any }} call
 * @param {ToolContext} [context]
 * @returns {Promise<ToolResponse | void>} nothing if the call is suspended
 */
async function invoke({ approvals, ...gate }, { id, name, args }, { abortSignal: signal, agent } = {}) {
  const call = { id, name, args }
  if (!approvals || id === undefined || agent?.suspend === undefined) return callThroughGate({ ...gate, call, signal })
  const named = { id, name }
  const reply = /** @type {{ approved?: unknown, reason?: unknown } | null | undefined} */ (agent.resumeData)
  if (reply?.approved === true) return callThroughGate({ ...gate, call, signal, approved: true })
  if (reply?.approved === false) return declineCall(gate.session, gate.registry, named, reasonOf(reply))
  const question = await gate.session.ask({ ...call, id })
  if (question === null) return callThroughGate({ ...gate, call, signal })
  await notifyHost(gate.onToolResponse, question, named)
  const answer = toModelResponse(question, { meta: 'lean' })
  if (answer.error?.type !== 'CONFIRMATION_REQUIRED') return answer
  return agent.suspend({ callId: id, name, request: answer.error.confirmation_request })
}

/** @param {{ reason?: unknown }} reply */
const reasonOf = ({ reason }) => (typeof reason === 'string' ? reason : undefined)

module.exports = { toMastraTools }
