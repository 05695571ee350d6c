'use strict'

// The text of a link to a confirmation: what it names, encrypted, and signed with HMAC-SHA256. The id of a
// session can be all that is needed to use it, so a link does not show it.

const { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

const CIPHER = 'aes-256-ctr'
const SIGNATURE_BYTES = 32
const IV_BYTES = 16
/** The longest text: servers and messengers take no longer URLs. */
const MAX_TEXT = 4096

/**
 * @typedef {{ sign: Buffer, seal: Buffer }} LinkKeys
 * @typedef {{ sessionId: string, id: string, expires: number }} Linked
 */

/** @param {string | Buffer} key @param {string | Buffer} content */
const hmac = (key, content) => createHmac('sha256', key).update(content).digest()

/** The keys of a purpose, from a secret. @param {string | Buffer} secret @param {string} [purpose] @returns {LinkKeys} */
const linkKeys = (secret, purpose = 'link') => ({
  sign: derivedKey(secret, `${purpose}: sign`),
  seal: derivedKey(secret, `${purpose}: seal`),
})

/** The key of a purpose. @param {string | Buffer} secret @param {string} purpose */
const derivedKey = (secret, purpose) => hmac(secret, `toolgate ${purpose}`)

/** A value as a text that only the holder of the keys can read or make. @param {unknown} content @param {LinkKeys} keys */
function seal(content, keys) {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, keys.seal, iv)
  const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(content)), cipher.final()])
  return Buffer.concat([hmac(keys.sign, sealed), sealed]).toString('base64url')
}

/** The value of a sealed text; null if it was not made with these keys, or was changed. @param {unknown} text @param {LinkKeys} keys */
function unseal(text, keys) {
  if (typeof text !== 'string' || text.length > MAX_TEXT) return null
  const bytes = Buffer.from(text, 'base64url')
  // Another spelling of the same bytes is a changed text, too.
  if (bytes.length <= SIGNATURE_BYTES + IV_BYTES || bytes.toString('base64url') !== text) return null
  const sealed = bytes.subarray(SIGNATURE_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), hmac(keys.sign, sealed))) return null
  const decipher = createDecipheriv(CIPHER, keys.seal, sealed.subarray(0, IV_BYTES))
  const content = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES)), decipher.final()])
  return JSON.parse(content.toString())
}

/** @param {Linked} linked @param {LinkKeys} keys */
function writeLink({ sessionId, id, expires }, keys) {
  const text = seal([sessionId, id, expires], keys)
  if (text.length > MAX_TEXT) throw new TypeError('`sessionId` is too long for a link')
  return text
}

/** What a link names; null if it was not made with these keys, or was changed. @param {unknown} text @param {LinkKeys} keys @returns {Linked | null} */
function readLink(text, keys) {
  const content = unseal(text, keys)
  if (content === null) return null
  const [sessionId, id, expires] = content
  return { sessionId, id, expires }
}

module.exports = { derivedKey, linkKeys, readLink, seal, unseal, writeLink }
