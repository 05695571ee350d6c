// The endpoint of the Realtime API.

import { SocketEndpoint } from '../socket/endpoint.js'
import { RealtimeConnection } from './connection.js'

const REALTIME_PATH = /^\/+(?:openai\/)?v1\/realtime$/

/**
 * Selects the subprotocol. A browser cannot set headers: it offers `realtime` and its key as subprotocols. The key is
 * never echoed.
 *
 * @param {Set<string>} offered
 */
const handleProtocols = offered => (offered.has('realtime') ? 'realtime' : false)

/** @param {object} host see SocketEndpoint @returns {SocketEndpoint} */
export function createRealtimeEndpoint(host) {
  const connect = ({ request, ...parts }) => new RealtimeConnection({ ...parts, model: modelOf(request) })
  return new SocketEndpoint({ name: 'realtime', path: REALTIME_PATH, connect, options: { handleProtocols } }, host)
}

function modelOf({ url }) {
  const query = new URLSearchParams(url.split('?')[1])
  return query.get('model') || query.get('deployment') || null
}
