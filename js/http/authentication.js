'use strict'

// Who makes a request, as the host's `authenticate` says, and whether a server may start without one.

const { pathToFileURL } = require('node:url')
const path = require('node:path')
const { isLoopbackAddress } = require('./address-set.js')
const { checkedLimits } = require('./client-limits.js')

const MAX_PRINCIPAL_BYTES = 512
const MAX_ROLES = 64
const TIMEOUT_MS = 3000

/**
 * @typedef {import('./index').Identity} Identity
 * @typedef {import('./index').IdentifiedRequest} Incoming
 * @typedef {import('./index').Authenticate} Authenticate
 */

/**
 * Wraps the host's function: what it returns is checked, and waited for at most 3 s.
 *
 * @param {Authenticate} authenticate
 * @param {{ timeoutMs?: number }} [options]
 * @returns {(request: Incoming) => Promise<Identity | null>} null if the request has no identity
 * @throws {TypeError} (by the returned function) if the result has another shape
 * @throws {Error} (by the returned function) what `authenticate` throws, or that it took too long
 */
function createAuthenticator(authenticate, { timeoutMs = TIMEOUT_MS } = {}) {
  if (typeof authenticate !== 'function') throw new TypeError('`authenticate` must be a function')
  return async request => {
    const { promise, stop } = timeout(timeoutMs)
    try {
      return checkedIdentity(await Promise.race([authenticate(request), promise]))
    } finally {
      stop()
    }
  }
}

/** @param {number} ms @returns {{ promise: Promise<never>, stop(): void }} */
function timeout(ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  /** @type {Promise<never>} */
  const promise = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`\`authenticate\` took longer than ${ms} ms`)), ms)
  })
  return { promise, stop: () => clearTimeout(timer) }
}

/** @param {Identity | null | undefined} given @returns {Identity | null} */
function checkedIdentity(given) {
  if (given === null || given === undefined) return null
  const { principal, roles = [], limits = {} } = given
  if (typeof principal !== 'string' || principal === '' || Buffer.byteLength(principal) > MAX_PRINCIPAL_BYTES)
    throw new TypeError(`\`principal\` of \`authenticate\` must be a text of 1 to ${MAX_PRINCIPAL_BYTES} bytes`)
  if (!Array.isArray(roles) || roles.length > MAX_ROLES || roles.some(role => typeof role !== 'string'))
    throw new TypeError(`\`roles\` of \`authenticate\` must be a list of at most ${MAX_ROLES} texts`)
  return { principal, roles, limits: checkedLimits(limits) }
}

/**
 * Refuses a start in which strangers could use the server by oversight.
 *
 * @param {{ host: string, authenticate?: unknown, allowAnonymous?: boolean }} options `host`: the listening address;
 *   `authenticate`: the function, or what names it
 * @throws {TypeError} if other machines can reach the address, and there is neither `authenticate` nor `allowAnonymous`
 */
function requireAuthentication({ host, authenticate, allowAnonymous = false }) {
  const isLocal = host === 'localhost' || isLoopbackAddress(host)
  if (isLocal || authenticate !== undefined || allowAnonymous === true) return
  throw new TypeError(
    `other machines can reach \`${host}\`: give \`authenticate\`, or \`allowAnonymous: true\` (\`TOOLGATE_ALLOW_ANONYMOUS=1\`), or listen on \`127.0.0.1\``,
  )
}

/** Whether `TOOLGATE_ALLOW_ANONYMOUS` says yes. @param {NodeJS.ProcessEnv} env */
const allowsAnonymous = env => /^(1|true|yes|on)$/i.test(env.TOOLGATE_ALLOW_ANONYMOUS ?? '')

/**
 * The function of a module that a setting names.
 *
 * @param {string | undefined} file path of a module that exports `authenticate`
 * @returns {Promise<Authenticate | undefined>} undefined without a file
 * @throws {TypeError} if the module exports no such function
 */
async function loadAuthenticate(file) {
  if (!file) return undefined
  const { authenticate } = await import(pathToFileURL(path.resolve(file)).href)
  if (typeof authenticate === 'function') return authenticate
  throw new TypeError(`\`${file}\` must export the function \`authenticate\``)
}

module.exports = { allowsAnonymous, createAuthenticator, loadAuthenticate, requireAuthentication }
