'use strict'

// Who may read `/metrics`: with a token, who sends it; without one, programs of this machine that ask directly.

const { createHash, timingSafeEqual } = require('node:crypto')
const { isLoopbackAddress } = require('./address-set.js')

const MIN_TOKEN_BYTES = 16

/**
 * @param {string} [token] the bearer token that is asked for, at least 16 bytes
 * @returns {(asked: { authorization?: string | null, peer?: string | null, forwarded: boolean }) => boolean} `peer`: the
 *   connection's remote address; `forwarded`: whether the request has headers of a proxy
 * @throws {TypeError} if the token is too short
 */
function createMetricsAccess(token) {
  if (token === undefined) return ({ peer, forwarded }) => !forwarded && isLoopbackAddress(peer)
  if (Buffer.byteLength(token) < MIN_TOKEN_BYTES) {
    throw new TypeError(`the token for metrics must have at least ${MIN_TOKEN_BYTES} bytes`)
  }
  const expected = digest(token)
  return ({ authorization }) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

/** @type {typeof import('./index').metricsRefusal} */
const metricsRefusal = token =>
  token === undefined
    ? 'metrics need a direct request from this machine; for other requests set a bearer token: `TOOLGATE_METRICS_TOKEN`'
    : 'metrics need the bearer token of this server (`TOOLGATE_METRICS_TOKEN`): send `Authorization: Bearer <token>`'

/** Digests have one length, which the comparison requires. @param {string} text */
const digest = text => createHash('sha256').update(text).digest()

module.exports = { createMetricsAccess, metricsRefusal }
