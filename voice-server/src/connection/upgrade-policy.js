// Who may open a connection: by host name, origin, rate, identity, and what the client has open already.
import { messageOf } from 'toolgate/http'

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
  /** @param {string} status @param {string} message @param {object} fields */
  const refuse = (status, message, fields) => {
    logger.warn(message, fields)
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
