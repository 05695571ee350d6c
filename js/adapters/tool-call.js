'use strict'

// One function for a framework without an adapter of its own: its tool calls go in, answers for its model come out.

const { randomUUID } = require('node:crypto')
const { callThroughGate, declarationsOf, declineCall, notifyHost } = require('./gate-call.js')
const { toModelResponse } = require('../views.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./tool-call.js').ToolCallOptions} ToolCallOptions
 * @typedef {import('./tool-call.js').FrameworkCall} FrameworkCall
 * @typedef {{ session: Session, registry: import('toolgate').ToolRegistry, confirm?: ToolCallOptions['confirm'],
 *   onToolResponse?: ToolCallOptions['onToolResponse'], meta?: ToolCallOptions['meta'] }} Gate
 */

/**
 * The function that makes a framework's tool calls through a session.
 * @param {Session} session an attached session
 * @param {ToolCallOptions} [options]
 */
function wrapToolCall(session, { registry = session.registry, confirm, onToolResponse, meta } = {}) {
  const gate = { session, registry, confirm, onToolResponse, meta }
  /** @param {FrameworkCall} framework */
  return async ({ id = randomUUID(), name, args, signal, message }) => {
    const call = { id, name, args, message }
    const { approved, answer } = await consent(gate, call)
    return answer ?? callThroughGate({ session, registry, onToolResponse, meta, call, signal, approved })
  }
}

/**
 * Puts the gate's question to the user, if the call asks one.
 * @param {Gate} gate
 * @param {import('toolgate').ToolCall & { id: string }} call
 * @returns {Promise<{ approved?: boolean, answer?: ToolResponse }>} `answer`: of a call that does not run
 */
async function consent({ session, registry, confirm, onToolResponse, meta }, call) {
  if (confirm === undefined) return {}
  const named = { id: call.id, name: call.name }
  const question = await session.ask(call)
  if (question === null) return {}
  await notifyHost(onToolResponse, question, named)
  const answer = toModelResponse(question, { meta: meta ?? 'lean' })
  if (answer.error?.type !== 'CONFIRMATION_REQUIRED') return { answer }
  const reply = await confirm({ callId: call.id, name: call.name, request: answer.error.confirmation_request })
  const { approved, reason } = typeof reply === 'object' && reply !== null ? reply : { approved: reply }
  if (approved === true) return { approved }
  if (approved === false) return { answer: await declineCall(session, registry, named, reason) }
  return { answer }
}

module.exports = { toolDeclarations: declarationsOf, wrapToolCall }
