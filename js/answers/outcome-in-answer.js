'use strict'
// Whether a model that has an answer knows what became of the call: a result is accepted by such an answer alone.

/** What CANCELLED says of a call whose end is still to come. */
const NOT_YET = ['unknown', 'continues']

/**
 * Whether it is what the gate answers for a call that runs on, also in the model's view, which has no `meta.pending`.
 * @param {import('../../index.js').ToolResponse} answer
 */
function saysRunning(answer) {
  if (answer.meta?.pending === true) return true
  if (!answer.ok || answer.meta?.toolId !== undefined) return false
  const { status, callId, ...more } = Object(answer.data)
  return status === 'running' && callId !== undefined && Object.keys(more).length === 0
}

/**
 * Whether an answer says what became of its call. One that says that the call runs, waits for its user, or may go on does not;
 * neither does a timeout of a write, whose end is recorded later. A lost outcome (CONFLICT) is all that will be known.
 * @param {import('../../index.js').ToolResponse} answer as the gate gave it, or as its model got it
 * @throws TypeError if it is no answer: nothing was handed over then
 */
function saysOutcome(answer) {
  const { ok, error } = Object(answer)
  if (ok !== true && typeof error?.type !== 'string')
    throw new TypeError('`accept` takes the answer that was handed over: a ToolResponse, or its model response')
  if (saysRunning(answer)) return false
  if (answer.ok) return true
  const { type, partialSideEffects } = answer.error
  const details = /** @type {{ outcome?: string, reason?: string }} */ (Object(answer.error.details))
  if (type === 'CANCELLED') return !NOT_YET.includes(details.outcome ?? '')
  if (type === 'CONFIRMATION_REQUIRED') return false
  return !(type === 'TRANSIENT' && details.reason === 'timeout' && partialSideEffects)
}

module.exports = { saysOutcome }
