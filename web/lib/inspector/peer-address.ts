// Where a request really comes from. Routes see headers only, and headers are the client's to write: so the address of the
// connection is written into one, over whatever the client wrote there, before any route sees the request.
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

export const PEER_HEADER = 'x-toolgate-peer'

/** With one of these a proxy has passed the request on: the connection says where the proxy is, not the client. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Notes the address of every request from now on; `proxied` where it is not the client's. */
export function notePeerAddresses(): void {
  subscribe('http.server.request.start', (event) => {
    const { request } = event as { request: IncomingMessage }
    const isProxied = PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
    request.headers[PEER_HEADER] = isProxied ? 'proxied' : (request.socket.remoteAddress ?? 'unknown')
  })
}
