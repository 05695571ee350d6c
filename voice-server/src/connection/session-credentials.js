// Ids and resume tokens of resumable sessions. The session id is no credential; the resume token is. The token is
// derived (HMAC), not stored: each server with the secret can check it, also after a restart.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const SESSION_ID = /^[A-Za-z0-9_-]{22}$/

/**
 * @param {string | Buffer} [secret] at least 16 bytes, the same on every server that shares sessions; default: a random
 *   one, with which tokens become invalid when the process ends
 */
export function createSessionCredentials(secret = randomBytes(32)) {
  if (Buffer.byteLength(secret) < 16) throw new TypeError('`resumeSecret` must have at least 16 bytes')
  const tokenOf = (/** @type {string} */ sessionId, /** @type {string | null} */ owner) =>
    createHmac('sha256', secret)
      .update(`toolgate-resume:${sessionId}${ownerText(owner)}`)
      .digest('base64url')
  return {
    /**
     * Creates a session id (128 random bits) and its token, which is valid for its owner only.
     * @param {string | null} [owner]
     */
    issue(owner = null) {
      const sessionId = randomBytes(16).toString('base64url')
      return credentialsOf(sessionId, tokenOf(sessionId, owner), owner)
    },
    /**
     * Returns the credentials, or null if the token does not belong to the session.
     * @param {string} sessionId
     * @param {string} resumeToken
     * @param {string | null} [owner]
     */
    check(sessionId, resumeToken, owner = null) {
      if (!SESSION_ID.test(sessionId) || !isEqual(tokenOf(sessionId, owner), resumeToken)) return null
      return credentialsOf(sessionId, resumeToken, owner)
    },
  }
}

/** @param {string | null} owner the authenticated principal; null if the server has no authentication */
const ownerText = owner => (owner === null ? '' : `:${owner}`)

/** @param {string} sessionId @param {string} resumeToken @param {string | null} owner */
const credentialsOf = (sessionId, resumeToken, owner) => ({ sessionId, resumeToken, principal: owner })

/** @param {string} expected @param {string} given */
function isEqual(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
