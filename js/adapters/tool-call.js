'use strict'

// One function for a framework without an adapter of its own: its tool calls go in, answers for its model come out.

const { callIdOf } = require('./call-id.js')
const {
  callThroughGate,
  declarationsOf,
  deniedAnswer,
  denyCall,
  notifyHost,
  shownQuestion,
  tokenOf,
} = require('./gate-call.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./tool-call.js').ToolCallOptions} ToolCallOptions
 * @typedef {import('./tool-call.js').FrameworkCall} FrameworkCall
 * @typedef {import('./gate-call.js').IdentifiedCall} IdentifiedCall
 * @typedef {Pick<FrameworkCall, 'signal' | 'onProgress'>} Made
 * @typedef {{ approved: unknown, reason?: string, args?: Record<string, unknown> }} Reply
 * @typedef {{ session: Session, registry: import('toolgate').ToolRegistry, confirm?: ToolCallOptions['confirm'],
 *   onToolResponse?: ToolCallOptions['onToolResponse'], meta?: ToolCallOptions['meta'],
 *   asking: Map<string, Promise<{ reply: Reply, answer: ToolResponse }>> }} Gate `asking`: by token, what comes of the call
 *   whose user is being asked
 */

/**
 * The function that makes a framework's tool calls through a session.
 * @param {Session} session an attached session
 * @param {ToolCallOptions} [options]
 */
function wrapToolCall(session, { registry = session.registry, confirm, onToolResponse, meta } = {}) {
  /** @type {Gate} */
  const gate = { session, registry, confirm, onToolResponse, meta, asking: new Map() }
  /** @param {FrameworkCall} framework */
  return ({ id, name, args, message, signal, onProgress }) =>
    makeCall(gate, { id: callIdOf(id), name, args, message }, { signal, onProgress })
}

/**
 * @param {Gate} gate
 * @param {IdentifiedCall} call
 * @param {Made} made
 * @returns {Promise<ToolResponse>}
 */
async function makeCall(gate, call, made) {
  const question = gate.confirm === undefined ? null : await gate.session.ask(call)
  const token = tokenOf(question)
  if (question === null || token === undefined) return run(gate, call, made)
  const equal = gate.asking.get(token)
  if (equal !== undefined) return answerAsEqual(gate, call, made, equal)
  const asked = askUser(gate, call, question, token, made)
  gate.asking.set(token, asked)
  try {
    return (await asked).answer
  } finally {
    gate.asking.delete(token)
  }
}

/**
 * Puts the gate's question to the user.
 * @param {Gate} gate
 * @param {IdentifiedCall} call
 * @param {ToolResponse} question
 * @param {string} token
 * @param {Made} made
 * @returns {Promise<{ reply: Reply, answer: ToolResponse }>}
 */
async function askUser(gate, call, question, token, made) {
  const { confirm, onToolResponse, meta = 'lean' } = gate
  await notifyHost(onToolResponse, question, { id: call.id, name: call.name })
  const { answer, request } = shownQuestion(question, meta)
  const reply = toReply(await confirm?.({ callId: call.id, name: call.name, request }))
  if (reply.approved === true) return { reply, answer: await run(gate, call, made, { token, args: reply.args }) }
  if (reply.approved === false) return { reply, answer: await denyCall(gate, call, token, reply.reason) }
  return { reply, answer }
}

/**
 * The answer to a call that came while the user was being asked about an equal one: they are one question.
 * @param {Gate} gate
 * @param {IdentifiedCall} call
 * @param {Made} made
 * @param {Promise<{ reply: Reply, answer: ToolResponse }>} equal
 */
async function answerAsEqual(gate, call, made, equal) {
  const { reply, answer } = await equal
  if (reply.approved === false) return deniedAnswer(gate, call, reply.reason)
  // The gate answers it as the equal call: it does not run again.
  return reply.approved === true ? run(gate, call, made) : answer
}

/** @param {Awaited<ReturnType<NonNullable<ToolCallOptions['confirm']>>>} reply @returns {Reply} */
const toReply = reply => (typeof reply === 'object' && reply !== null ? reply : { approved: reply })

/**
 * @param {Gate} gate @param {IdentifiedCall} call @param {Made} made
 * @param {{ token: string, args?: Record<string, unknown> }} [approved] the question that the user has approved; `args`: as changed
 */
const run = ({ session, registry, onToolResponse, meta }, call, made, approved) =>
  callThroughGate({
    ...{ session, registry, onToolResponse, meta, call },
    ...made,
    ...approved,
    approved: approved !== undefined,
  })

module.exports = { toolDeclarations: declarationsOf, wrapToolCall }
