'use strict'

// Toolgate's tools for the OpenAI Agents SDK (`@openai/agents`): every call of an agent goes through a session. Nothing is
// imported from the SDK: a function tool is a plain object, and one that `tool()` did not make has its arguments passed as
// the model sent them.

const { ConfirmationCards, callText } = require('./confirmation-cards.js')
const { VIA, callThroughGate, declarationsOf, questionOf } = require('./gate-call.js')
const { messageOfRun } = require('./user-message.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./openai-agents.js').AgentToolsOptions} AgentToolsOptions
 * @typedef {import('./gate-call.js').AskingGate & { unasked: Map<string, import('toolgate').ToolResponse> }} Gate `unasked`:
 *   answers to calls that the user is not asked about, until the SDK invokes them
 * @typedef {{ isToolApproved(call: { toolName: string, callId: string }): boolean | undefined }} RunContext
 * @typedef {{ toolCall?: { callId: string }, signal?: AbortSignal }} CallDetails
 */

/**
 * The tools that a session may use, for `new Agent({ tools })`.
 * @param {Session} session an attached session
 * @param {AgentToolsOptions} [options]
 */
function toAgentTools(session, options = {}) {
  const { registry = session.registry, onToolResponse, approvals = !onToolResponse } = options
  /** @type {Gate} */
  const gate = { session, registry, onToolResponse, approvals, cards: new ConfirmationCards(), unasked: new Map() }
  return declarationsOf(session, options).map(declaration => toAgentTool(gate, declaration))
}

/** @param {Gate} gate @param {Declaration} declaration */
function toAgentTool(gate, { name, description, parameters }) {
  return {
    type: 'function',
    name,
    description,
    parameters,
    // The gate's declaration is sent as it is: strict mode would require another one.
    strict: false,
    // Asked before each request: with `toolSearch: 'gate'`, a found tool is declared from then on.
    isEnabled: async () => gate.session.isDeclared(name),
    /** @param {RunContext} context @param {unknown} input @param {string} [callId] */
    needsApproval: async (context, input, callId) =>
      gate.approvals && needsApproval(gate, { id: callId ?? '', name, input, context }),
    /** @param {RunContext} context @param {string} input @param {CallDetails} [details] */
    invoke: (context, input, details) => invoke(gate, name, { context, input, details }),
  }
}

/** @param {Gate} gate @param {{ id: string, name: string, input: unknown, context: RunContext }} asked */
async function needsApproval(gate, { id, name, input, context }) {
  // What is approved already was approved before this question: it is not asked, so that nothing is approved with it.
  if (context.isToolApproved({ toolName: name, callId: id }) === true) return true
  const args = typeof input === 'string' ? input : JSON.stringify(input)
  const call = { id, name, args, message: messageOfRun(context) }
  let asked = await questionOf(gate, call, context)
  if (asked.owner !== undefined && context.isToolApproved({ toolName: name, callId: asked.owner }) === false) {
    await gate.session.deny(asked.owner, undefined, { via: VIA })
    asked = await questionOf(gate, call, context)
  }
  if (asked.answer !== undefined) gate.unasked.set(unaskedKey(id, name, args), asked.answer)
  return asked.question !== undefined
}

/** @param {string | undefined} id @param {string} name @param {string} args */
const unaskedKey = (id, name, args) => JSON.stringify([id ?? '', callText({ name, args })])

/**
 * @param {Gate} gate
 * @param {string} name
 * @param {{ context: RunContext, input: string, details?: CallDetails }} invocation
 * @returns {Promise<string>} the answer for the model, as JSON text
 */
async function invoke({ approvals, unasked, ...gate }, name, { context, input, details }) {
  const id = details?.toolCall?.callId
  const key = unaskedKey(id, name, input)
  const answer = unasked.get(key)
  if (unasked.delete(key)) return JSON.stringify(answer)
  const approved = approvals && id !== undefined && context.isToolApproved({ toolName: name, callId: id }) === true
  const call = { id, name, args: input, message: messageOfRun(context) }
  return JSON.stringify(await callThroughGate({ ...gate, call, signal: details?.signal, approved }))
}

/**
 * Rejects an interruption in the state of a run, and declines the gate's question.
 * @param {Session} session
 * @param {{ reject(interruption: any, options?: object): void }} state
 * @param {{ rawItem?: { callId?: string } }} interruption
 * @param {{ reason?: string }} [options]
 * @returns {Promise<boolean>} whether the question was pending
 */
async function rejectCall(session, state, interruption, { reason } = {}) {
  state.reject(interruption, reason === undefined ? undefined : { message: reason })
  const callId = interruption.rawItem?.callId
  return callId === undefined ? false : session.deny(callId, reason, { via: VIA })
}

module.exports = { rejectCall, toAgentTools }
