// Names and secrets of resumable sessions. The name of a session is no credential; its resume token is. The token is
// derived, not stored: whoever holds the server's secret can check it, across restarts too.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const SESSION_ID = /^[A-Za-z0-9_-]{22}$/

/**
 * @param {string | Buffer} [secret] at least 16 bytes, the same on every server that shares sessions; a random one
 *   means that tokens end with the process
 */
export function createSessionCredentials(secret = randomBytes(32)) {
  if (Buffer.byteLength(secret) < 16) throw new TypeError('`resumeSecret` must have at least 16 bytes')
  const tokenOf = sessionId => createHmac('sha256', secret).update(`toolgate-resume:${sessionId}`).digest('base64url')
  return {
    /** A new session's name (128 random bits) and its token. */
    issue() {
      const sessionId = randomBytes(16).toString('base64url')
      return credentialsOf(sessionId, tokenOf(sessionId))
    },
    /** The credentials, or null where the token is not this session's. */
    check(sessionId, resumeToken) {
      if (!SESSION_ID.test(sessionId) || !isEqual(tokenOf(sessionId), resumeToken)) return null
      return credentialsOf(sessionId, resumeToken)
    },
  }
}

/** The gate is given a digest as the principal, so that the token itself stands in no record. */
function credentialsOf(sessionId, resumeToken) {
  const principal = `resume:${createHash('sha256').update(resumeToken).digest('base64url')}`
  return { sessionId, resumeToken, principal }
}

function isEqual(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
