'use strict'

const { createHash } = require('node:crypto')

/**
 * The principal of a voice server's session: who has its resume token and, where clients have an identity, is its owner.
 * A digest, so that no record contains the token.
 *
 * @param {string} resumeToken
 * @param {string | null} owner the authenticated principal; null if the server has no authentication
 */
function resumePrincipal(resumeToken, owner) {
  const secret = owner === null ? resumeToken : `${resumeToken}:${owner}`
  return `resume:${createHash('sha256').update(secret).digest('base64url')}`
}

module.exports = { resumePrincipal }
