// The peer address of a request. Routes see only headers, which a client can forge, so the connection's address is
// written into a header before any route sees the request, together with a random word that no client knows.
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

const HEADER = 'x-toolgate-peer'
/** Headers of proxies: with one of them the connection's address is the proxy's, not the client's. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
/** Upper bound of a development server's start. */
const START_MS = 60_000

// On `globalThis`: routes and the server's start are bundled separately.
const KEY = Symbol.for('toolgate.web.inspector.peer')
const shared = globalThis as { [KEY]?: { word: string; since: number } }

/** Records the address of every request from now on; `proxied` if it is not the client's. */
export function recordPeerAddresses(): void {
  const { word } = (shared[KEY] = { word: randomBytes(16).toString('hex'), since: Date.now() })
  subscribe('http.server.request.start', event => {
    const { request } = event as { request: IncomingMessage }
    const isProxied = PROXY_HEADERS.some(name => request.headers[name] !== undefined)
    request.headers[HEADER] = `${word} ${isProxied ? 'proxied' : (request.socket.remoteAddress ?? 'unknown')}`
  })
}

/** `null` if it was not recorded. */
export function peerAddress(headers: Headers): string | null {
  const [word, address] = headers.get(HEADER)?.split(' ') ?? []
  return word !== undefined && word === shared[KEY]?.word ? (address ?? null) : null
}

/**
 * Whether the request may have arrived before recording began: a development server accepts requests while it starts.
 */
export function arrivedDuringStartup(headers: Headers): boolean {
  return peerAddress(headers) === null && Date.now() - (shared[KEY]?.since ?? 0) < START_MS
}
