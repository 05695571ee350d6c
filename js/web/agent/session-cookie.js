'use strict'

// The cookie that stands for a user where an app has no authentication: `<id>.<secret>.<signature>`, 128 random bits each and an
// HMAC. The id names the user's first chat; the secret proves who they are, and the gate gets only its digest; the signature
// proves that the app has issued the pair, so that a made-up one begins no session.

const { createHash, createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

const NAME = 'toolgate_session'
const PATTERN = /^([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/

/**
 * @typedef {{ id: string, secret: string }} CookieKey
 * @typedef {string | Uint8Array} Secret
 */

/** @returns {CookieKey} */
function newCookieKey() {
  const random = () => randomBytes(16).toString('base64url')
  return { id: random(), secret: random() }
}

/** Null if the cookie is absent, malformed, or was not issued with this secret. @param {Request} request @param {Secret} secret @returns {CookieKey | null} */
function readCookie(request, secret) {
  const name = nameOf(request)
  const pairs = (request.headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const value = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const [, id, own, signature] = PATTERN.exec(value ?? '') ?? []
  if (signature === undefined) return null
  const key = { id, secret: own }
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(key, secret))]
  return given.length === expected.length && timingSafeEqual(given, expected) ? key : null
}

/**
 * The header that sets the cookie, or renews it.
 * @param {Request} request @param {CookieKey} key @param {Secret} secret @param {number} maxAgeMs how long its conversation is kept
 */
function cookieHeader(request, key, secret, maxAgeMs) {
  const value = `${key.id}.${key.secret}.${signatureOf(key, secret)}`
  const secure = isSecure(request) ? '; Secure' : ''
  const seconds = Math.floor(maxAgeMs / 1000)
  return `${nameOf(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The principal of a cookie's sessions: useless to a reader of the store. @param {CookieKey} key */
const principalOf = ({ secret }) => createHash('sha256').update(secret).digest('hex')

/** @param {CookieKey} key @param {Secret} secret */
const signatureOf = ({ id, secret: own }, secret) =>
  createHmac('sha256', secret).update(`${NAME}=${id}.${own}`).digest('base64url')

/** Over HTTPS a prefix keeps other hosts of the site, and pages without HTTPS, from setting the cookie. @param {Request} request */
const nameOf = request => (isSecure(request) ? `__Host-${NAME}` : NAME)

/** @param {Request} request */
const isSecure = ({ headers, url }) => (headers.get('x-forwarded-proto') ?? new URL(url).protocol).startsWith('https')

module.exports = { cookieHeader, newCookieKey, principalOf, readCookie }
