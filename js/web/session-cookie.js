'use strict'

// The cookie that stands for a user where an app has no authentication: `<id>.<secret>.<signature>`, 128 random bits each and an
// HMAC. The id names the user's first session; the secret proves who they are, and the gate gets only its digest; the signature
// proves that the app has issued the pair, so that a made-up one begins no session.

const { createHash, createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

const PATTERN = /^([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/

/**
 * @typedef {import('./index.js').CookieUser} CookieUser
 * @typedef {{ registry: import('../gate/registry.js').ToolRegistry, secret?: string | Uint8Array, name?: string, path?: string }} CookieOptions
 */

/** @type {typeof import('./index.js').createSessionCookie} */
function createSessionCookie({ registry, secret, name = 'toolgate_session', path = '/' }) {
  const owner = /** @type {import('../gate/registry.js').ToolRegistry} */ (registry)
  /** The name is signed, too: a cookie of one name is none of another. @param {string} pair */
  const signatureOf = async pair =>
    createHmac('sha256', secret ?? (await owner.keyOf('cookie')))
      .update(`${name}=${pair}`)
      .digest('base64url')
  /** Over HTTPS a prefix keeps other hosts of the site, and pages without HTTPS, from setting the cookie. @param {Request} request */
  const nameFor = request => (isSecure(request) ? `${path === '/' ? '__Host-' : '__Secure-'}${name}` : name)
  /** @param {Request} request @param {string} value @param {number} seconds */
  const headerOf = (request, value, seconds) =>
    `${nameFor(request)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`

  return {
    create: () => userOf(randomText(), randomText()),

    async read(request) {
      const [, id, own, signature] = PATTERN.exec(valueOf(request, nameFor(request))) ?? []
      if (signature === undefined) return null
      const [given, expected] = [Buffer.from(signature), Buffer.from(await signatureOf(`${id}.${own}`))]
      return given.length === expected.length && timingSafeEqual(given, expected) ? userOf(id, own) : null
    },

    async header(request, { id, secret: own }) {
      const pair = `${id}.${own}`
      return headerOf(request, `${pair}.${await signatureOf(pair)}`, Math.floor(owner.sessionIdleMs / 1000))
    },

    clearing: request => headerOf(request, '', 0),
  }
}

/** @param {string} id @param {string} secret @returns {CookieUser} */
const userOf = (id, secret) => ({ id, secret, principal: createHash('sha256').update(secret).digest('hex') })

const randomText = () => randomBytes(16).toString('base64url')

/** The value of a cookie; empty if the request has none. @param {Request} request @param {string} name */
function valueOf({ headers }, name) {
  const pairs = (headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
}

/** @param {Request} request */
const isSecure = ({ headers, url }) => (headers.get('x-forwarded-proto') ?? new URL(url).protocol).startsWith('https')

module.exports = { createSessionCookie }
