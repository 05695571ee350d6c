// Who may open a connection: by host name, origin, rate, identity, and what the client has open already.

/**
 * @typedef {object} Visitor the client of a connection
 * @property {import('toolgate/http').Identity | null} identity null if the server has no authentication
 * @property {() => boolean} mayBegin counts a new session; false if the client begins too many
 *
 * @typedef {ReturnType<typeof import('toolgate/http').createClientLimits>} Limits
 */

/**
 * @param {object} policies
 * @param {(host: string | undefined) => boolean} policies.isKnownHost
 * @param {(origin: string | undefined) => boolean} policies.isAllowedOrigin
 * @param {null | ReturnType<typeof import('toolgate/http').createAuthenticator>} policies.identify null: everybody may
 *   connect
 * @param {ReturnType<typeof import('toolgate/http').createClientAddress>} policies.addressOf
 * @param {Limits} policies.limits
 * @param {object} policies.logger
 * @returns {(request: import('node:http').IncomingMessage) => Promise<{ status: string } | { visitor: Visitor }>} `status`:
 *   of the refusal. A connection counts until its socket is closed
 */
export function createUpgradePolicy({ isKnownHost, isAllowedOrigin, identify, addressOf, limits, logger }) {
  const refuse = (status, message, fields) => {
    logger.warn(message, fields)
    return { status }
  }
  return async request => {
    const { host, origin } = request.headers
    if (!isKnownHost(host)) return refuse('403 Forbidden', 'host refused', { host })
    if (!isAllowedOrigin(origin)) return refuse('403 Forbidden', 'origin refused', { origin })
    const address = addressOf(request)
    const tooMany = message => refuse('429 Too Many Requests', message, { address })
    if (!limits.takeRequest({ address })) return tooMany('too many requests of a client')
    const { status, identity } = await identified(request, identify, logger)
    if (status !== undefined) return { status }
    const client = { address, principal: identity?.principal, limits: identity?.limits }
    const release = limits.openConnection(client)
    if (release === null) return tooMany('too many connections of a client')
    request.socket.once('close', release)
    if (request.socket.destroyed) release()
    return { visitor: { identity, mayBegin: () => limits.takeSession(client) } }
  }
}

async function identified(request, identify, logger) {
  if (identify === null) return { identity: null }
  try {
    const identity = await identify(request)
    return identity === null ? { status: '401 Unauthorized' } : { identity }
  } catch (error) {
    logger.error('`authenticate` failed', { error: error.message })
    return { status: '500 Internal Server Error' }
  }
}
