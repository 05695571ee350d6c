// The endpoint of the Realtime API.

import { urlOf } from '../recorder.js'
import { SocketEndpoint } from '../socket/socket-endpoint.js'
import { RealtimeConnection } from './realtime-connection.js'

const REALTIME_PATH = /^\/+(?:openai\/)?v1\/realtime$/

/**
 * Selects the subprotocol. A browser cannot set headers: it offers `realtime` and its key as subprotocols. The key is
 * never echoed.
 *
 * @param {Set<string>} offered
 */
const handleProtocols = offered => (offered.has('realtime') ? 'realtime' : false)

/** @param {import('../socket/socket-endpoint.js').EndpointHost} host @returns {SocketEndpoint<RealtimeConnection>} */
export function createRealtimeEndpoint(host) {
  /** @param {import('../socket/socket-endpoint.js').ConnectionParts} parts */
  const connect = ({ request, ...parts }) => new RealtimeConnection({ ...parts, model: modelOf(request) })
  return new SocketEndpoint({ name: 'realtime', path: REALTIME_PATH, connect, options: { handleProtocols } }, host)
}

/** @param {import('node:http').IncomingMessage} request */
function modelOf(request) {
  const query = new URLSearchParams(urlOf(request).split('?')[1])
  return query.get('model') || query.get('deployment') || null
}
