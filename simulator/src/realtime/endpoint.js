// The Realtime API's place on the server.

import { SocketEndpoint } from '../socket/endpoint.js'
import { RealtimeConnection } from './connection.js'

const REALTIME_PATH = /^\/+(?:openai\/)?v1\/realtime$/

/**
 * A browser cannot set headers: it offers `realtime` and, beside it, its key as a subprotocol. The key is never echoed.
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
