// Where a request really comes from. Routes see headers only, and headers are the client's to write: so the address of the
// connection is written into one before any route sees the request, with a word that no client knows.
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

const HEADER = 'x-toolgate-peer'
/** With one of these a proxy has passed the request on: the connection says where the proxy is, not the client. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
/** Longer than a development server takes to start. */
const START_MS = 60_000

// On `globalThis`: routes and the server's start are bundled apart from each other.
const KEY = Symbol.for('toolgate.web.inspector.peer')
const shared = globalThis as { [KEY]?: { word: string; since: number } }

/** Notes the address of every request from now on; `proxied` where it is not the client's. */
export function notePeerAddresses(): void {
  const { word } = (shared[KEY] = { word: randomBytes(16).toString('hex'), since: Date.now() })
  subscribe('http.server.request.start', event => {
    const { request } = event as { request: IncomingMessage }
    const isProxied = PROXY_HEADERS.some(name => request.headers[name] !== undefined)
    request.headers[HEADER] = `${word} ${isProxied ? 'proxied' : (request.socket.remoteAddress ?? 'unknown')}`
  })
}

/** `null` where it was not noted. */
export function peerAddress(headers: Headers): string | null {
  const [word, address] = headers.get(HEADER)?.split(' ') ?? []
  return word !== undefined && word === shared[KEY]?.word ? (address ?? null) : null
}

/** A development server takes requests before it has started all of itself: asked again, the address is noted. */
export function cameTooEarly(headers: Headers): boolean {
  return peerAddress(headers) === null && Date.now() - (shared[KEY]?.since ?? 0) < START_MS
}
