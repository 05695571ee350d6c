'use strict'
// Reads approvals from a conversation of the AI SDK. The conversation is untrusted: these functions decide nothing; the
// gate knows which calls it has asked about.

/**
 * The user's latest answers by call id: those without a later message of the model, in model messages or UI messages.
 * An approval whose call has its result is skipped: some models number their calls from the start again, so a later
 * call with that id is another call. A refusal overrides any approval.
 *
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {{ approvalId: string, approved: boolean, reason?: string }} Approval
 * @param {unknown} messages
 * @returns {Map<string, Approval>}
 */
function approvalsIn(messages) {
  /** @type {Map<unknown, unknown>} approval id → call id */
  const asked = new Map()
  /** @type {Map<string, Approval>} */
  const answers = new Map()
  for (const message of listOf(messages)) {
    if (message?.role === 'assistant') answers.clear()
    for (const part of [...listOf(message?.content), ...listOf(message?.parts)]) read(part, asked, answers)
  }
  return answers
}

/**
 * @param {JsonObject | null} part of an untrusted message
 * @param {Map<unknown, unknown>} asked
 * @param {Map<string, Approval>} answers
 */
function read(part, asked, answers) {
  const { type, approvalId, toolCallId, approval } = part ?? {}
  if (type === 'tool-approval-request') asked.set(approvalId, toolCallId)
  if (type === 'tool-approval-response') answer(answers, asked.get(approvalId), /** @type {JsonObject} */ (part))
  if (type === 'tool-result' && answers.get(toolCallId)?.approved) answers.delete(toolCallId)
  // A UI message contains the answer in the call's part.
  if (part?.state === 'approval-responded') answer(answers, toolCallId, { ...approval, approvalId: approval?.id })
}

/** @param {Map<string, Approval>} answers @param {unknown} id @param {JsonObject} approval */
function answer(answers, id, { approvalId, approved, reason }) {
  if (typeof id !== 'string' || typeof approved !== 'boolean' || answers.get(id)?.approved === false) return
  answers.set(id, { approvalId, approved, ...(typeof reason === 'string' ? { reason } : {}) })
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
  for (const [id, { approvalId, approved, reason }] of approvalsIn(messages)) {
    if (approved || done.has(approvalId)) continue
    done.add(approvalId)
    if (await session.decline(id, reason ?? 'declined')) denied += 1
  }
  return denied
}

module.exports = { approvalsIn, denyDeclined }
