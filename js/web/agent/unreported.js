'use strict'

// The calls of a chat that have asked, and whose decision was not reported to the model yet: kept in the state of the session, so that a
// decision is reported once, whichever page asks for the words about it.

/** Of more, the oldest is forgotten: the history of a later message has its record. */
const MAX_UNREPORTED = 40
const FIELD = 'unreported.'

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {{ number: number, callId: string }} Unreported each has a field of its own, as the messages of a conversation
 */

/** @param {Session} session @param {Iterable<string>} callIds */
function addUnreported(session, callIds) {
  const known = unreportedFields(session)
  let next = (known.at(-1)?.number ?? -1) + 1
  for (const callId of callIds) {
    if (known.some(field => field.callId === callId)) continue
    session.state.set(`${FIELD}${next % MAX_UNREPORTED}`, { number: next, callId })
    next += 1
  }
}

/**
 * Takes the calls among these whose question is over, so that no other request reports them.
 * @param {Session} session @param {Set<string>} callIds @returns {Promise<Set<string>>}
 */
async function takeDecided(session, callIds) {
  /** @type {Set<string>} */
  const decided = new Set()
  for (const { callId } of unreportedFields(session).filter(field => callIds.has(field.callId))) {
    const { status } = await session.outcome({ callId })
    if (status === 'pending' || status === 'running') continue
    // Looked up again: another request may have taken it meanwhile.
    const field = unreportedFields(session).find(one => one.callId === callId)
    if (field === undefined) continue
    session.state.set(`${FIELD}${field.number % MAX_UNREPORTED}`, null)
    decided.add(callId)
  }
  return decided
}

/** The oldest first. @param {Session} session @returns {Unreported[]} */
function unreportedFields(session) {
  const fields = Object.entries(session.state.getSnapshot()).filter(([name]) => name.startsWith(FIELD))
  const kept = fields.flatMap(([, value]) => (value === null ? [] : [/** @type {Unreported} */ (value)]))
  return kept.toSorted((a, b) => a.number - b.number)
}

module.exports = { addUnreported, takeDecided }
