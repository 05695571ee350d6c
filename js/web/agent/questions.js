'use strict'

// The questions of a session as its page shows them: with the rows of all arguments, and the schema by which they can be changed. The
// gate has them, not the messages of the page.

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('toolgate').PendingConfirmation} PendingConfirmation
 * @typedef {import('toolgate').ConfirmationRequest} ConfirmationRequest
 * @typedef {{ token: string, outcome: 'done' | 'failed' | 'running' | 'denied' | 'expired' | 'unknown', progress?: unknown }} ClosedQuestion
 */

/** @template {ConfirmationRequest} Question @param {Session} session @param {Question} question */
function withRows(session, question) {
  const { tool, args, approvers } = question
  const { jsonSchema, sensitiveArguments, title, grantable, sideEffects } = session.registry.tools.get(tool) ?? {}
  return {
    ...question,
    title,
    rows: session.showArguments(tool, args)?.rows,
    // Of approvers, none is the user of this page.
    ...(!approvers && { parameters: jsonSchema, sensitiveArguments }),
    grantable,
    // A write that has started runs on.
    canStop: sideEffects !== undefined && sideEffects !== 'writes',
  }
}

/** The questions that wait for an answer. @param {Session} session @param {PendingConfirmation[]} [pending] */
async function shownPending(session, pending) {
  return (pending ?? (await session.listPending())).map(question => withRows(session, question))
}

/**
 * What came of questions that no longer wait. One that waits again is left out.
 * @param {Session} session @param {string[]} tokens
 * @param {(token: string) => unknown} progressOf the last news of an approved call that runs in this process
 */
async function closedQuestions(session, tokens, progressOf) {
  /** @type {ClosedQuestion[]} */
  const closed = []
  for (const token of tokens) {
    const { status, response } = await session.outcome({ token })
    if (status === 'answered') closed.push({ token, outcome: response?.ok ? 'done' : 'failed' })
    else if (status === 'running') closed.push({ token, outcome: status, progress: progressOf(token) })
    else if (status !== 'pending') closed.push({ token, outcome: status === 'not_found' ? 'unknown' : status })
  }
  return closed
}

/**
 * Whether the questions that wait are others than the page shows, or have got an approver's answer since.
 * @param {PendingConfirmation[]} pending @param {import('./body.js').KnownQuestion[]} known
 */
function differ(pending, known) {
  const counted = new Map(known.map(({ token, confirmations = 0 }) => [token, confirmations]))
  return (
    pending.length !== known.length ||
    pending.some(({ token, confirmations = 0 }) => counted.get(token) !== confirmations)
  )
}

module.exports = { closedQuestions, differ, shownPending, withRows }
