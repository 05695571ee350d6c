'use strict'

// Toolgate's tools for the OpenAI Agents SDK (`@openai/agents`): every call of an agent goes through a session. Nothing is
// imported from the SDK: a function tool is a plain object, and one that `tool()` did not make has its arguments passed as
// the model sent them.

const { ConfirmationCards, callText } = require('./confirmation-cards.js')
const { VIA, callThroughGate, declarationsOf, endedAnswer, questionOf, refusal } = require('./gate-call.js')
const { messageOfAgentRun } = require('./user-message.js')
const { parsedArgs } = require('../values/json-text.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./openai-agents.js').AgentToolsOptions} AgentToolsOptions
 * @typedef {import('./gate-call.js').AskingGate & { unasked: Map<string, import('toolgate').ToolResponse> }} Gate `unasked`:
 *   answers to calls that the user is not asked about, until the SDK invokes them
 * @typedef {{ isToolApproved(call: { toolName: string, callId: string }): boolean | undefined,
 *   toJSON(): { approvals: Record<string, unknown> } }} RunContext
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
  const args = typeof input === 'string' ? input : parsedArgs(input)
  const call = { id, name, args, message: messageOf(gate, context) }
  let asked = await questionOf(gate, call, context)
  if (asked.owner !== undefined && context.isToolApproved({ toolName: name, callId: asked.owner }) === false) {
    await gate.session.deny(asked.owner, undefined, { via: VIA })
    asked = await questionOf(gate, call, context)
  }
  if (asked.answer !== undefined) gate.unasked.set(unaskedKey(id, name, args), asked.answer)
  return asked.question !== undefined
}

/**
 * The message of a run. A restored state has a new context, with decisions about tools that the gate has not asked about in it.
 * @param {{ session: Session, registry: import('toolgate').ToolRegistry }} gate @param {RunContext} context
 */
const messageOf = ({ session, registry }, context) =>
  messageOfAgentRun(session, context, () =>
    Object.keys(context?.toJSON?.().approvals ?? {}).some(name => Boolean(registry.getToolMetadata(name))),
  )

/** @param {string | undefined} id @param {string} name @param {string | Record<string, unknown>} args */
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
  const known = unasked.get(key)
  if (unasked.delete(key)) return JSON.stringify(known)
  const call = { id, name, args: input, message: messageOf(gate, context) }
  const isApproved = (/** @type {string | undefined} */ callId) =>
    approvals && callId !== undefined && context.isToolApproved({ toolName: name, callId }) === true
  const made = { ...gate, call, signal: details?.signal, approved: isApproved(id) }
  // An approval of all calls is also one of a call that no model has made.
  const answer = isApproved(NO_CALL) ? await callOfAlwaysApproved(made) : await callThroughGate(made)
  return JSON.stringify(answer)
}

/** The id of no call. */
const NO_CALL = 'toolgate: no call'

/** What `alwaysApprove` grants: the widest scope that the tool allows. */
const ALWAYS = { calls: 100, ttlMs: 60 * 60 * 1000 }

/**
 * Makes a call of a tool with `alwaysApprove`. The interrupted call is confirmed, with a grant if the tool allows one. Any other
 * was not shown to the user: it runs if it needs no confirmation, or by a grant.
 * @param {import('./gate-call.js').GateCall} made
 */
async function callOfAlwaysApproved(made) {
  const { session, call } = made
  if ((await session.listPending()).some(({ callId }) => callId === call.id)) {
    const scope = made.registry.getToolMetadata(call.name)?.grantable
    return callThroughGate(scope === undefined ? made : { ...made, grant: { scope, ...ALWAYS } })
  }
  const answer = await callThroughGate({ ...made, approved: false })
  if (answer.ok || answer.error.type !== 'CONFIRMATION_REQUIRED') return answer
  // The SDK holds it for approved, so it asks no user: none must find it pending either.
  await session.deny(call.id ?? '', 'not asked: approved by `alwaysApprove`', { via: VIA })
  return notGranted(made)
}

/** @param {import('./gate-call.js').GateCall} made */
const notGranted = ({ session, registry, call: { id, name } }) =>
  refusal(
    session,
    registry,
    { id: id ?? '', name },
    {
      type: 'CONFIRMATION_EXPIRED',
      message: `\`${name}\` has not run: \`alwaysApprove\` does not cover this call, because the tool allows no grant for it (\`confirmation.grantable\`), or its grant has ended`,
      details: { reason: 'not_granted' },
      suggestion: 'go on without it, and say that each call of this tool is confirmed by itself',
    },
  )

/**
 * Rejects an interruption in the state of a run, and declines the gate's question.
 * @param {Session} session
 * @param {{ reject(interruption: any, options?: object): void }} state
 * @param {{ rawItem?: { callId?: string, name?: string } }} interruption
 * @param {{ reason?: string }} [options]
 * @returns {Promise<boolean>} whether the question was pending
 */
async function rejectCall(session, state, interruption, { reason } = {}) {
  const { callId, name = '' } = interruption.rawItem ?? {}
  const isDenied = callId !== undefined && (await session.deny(callId, reason, { via: VIA }))
  const call = { id: callId ?? '', name }
  const ended = isDenied
    ? undefined
    : await endedAnswer({ session, registry: session.registry }, call, { callId: call.id })
  const message = ended === undefined ? reason : JSON.stringify(ended)
  state.reject(interruption, message === undefined ? undefined : { message })
  return isDenied
}

module.exports = { rejectCall, toAgentTools }
