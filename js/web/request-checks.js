'use strict'

// Checks of a request that need no session: method, origin, content type, size of the body, and its idempotency key.

const { createHash } = require('node:crypto')

const { checkedOrigins } = require('../http/allowed-origins.js')
const { createHostPolicy } = require('../http/host-policy.js')
const { turnToParse } = require('../http/large-body.js')
const { HttpRefusal } = require('./http-refusal.js')

/** The longest idempotency key, in characters. */
const LONGEST_KEY = 256
/** A key of printable ASCII, bare or as a string of RFC 9651 (draft-ietf-httpapi-idempotency-key-header). */
const KEY = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]+)"|([\x21\x23-\x7e]+))$/

/** @param {Request} request */
function checkMethod({ method }) {
  if (method !== 'POST')
    throw new HttpRefusal(405, 'VALIDATION', `\`${method}\` is not supported; use \`POST\``, { allow: 'POST' })
}

/**
 * Which host names a route answers to: those of this machine, addresses, the allowed ones, and the hosts of the allowed origins. Where a
 * function of the host checks the origin, it checks the name too. A server in production that names none answers to all of them: it
 * may be behind a proxy that has checked the name.
 * @param {{ allowedHosts?: readonly string[], allowedOrigins?: readonly string[] | ((request: Request) => unknown) }} options
 * @returns {(host: string | null) => boolean}
 */
function hostPolicyOf({ allowedHosts, allowedOrigins = [] }) {
  if (typeof allowedOrigins === 'function' && allowedHosts === undefined) return () => true
  const origins = typeof allowedOrigins === 'function' ? [] : checkedOrigins(allowedOrigins)
  const names = [...(allowedHosts ?? []), ...origins.flatMap(hostOfOrigin)]
  if (names.length > 0 || process.env.NODE_ENV !== 'production') return createHostPolicy(names)
  askForHosts()
  return () => true
}

/** The page of an app in a shell has no host name of the network. @param {string} origin */
const hostOfOrigin = origin => (/^https?:/.test(origin) ? [new URL(origin).hostname] : [])

let hasAsked = false

/** Once in a process: an app has several routes. */
function askForHosts() {
  if (hasAsked) return
  hasAsked = true
  console.warn("toolgate: name the app's host names in `allowedHosts`; without it, its routes answer to every name")
}

/**
 * Refuses what a browser sends on behalf of another site's page.
 * @param {Request} request
 * @param {{ allowedOrigins?: readonly string[] | ((request: Request) => unknown) }} options
 */
async function checkSource(request, { allowedOrigins = [] }) {
  if (typeof allowedOrigins === 'function') await allowedOrigins(request)
  else checkOrigin(request, allowedOrigins)
}

/**
 * A page of another site can let its own name resolve to this server (DNS rebinding): its requests come with that name.
 * @param {Request} request
 * @param {(host: string | null) => boolean} isKnownHost
 */
function checkHost({ headers, url }, isKnownHost) {
  if (!isKnownHost(hostOf({ headers, url })))
    throw new HttpRefusal(403, 'AUTH', 'this server is not known by that host name: name it in `allowedHosts`')
}

/**
 * Browsers send the page's origin with every POST; other clients send none and pass. Behind a proxy the public host is
 * `x-forwarded-host`, which a page of another site can't set without a CORS preflight.
 * @type {typeof import('./index.js').checkOrigin}
 */
function checkOrigin({ headers, url }, allowed = []) {
  const origin = headers.get('origin')
  if (origin === null || checkedOrigins(allowed).includes(origin)) return
  const host = headers.get('x-forwarded-host') ?? hostOf({ headers, url })
  const known = URL.canParse(origin) ? new URL(origin) : null
  if (known !== null && known.host === host) return
  const named = known === null ? 'this origin' : `the origin \`${known.origin}\``
  throw new HttpRefusal(403, 'AUTH', `requests of ${named} are not allowed`)
}

/** A Request that no server has made has its host in its address alone. @param {Pick<Request, 'headers' | 'url'>} request */
const hostOf = ({ headers, url }) => headers.get('host') ?? new URL(url).host

/**
 * Another site's form can send other content types without a CORS preflight.
 * @param {Request} request @param {string} [what]
 */
function checkContentType({ headers }, what = 'the arguments') {
  if (/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) return
  throw new HttpRefusal(415, 'VALIDATION', `${what} must be sent as \`application/json\``)
}

/** @param {Request} request @param {number} maxBytes @param {string} [what] @returns {Promise<Buffer>} */
async function readBody(request, maxBytes, what = 'the arguments are') {
  const tooLarge = () => new HttpRefusal(413, 'VALIDATION', `${what} larger than ${maxBytes} bytes`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge()
  const chunks = []
  let received = 0
  for await (const chunk of request.body ?? []) {
    received += chunk.byteLength
    if (received > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  await turnToParse(received)
  return Buffer.concat(chunks)
}

/**
 * The members of a JSON body; a value that is not an object has none of those that are asked for.
 * @param {string} text @param {string} example
 * @returns {Record<string, unknown>}
 */
function jsonMembers(text, example) {
  try {
    return { ...JSON.parse(text) }
  } catch {
    throw new HttpRefusal(400, 'VALIDATION', `the body must be JSON, such as \`${example}\``)
  }
}

/**
 * The call id of a request with an idempotency key; null without one. The key is hashed: the gate does not trust short
 * ids, or ids that look like placeholders.
 * @param {Request} request
 */
function idempotencyCallId({ headers }) {
  const header = headers.get('idempotency-key')
  if (header === null) return null
  const [, quoted, bare] = KEY.exec(header.trim()) ?? []
  const key = quoted ?? bare
  if (key === undefined || key.length > LONGEST_KEY)
    throw new HttpRefusal(
      400,
      'VALIDATION',
      `\`Idempotency-Key\` must be 1 to ${LONGEST_KEY} printable characters, without quotes in it`,
    )
  return `idem_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}

module.exports = {
  checkContentType,
  checkHost,
  checkMethod,
  checkOrigin,
  checkSource,
  hostPolicyOf,
  idempotencyCallId,
  jsonMembers,
  readBody,
}
