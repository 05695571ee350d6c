'use strict'
// Whether a model that has an answer knows what became of the call: a result is accepted by such an answer alone.

/** What CANCELLED says of a call whose end is still to come. */
const NOT_YET = ['unknown', 'continues']

/**
 * Whether an answer says what became of its call. One that says that the call runs, waits for its user, or may go on does not;
 * neither does a timeout of a write, whose end is recorded later. A lost outcome (CONFLICT) is all that will be known.
 * @param {import('../../index.js').ToolResponse} answer
 */
function saysOutcome(answer) {
  if (answer.meta?.pending === true) return false
  if (answer.ok) return true
  const { type, partialSideEffects } = answer.error
  const details = /** @type {{ outcome?: string, reason?: string }} */ (Object(answer.error.details))
  if (type === 'CANCELLED') return !NOT_YET.includes(details.outcome ?? '')
  if (type === 'CONFIRMATION_REQUIRED') return false
  return !(type === 'TRANSIENT' && details.reason === 'timeout' && partialSideEffects)
}

module.exports = { saysOutcome }
