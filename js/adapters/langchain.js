'use strict'

// Toolgate's tools for LangChain and LangGraph: every call goes through a session. A node that LangGraph repeats makes its
// calls again with the same ids, and gets the recorded answers.

const { createHash } = require('node:crypto')
const { isUnstable } = require('./call-id.js')
const { progressChunk } = require('./call-progress.js')
const { ConfirmationCards, callText, nonceOf } = require('./confirmation-cards.js')
const { callThroughGate, declarationsOf, denyCall, questionOf, shownQuestion } = require('./gate-call.js')
const { lastUserMessage } = require('./user-message.js')
const { parsedArgs } = require('../values/json-text.js')

/** More replies than a node has calls. */
const MAX_REPLIES = 1000

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {import('./langchain.js').LangChainToolsOptions} LangChainToolsOptions
 * @typedef {import('./langchain.js').ConfirmationInterrupt} ConfirmationInterrupt
 * @typedef {import('./langchain.js').ConfirmationReply} ConfirmationReply
 * @typedef {import('./gate-call.js').AskingGate & { interrupt?: LangChainToolsOptions['interrupt'],
 *   replies: Map<string, ConfirmationReply> }} Gate `replies`: of the user, read and not used yet, see `replyKey`
 * @typedef {{ toolCall?: { id?: string }, signal?: AbortSignal, state?: { messages?: unknown }, writer?: ((chunk: unknown) => void) | null,
 *   metadata?: { run_id?: unknown, thread_id?: unknown, langgraph_step?: unknown, langgraph_checkpoint_ns?: unknown } }} CallConfig
 *   of LangChain; `state`: of the graph; `writer`: to its stream of the mode `custom`
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
  const approvals = interrupt !== undefined
  const gate = {
    session,
    registry,
    approvals,
    interrupt,
    onToolResponse,
    cards: new ConfirmationCards(),
    replies: new Map(),
  }
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
  const { registry, onToolResponse } = gate
  const known = gateId(registry, { id, name, args }, config)
  const call = { id: known, name, args: parsedArgs(args), message: messageOf(config) }
  // The host knows the call by the model's id.
  const shownId = id ?? known ?? ''
  /** @type {Gate} */
  const own = {
    ...gate,
    onToolResponse: onToolResponse && (response => onToolResponse(response, { id: shownId, name })),
  }
  const { answer, ...confirmed } = await consent(own, call, shownId, stepOf(config))
  const onProgress = takeProgress({ id: shownId, name }, config)
  const response = answer ?? (await callThroughGate({ ...own, call, signal: config?.signal, onProgress, ...confirmed }))
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

/** @param {{ id: string, name: string }} call @param {CallConfig} [config] @returns {import('./call-progress.js').TakeProgress | undefined} */
function takeProgress(call, config) {
  const write = config?.writer
  return typeof write === 'function' ? update => write(progressChunk(call, update)) : undefined
}

/**
 * The id of a call for the gate. Without a stable one the gate knows a call by its content and turn, and a node that LangGraph
 * repeats after its user took time to answer would write again in another turn: such a call is known by its task, which has
 * the same name each time. A read that a node makes by itself, without an id, may run again.
 * @param {import('toolgate').ToolRegistry} registry
 * @param {{ id?: string, name: string, args: unknown }} call
 * @param {CallConfig} [config]
 */
function gateId(registry, { id, name, args }, { metadata } = {}) {
  const task = metadata?.langgraph_checkpoint_ns
  if (typeof task !== 'string' || task === '' || (id !== undefined && !isUnstable(id, name))) return id
  if (id === undefined && registry.getToolMetadata(name)?.sideEffects !== 'writes') return id
  const digest = createHash('sha256').update(JSON.stringify([task, id ?? null, callText({ name, args })]))
  return `task_${digest.digest('hex').slice(0, 32)}`
}

/**
 * The last message of the user in the graph's state. A graph without messages is identified by its step, or by its run. Each of them but
 * the run stays the same where LangGraph makes the calls of a node again for a reply: they must not begin a turn, in which
 * calls whose ids come again would run again.
 * @param {CallConfig} [config]
 */
function messageOf(config = {}) {
  const known = lastUserMessage(config.state?.messages)
  const id = stepOf(config) ?? config.metadata?.run_id
  return known ?? (typeof id === 'string' && id !== '' ? { id: `run:${id}` } : undefined)
}

/**
 * What stands for the model's message: the step of a thread, which is the same for all calls of the message, also if they
 * are made again for a reply.
 * @param {CallConfig} [config]
 */
function stepOf({ metadata } = {}) {
  const { thread_id: thread, langgraph_step: step } = metadata ?? {}
  return step === undefined ? undefined : JSON.stringify([thread, step])
}

/**
 * Interrupts the graph if the call needs the user's consent. LangGraph runs the node again with the user's answer.
 * @param {Gate} gate
 * @param {{ id?: string, name: string, args: string | Record<string, unknown> }} call
 * @param {string} shownId
 * @param {string} [step]
 * @returns {Promise<{ approved?: boolean, token?: string, args?: Record<string, unknown>, answer?: ToolResponse }>} `answer`: nothing is run
 */
async function consent(gate, { id, ...call }, shownId, step) {
  if (!gate.approvals || !id) return {}
  const identified = { ...call, id }
  const { answer, question, token = '' } = await questionOf(gate, identified, step)
  if (question === undefined) return { answer }
  const { answer: shown, request } = shownQuestion(question)
  const nonce = nonceOf(token, id)
  const reply = replyTo(gate, { type: 'toolgate_confirmation', callId: shownId, name: call.name, nonce, request }, step)
  if (reply?.approved === true) return { approved: true, token, args: reply.args }
  if (reply?.approved === false) return { answer: await denyCall(gate, identified, token, reply.reason) }
  return { answer: shown }
}

/**
 * The user's reply to a call. LangGraph gives replies in the order of a node's interrupts, and the calls of a node
 * can ask in another order as it is repeated: replies to other calls are kept for them.
 * @param {Gate} gate
 * @param {ConfirmationInterrupt} question
 * @param {string} [step]
 * @returns {ConfirmationReply | null} null if what came is no reply
 * @throws the interrupt of LangGraph if there is no reply yet
 */
function replyTo({ interrupt, replies }, question, step) {
  const { callId, nonce } = question
  const keys = [{ nonce, approved: true }, { approved: true }, { approved: false }].map(reply =>
    replyKey({ ...reply, callId }, step),
  )
  for (let read = 0; read < MAX_REPLIES; read += 1) {
    for (const key of keys) {
      const reply = replies.get(key)
      if (replies.delete(key)) return /** @type {ConfirmationReply} */ (reply)
    }
    const next = /** @type {NonNullable<Gate['interrupt']>} */ (interrupt)(question)
    if (typeof next?.callId !== 'string' || typeof next.approved !== 'boolean') return null
    if (replies.size >= MAX_REPLIES) replies.clear()
    replies.set(replyKey(next, step), next)
  }
  return null
}

/**
 * What a reply belongs to. An approval with a nonce is for the confirmation that it went out with; one without, and a refusal, for
 * the call in this step. LangGraph gives a refusal again when it repeats the node, and by then its confirmation is closed.
 * @param {{ callId: string, nonce?: string, approved: boolean }} reply
 * @param {string} [step]
 */
const replyKey = ({ callId, nonce, approved }, step) =>
  JSON.stringify(approved && nonce !== undefined ? [nonce] : [approved, step, callId])

module.exports = { toLangChainTools }
