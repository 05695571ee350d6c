'use strict'

// Completes a history: each call in it has an answer, that of the gate's records. A record is only looked at; nothing is asked again,
// and nothing runs. So an answer that was stopped, or cut by a reload, a decision at any later time or elsewhere, and an expiry are
// all read in the place of their call.

const { refusal } = require('../../adapters/gate-call.js')
const { toModelResponse } = require('../../answers/views.js')

/** The calls of one history that are looked up: the newest. */
const MAX_LOOKED_UP = 200

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./body.js').ChatMessage} ChatMessage
 * @typedef {import('toolgate').CallOutcome} CallOutcome
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {{ id: string, name: string, isAsked: boolean, isWhole: boolean }} UnfinishedCall `isAsked`: the history has its question;
 *   `isWhole`: its arguments have come to their end
 */

/**
 * @template {ChatMessage} Message
 * @param {Session[]} sessions that may have made the calls, that of the turn first
 * @param {Message[]} messages
 * @returns {Promise<Message[]>}
 */
async function completeHistory(sessions, messages) {
  const outcomes = await lookUp(sessions, openCallsIn(messages))
  return messages.map(message => {
    if (message.role !== 'assistant') return message
    return { ...message, parts: message.parts.flatMap(part => completed(sessions[0], part, outcomes)) }
  })
}

/** The calls without an answer that is final, the newest first, each id once. @param {ChatMessage[]} messages */
function openCallsIn(messages) {
  /** @type {Map<string, string>} id → tool */
  const open = new Map()
  for (const { role, parts } of messages.toReversed()) {
    if (role !== 'assistant') continue
    for (const part of parts.toReversed()) {
      const call = openCallOf(part)
      if (call !== null && open.size < MAX_LOOKED_UP) open.set(call.id, call.name)
    }
  }
  return open
}

/** One after another: a history must not take all of a store. @param {Session[]} sessions @param {Map<string, string>} open */
async function lookUp(sessions, open) {
  /** @type {Map<string, CallOutcome>} */
  const outcomes = new Map()
  for (const callId of open.keys()) {
    for (const session of sessions) {
      const outcome = await session.outcome({ callId })
      outcomes.set(callId, outcome)
      if (outcome.status !== 'not_found') break
    }
  }
  return outcomes
}

/** A part of a call; null if its answer is final. @param {JsonObject} part @returns {UnfinishedCall | null} */
function openCallOf({ type, toolCallId, state, output }) {
  if (typeof type !== 'string' || !type.startsWith('tool-')) return null
  const call = { id: String(toolCallId), name: type.slice('tool-'.length) }
  if (state === 'output-error') return null
  if (state !== 'output-available') return { ...call, isAsked: false, isWhole: state !== 'input-streaming' }
  const isAsked = output?.ok === false && output.error?.type === 'CONFIRMATION_REQUIRED'
  const isRunning = output?.meta?.pending === true
  return isAsked || isRunning ? { ...call, isAsked, isWhole: true } : null
}

/** @param {Session} session @param {JsonObject} part @param {Map<string, CallOutcome>} outcomes @returns {JsonObject[]} */
function completed(session, part, outcomes) {
  const call = openCallOf(part)
  if (call === null) return [part]
  const outcome = outcomes.get(call.id)
  // What was cut before its call was whole was never made; of more calls than are looked up, the oldest are left out.
  if (outcome === undefined) return []
  if (outcome.status === 'not_found' && !call.isWhole) return []
  const output = answerOf(session, call, outcome, part.output)
  const { type, toolCallId, title, input } = part
  return [{ type, toolCallId, ...(title !== undefined && { title }), input, state: 'output-available', output }]
}

/** @param {Session} session @param {UnfinishedCall} call @param {CallOutcome} outcome @param {ToolResponse | undefined} known */
function answerOf(session, call, { status, response, confirmation }, known) {
  // Some models number their calls from the start again: another tool's record is not of this call.
  if (response !== undefined && response.meta?.toolId === call.name) return toModelResponse(response, { meta: 'full' })
  if (response === undefined && known !== undefined && (status === 'pending' || !call.isAsked)) return known
  const says = response === undefined && status !== 'answered' ? SAYS[status] : SAYS.not_found
  const answer = refusal(session, session.registry, call, says(call), 'full')
  if (answer.ok || status !== 'pending' || confirmation === undefined) return answer
  const { tool, args, preview, expires, approvers } = confirmation
  answer.error.confirmation_request = { tool, args, preview, expires, ...(approvers && { approvers }) }
  return answer
}

/** The words for the model, where the gate has no answer. @type {Record<Exclude<CallOutcome['status'], 'answered'>, (call: UnfinishedCall) => import('../../adapters/gate-call.js').Refusal>} */
const SAYS = {
  pending: ({ name }) => ({
    type: 'CONFIRMATION_REQUIRED',
    message: `\`${name}\` has not run: it waits for the user's confirmation`,
    details: { reason: 'pending' },
  }),
  running: ({ name }) => ({
    type: 'CONFLICT',
    message: `\`${name}\` is running; its result is not known yet`,
    details: { outcome: 'running' },
    suggestion: 'do not call it again; tell the user that it is being done',
    partialSideEffects: true,
  }),
  denied: ({ name }) => ({
    type: 'CANCELLED',
    message: `\`${name}\` was declined by the user: nothing was done`,
    details: { outcome: 'aborted', reason: 'denied' },
  }),
  expired: ({ name }) => ({
    type: 'CONFIRMATION_EXPIRED',
    message: `the confirmation of \`${name}\` was not answered in time: nothing was done`,
    details: { reason: 'expired' },
  }),
  unknown: ({ name }) => ({
    type: 'CONFLICT',
    message: `\`${name}\` was started, and its outcome is not known`,
    details: { outcome: 'unknown' },
    suggestion: 'find out whether it took effect before calling again',
    partialSideEffects: true,
  }),
  not_found: call => (call.isAsked ? notKnown(call) : notMade(call)),
}

/** @type {(call: UnfinishedCall) => import('../../adapters/gate-call.js').Refusal} */
const notKnown = ({ name }) => ({
  type: 'CONFIRMATION_EXPIRED',
  message: `the confirmation of \`${name}\` is not known any more, and neither is whether it has run`,
  details: { reason: 'unknown' },
  suggestion: 'find out whether it took effect before calling again',
})

/** @type {(call: UnfinishedCall) => import('../../adapters/gate-call.js').Refusal} */
const notMade = ({ name }) => ({
  type: 'CANCELLED',
  message: `\`${name}\` was stopped: this conversation has no record that it has run`,
  details: { outcome: 'not_found' },
})

module.exports = { completeHistory }
