'use strict'
// Reads approvals from a conversation of the AI SDK. The conversation is untrusted: these functions decide nothing; the
// gate knows which calls it has asked about.

const { createHash } = require('node:crypto')
const { callText } = require('./confirmation-cards.js')
const { VIA } = require('./gate-call.js')
const { lastUserMessage } = require('./user-message.js')
const { parsedArgs } = require('../values/json-text.js')

/**
 * The user's latest answers by call id: those without a later message of the model, in model messages or UI messages.
 * An approval whose call has its result is skipped: some models number their calls from the start again, so a later
 * call with that id is another call. A refusal overrides any approval.
 *
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {{ name: string, args: unknown }} ShownCall
 * @typedef {{ approvalId: string, approved: boolean, reason?: string, calls: ShownCall[], place: number }} Approval `calls`: of the
 *   message that requested the approval, those with the id; more than one if the model used an id twice; `place`: of that message
 * @param {unknown} messages
 * @returns {Map<string, Approval>}
 */
function approvalsIn(messages) {
  /** @type {Map<unknown, Request>} by approval id */
  const requests = new Map()
  /** @type {Map<string, Approval>} */
  const answers = new Map()
  for (const [place, message] of listOf(messages).entries()) {
    if (message?.role === 'assistant') answers.clear()
    const parts = [...listOf(message?.content), ...listOf(message?.parts)]
    for (const part of parts) read(part, { parts, place }, requests, answers)
  }
  return answers
}

/**
 * @typedef {{ id: unknown, calls: ShownCall[], place: number }} Request
 * @param {JsonObject | null} part of an untrusted message
 * @param {{ parts: JsonObject[], place: number }} message all of its parts, and its place
 * @param {Map<unknown, Request>} requests
 * @param {Map<string, Approval>} answers
 */
function read(part, { parts, place }, requests, answers) {
  const { type, approvalId, toolCallId, approval } = part ?? {}
  if (type === 'tool-approval-request')
    requests.set(approvalId, { id: toolCallId, calls: callsOf(parts, toolCallId), place })
  if (type === 'tool-approval-response') answer(answers, requests.get(approvalId), /** @type {JsonObject} */ (part))
  if (type === 'tool-result' && answers.get(toolCallId)?.approved) answers.delete(toolCallId)
  // A UI message contains the answer in the call's part.
  if (part?.state === 'approval-responded') {
    const calls = [{ name: String(type).replace(/^tool-/u, ''), args: part.input }]
    answer(answers, { id: toolCallId, calls, place }, { ...approval, approvalId: approval?.id })
  }
}

/** @param {JsonObject[]} parts @param {unknown} id @returns {ShownCall[]} */
const callsOf = (parts, id) =>
  parts
    .filter(part => part?.type === 'tool-call' && part.toolCallId === id)
    .map(({ toolName, input }) => ({ name: String(toolName), args: parsedArgs(input) }))

/** @param {Map<string, Approval>} answers @param {Request | undefined} request @param {JsonObject} approval */
function answer(answers, request, { approvalId, approved, reason }) {
  const { id, calls = [], place = 0 } = request ?? {}
  if (typeof id !== 'string' || typeof approved !== 'boolean' || answers.get(id)?.approved === false) return
  answers.set(id, { approvalId, approved, ...(typeof reason === 'string' ? { reason } : {}), calls, place })
}

/** @param {unknown} value @returns {JsonObject[]} of unchecked members */
const listOf = value => (Array.isArray(value) ? value : [])

/**
 * Declines the questions that the user declined in the messages. Returns the number of questions that were pending.
 *
 * @param {import('toolgate').Session} session
 * @param {unknown} messages
 * @param {Set<string>} [done] ids of approvals that are already handled
 */
async function denyDeclined(session, messages, done = new Set()) {
  let denied = 0
  for (const [id, { approvalId, approved, reason, calls, place }] of approvalsIn(messages)) {
    if (approved || done.has(approvalId)) continue
    done.add(approvalId)
    const message = lastUserMessage(listOf(messages).slice(0, place))
    for (const known of id === '' ? calls.map(call => unnamedId(message, call)) : [id])
      if (await session.deny(known, reason ?? 'declined', { via: VIA })) denied += 1
  }
  return denied
}

/**
 * The id of a call that its provider gave none: it is known by its message and content, as it is in the request that brings its answer.
 * @param {{ id: string } | undefined} message of the user @param {ShownCall | { name: string, args?: unknown }} call
 */
const unnamedId = (message, call) => {
  const text = JSON.stringify([message?.id, callText({ name: call.name, args: call.args })])
  return `unnamed-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/**
 * Adds to each approval request of a UI message stream the question that the user is asked. Without it, as where the store fails, the
 * request is passed on as it is: it can be answered.
 * @param {import('toolgate').Session} session
 * @returns {TransformStream<any, any>}
 */
function approvalDescriptors(session) {
  return new TransformStream({
    async transform(chunk, controller) {
      const asked = chunk?.type === 'tool-approval-request' ? await askedBy(session, chunk.toolCallId) : undefined
      controller.enqueue(asked === undefined ? chunk : { ...chunk, approvalDescriptor: asked })
    },
  })
}

/** @param {import('toolgate').Session} session @param {unknown} id of the call @returns {Promise<object | undefined>} */
async function askedBy(session, id) {
  const pending = await session.listPending().catch(() => [])
  const question = pending.find(({ callId }) => callId !== null && callId === id)
  if (question === undefined) return undefined
  const { tool, args, preview, expires } = question
  return { tool, args, preview, expires }
}

module.exports = { approvalDescriptors, approvalsIn, denyDeclined, unnamedId }
