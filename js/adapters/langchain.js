'use strict'

// Toolgate's tools for LangChain and LangGraph: every call goes through a session. A node that LangGraph repeats makes its
// calls again with the same ids, and gets the recorded answers.

const { callThroughGate, declarationsOf, declineCall, notifyHost } = require('./gate-call.js')
const { lastUserMessage } = require('./user-message.js')
const { toModelResponse } = require('../views.js')

/** More replies than a node has calls. */
const MAX_REPLIES = 1000

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./langchain.js').LangChainToolsOptions} LangChainToolsOptions
 * @typedef {import('./langchain.js').ConfirmationInterrupt} ConfirmationInterrupt
 * @typedef {import('./langchain.js').ConfirmationReply} ConfirmationReply
 * @typedef {{ session: Session, registry: import('toolgate').ToolRegistry,
 *   interrupt?: LangChainToolsOptions['interrupt'], onToolResponse?: LangChainToolsOptions['onToolResponse'],
 *   replies: Map<string, ConfirmationReply> }} Gate `replies`: of the user, read and not used yet, by call id
 * @typedef {{ toolCall?: { id?: string }, signal?: AbortSignal, metadata?: { run_id?: unknown },
 *   state?: { messages?: unknown } }} CallConfig of LangChain; `state`: of the graph
 */

/**
 * The tools that a session may use, for `createAgent({ tools })`, `ToolNode` and `bindTools`.
 * @param {Session} session an attached session
 * @param {LangChainToolsOptions} [options]
 */
function toLangChainTools(session, options = {}) {
  const { registry = session.registry, interrupt, onToolResponse } = options
  // Loaded here: LangChain is an optional peer.
  const { DynamicStructuredTool } = require('@langchain/core/tools')
  const GateTool = uncheckedTool(DynamicStructuredTool)
  const gate = { session, registry, interrupt, onToolResponse, replies: new Map() }
  return declarationsOf(session, options).map(
    ({ name, description, parameters }) =>
      new GateTool({
        name,
        description,
        schema: parameters,
        func: (/** @type {unknown} */ args, /** @type {unknown} */ _run, /** @type {CallConfig} */ config) =>
          invoke(gate, name, args, config),
      }),
  )
}

/**
 * A tool that declares its schema but accepts everything: the gate validates, and its answer helps the model.
 * @param {new (fields: any) => any} DynamicStructuredTool
 */
const uncheckedTool = DynamicStructuredTool =>
  class GateTool extends DynamicStructuredTool {
    /** @param {unknown[]} input */
    call(...input) {
      return super.call.apply(Object.create(this, { schema: { value: {} } }), input)
    }
  }

/** @param {Gate} gate @param {string} name @param {unknown} args @param {CallConfig} [config] */
async function invoke(gate, name, args, config) {
  const id = config?.toolCall?.id
  const call = { id, name, args: JSON.stringify(args), message: messageOf(config) }
  const { approved, answer } = await consent(gate, call)
  const { session, registry, onToolResponse } = gate
  const response =
    answer ?? (await callThroughGate({ session, registry, onToolResponse, call, signal: config?.signal, approved }))
  const content = JSON.stringify(response)
  if (id === undefined) return content
  const { ToolMessage } = require('@langchain/core/messages')
  return new ToolMessage({
    content,
    name,
    tool_call_id: id,
    status: response.ok ? 'success' : 'error',
    artifact: response,
  })
}

/**
 * The run of a graph: a server of LangGraph names it, else it is that of the conversation's last message of the user.
 * @param {CallConfig} [config]
 */
function messageOf({ metadata, state } = {}) {
  const run = metadata?.run_id
  return typeof run === 'string' && run !== '' ? { id: `run:${run}` } : lastUserMessage(state?.messages)
}

/**
 * Interrupts the graph if the call needs the user's consent. LangGraph runs the node again with the user's answer.
 * @param {Gate} gate
 * @param {{ id?: string, name: string, args: string }} call
 * @returns {Promise<{ approved?: boolean, answer?: ToolResponse }>} `answer`: nothing is run
 */
async function consent(gate, call) {
  const { session, registry, interrupt, onToolResponse } = gate
  if (interrupt === undefined || call.id === undefined) return {}
  const named = { id: call.id, name: call.name }
  const question = await session.ask(call)
  if (question === null) return {}
  await notifyHost(onToolResponse, question, named)
  const answer = toModelResponse(question)
  const { confirmation_request: request } = answer.error
  const reply = replyTo(gate, { type: 'toolgate_confirmation', callId: call.id, name: call.name, request })
  if (reply === null) return { answer }
  if (reply.approved === true) return { approved: true }
  return { answer: await declineCall(session, registry, named, reply.reason) }
}

/**
 * The user's reply to a call. LangGraph gives replies in the order of a node's interrupts, and the calls of a node
 * can ask in another order as it is repeated: replies to other calls are kept for them.
 * @param {Gate} gate
 * @param {ConfirmationInterrupt} question
 * @returns {ConfirmationReply | null} null if what came is no reply
 * @throws the interrupt of LangGraph if there is no reply yet
 */
function replyTo({ interrupt, replies }, question) {
  for (let read = 0; read < MAX_REPLIES; read += 1) {
    const reply = replies.get(question.callId)
    if (replies.delete(question.callId)) return /** @type {ConfirmationReply} */ (reply)
    const next = /** @type {NonNullable<Gate['interrupt']>} */ (interrupt)(question)
    if (typeof next?.callId !== 'string') return null
    if (replies.size >= MAX_REPLIES) replies.clear()
    replies.set(next.callId, next)
  }
  return null
}

module.exports = { toLangChainTools }
