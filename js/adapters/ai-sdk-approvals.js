'use strict'
// What a conversation of the AI SDK says of approvals. Whoever sends it may say anything: nothing here decides, the gate
// knows which calls it has asked about.

/**
 * The answers that the user has just given, by call id: those that the model has said nothing after, in model messages or
 * UI messages. An approval whose call has its result is over: some models number their calls afresh, and a later call with
 * its id is another one. A no stands against any yes.
 *
 * @param {unknown} messages
 * @returns {Map<string, { approvalId: string, approved: boolean, reason?: string }>}
 */
function approvalsIn(messages) {
  const asked = new Map()
  const answers = new Map()
  for (const message of listOf(messages)) {
    if (message?.role === 'assistant') answers.clear()
    for (const part of [...listOf(message?.content), ...listOf(message?.parts)]) read(part, asked, answers)
  }
  return answers
}

function read(part, asked, answers) {
  const { type, approvalId, toolCallId, approval } = part ?? {}
  if (type === 'tool-approval-request') asked.set(approvalId, toolCallId)
  if (type === 'tool-approval-response') answer(answers, asked.get(approvalId), part)
  if (type === 'tool-result' && answers.get(toolCallId)?.approved) answers.delete(toolCallId)
  // A UI message keeps the answer with the call.
  if (part?.state === 'approval-responded') answer(answers, toolCallId, { ...approval, approvalId: approval?.id })
}

function answer(answers, id, { approvalId, approved, reason }) {
  if (typeof id !== 'string' || typeof approved !== 'boolean' || answers.get(id)?.approved === false) return
  answers.set(id, { approvalId, approved, ...(typeof reason === 'string' ? { reason } : {}) })
}

const listOf = value => (Array.isArray(value) ? value : [])

/**
 * Answers with no what the messages' user has declined. Returns how many questions waited for it.
 *
 * @param {import('toolgate').Session} session
 * @param {unknown} messages
 * @param {Set<string>} [done] approvals that were dealt with already
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
