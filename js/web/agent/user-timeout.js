'use strict'

// The user timeout that a tool sets by a message `timeout` to the client: kept in the session's state, so that it holds for all its
// attachments, and enforced by every route that acts.

const { HttpRefusal, jsonResponse } = require('../http-refusal.js')

const FIELD = 'timeoutUntil'

/** @typedef {import('../../gate/session.js').Session} Session */

class UserTimeout extends HttpRefusal {
  /** @param {number} until epoch milliseconds @param {number} now */
  constructor(until, now) {
    const message = `the assistant has paused this conversation until ${new Date(until).toISOString()}`
    super(423, 'RATE_LIMIT', message, { 'retry-after': String(Math.ceil((until - now) / 1000)) })
    this.until = until
  }

  toResponse() {
    const error = { type: 'USER_TIMEOUT', message: this.message, timeoutUntil: this.until }
    return jsonResponse({ ok: false, error }, this.status, this.headers)
  }
}

/** Epoch milliseconds; 0 if there was none. @param {Session} session @returns {number} */
function userTimeoutUntil(session) {
  const until = session.state.get(FIELD)
  return typeof until === 'number' ? until : 0
}

/** Records a `timeout` message on its way to the client; a later one extends the timeout. @param {Session} session @param {unknown} message */
function recordUserTimeout(session, message) {
  const { type, timeoutUntil } = /** @type {Record<string, unknown>} */ (Object(message))
  if (type !== 'timeout' || typeof timeoutUntil !== 'number') return
  session.state.set(FIELD, Math.max(timeoutUntil, userTimeoutUntil(session)))
}

/** @param {Session} session @throws {UserTimeout} 423 with `timeoutUntil` */
function refuseDuringTimeout(session, now = Date.now()) {
  const until = userTimeoutUntil(session)
  if (until > now) throw new UserTimeout(until, now)
}

module.exports = { recordUserTimeout, refuseDuringTimeout, userTimeoutUntil }
