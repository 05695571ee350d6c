'use strict'

// Toolgate's tools for Mastra (`@mastra/core`): every call of an agent goes through a session. The gate's questions suspend
// the call, and the user's reply resumes it.

const { callIdOf } = require('./call-id.js')
const { progressChunk } = require('./call-progress.js')
const { ConfirmationCards } = require('./confirmation-cards.js')
const { callOrAsk, declarationsOf } = require('./gate-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').AskingGate} AskingGate
 * @typedef {import('./mastra.js').MastraToolsOptions} MastraToolsOptions
 * @typedef {{ toolCallId?: string, resumeData?: unknown, suspendPayload?: { nonce?: unknown },
 *   suspend?(payload: object): Promise<void> }} AgentContext
 * @typedef {{ abortSignal?: AbortSignal, runId?: string, agent?: AgentContext, writer?: { write(chunk: unknown): Promise<void> } }} MastraContext
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
  const gate = { session, registry, onToolResponse, approvals, cards: new ConfirmationCards() }
  const tools = Object.create(null)
  for (const { name, description, parameters } of declarationsOf(session, options)) {
    tools[name] = createTool({
      id: name,
      description,
      inputSchema: uncheckedSchema(parameters),
      /** @param {unknown} args @param {MastraContext} [context] */
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
 * @param {MastraContext} [context]
 * @returns {Promise<ToolResponse | void>} nothing if the call is suspended
 */
async function invoke(gate, { id, name, args }, { abortSignal: signal, runId, agent, writer } = {}) {
  const call = { id: callIdOf(id), name, args }
  const canSuspend = agent?.suspend !== undefined && Boolean(id)
  const { answer, request, nonce } = await callOrAsk({ ...gate, approvals: gate.approvals && canSuspend }, call, {
    signal,
    onProgress: writer && (update => writer.write(progressChunk(call, update))),
    reply: replyOf(agent),
    // A run waits for its replies before the model is asked again.
    message: runId,
  })
  return request === undefined ? answer : agent?.suspend?.({ callId: call.id, name, nonce, request })
}

/**
 * The user's reply. Mastra takes `resumeData` out of a model's arguments too, and prefers it; the payload of the suspension
 * comes from its storage, and only with a call that was suspended. Versions before 1.68 do not hand it to a tool.
 * @param {AgentContext} [agent]
 */
function replyOf({ resumeData, suspendPayload } = {}) {
  const nonce = /** @type {{ nonce?: unknown } | null | undefined} */ (resumeData)?.nonce
  return typeof nonce === 'string' && nonce === suspendPayload?.nonce ? resumeData : undefined
}

module.exports = { toMastraTools }
