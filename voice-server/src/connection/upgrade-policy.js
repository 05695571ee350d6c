// Who may open a connection: by host name, origin, rate, identity, and what the client has open already.
import { messageOf } from 'toolgate/http'

const REPORT_EVERY_MS = 1000
/** Characters of a header in a log line. */
const MAX_SHOWN = 200

/**
 * @typedef {object} Visitor the client of a connection
 * @property {import('toolgate/http').Identity | null} identity null if the server has no authentication
 * @property {() => boolean} mayBegin counts a new session; false if the client begins too many
 *
 * @typedef {ReturnType<typeof import('toolgate/http').createClientLimits>} Limits
 * @typedef {ReturnType<typeof import('toolgate/http').createAuthenticator>} Identify
 * @typedef {import('../voice-types.js').Logger} Logger
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 */

/**
 * @param {object} policies
 * @param {(host: string | undefined) => boolean} policies.isKnownHost
 * @param {(origin: string | undefined) => boolean} policies.isAllowedOrigin
 * @param {null | Identify} policies.identify null: everybody may
 *   connect
 * @param {ReturnType<typeof import('toolgate/http').createClientAddress>} policies.addressOf
 * @param {Limits} policies.limits
 * @param {Logger} policies.logger
 * @returns {(request: IncomingMessage) => Promise<{ status: string, visitor?: undefined } | { status?: undefined, visitor: Visitor }>} `status`:
 *   of the refusal. A connection counts until its socket is closed
 */
export function createUpgradePolicy({ isKnownHost, isAllowedOrigin, identify, addressOf, limits, logger }) {
  const report = sparingly(logger)
  /** @param {string} status @param {string} message @param {Record<string, string | null | undefined>} fields */
  const refuse = (status, message, fields) => {
    report(message, fields)
    return { status }
  }
  return async request => {
    const { host, origin } = request.headers
    if (!isKnownHost(host)) return refuse('403 Forbidden', 'host refused', { host })
    if (!isAllowedOrigin(origin)) return refuse('403 Forbidden', 'origin refused', { origin })
    const address = addressOf(request)
    /** @param {string} message */
    const tooMany = message => refuse('429 Too Many Requests', message, { address })
    if (!limits.takeRequest({ address })) return tooMany('too many requests of a client')
    const { status, identity = null } = await identified(request, identify, logger)
    if (status !== undefined) return { status }
    const client = { address, principal: identity?.principal, limits: identity?.limits }
    const release = limits.openConnection(client)
    if (release === null) return tooMany('too many connections of a client')
    request.socket.once('close', release)
    if (request.socket.destroyed) release()
    return { visitor: { identity, mayBegin: () => limits.takeSession(client) } }
  }
}

/**
 * Logs a refusal, of each kind one within a second, with the number of those before it that were left out: whoever is refused costs a
 * line, and must not fill the log.
 * @param {Logger} logger
 */
function sparingly(logger) {
  /** @type {Map<string, { at: number, more: number }>} */
  const reported = new Map()
  return (/** @type {string} */ message, /** @type {Record<string, string | null | undefined>} */ fields) => {
    const last = reported.get(message)
    const now = performance.now()
    if (last !== undefined && now - last.at < REPORT_EVERY_MS) return void (last.more += 1)
    reported.set(message, { at: now, more: 0 })
    const shown = Object.entries(fields).map(([name, value]) => [name, value?.slice(0, MAX_SHOWN) ?? value])
    logger.warn(message, { ...Object.fromEntries(shown), ...(last?.more && { more: last.more }) })
  }
}

/**
 * @param {IncomingMessage} request
 * @param {null | Identify} identify
 * @param {Logger} logger
 * @returns {Promise<{ status?: string, identity?: import('toolgate/http').Identity | null }>} `status`: of the refusal
 */
async function identified(request, identify, logger) {
  if (identify === null) return { identity: null }
  try {
    const identity = await identify(request)
    return identity === null ? { status: '401 Unauthorized' } : { identity }
  } catch (error) {
    logger.error('`authenticate` failed', { error: messageOf(error) })
    return { status: '500 Internal Server Error' }
  }
}
