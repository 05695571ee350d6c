// The peer of a request. Routes see only headers, which a client can forge, so what the connection says is written into
// a header before any route sees the request, together with a random word that no client knows.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createAddressSet, createClientAddress, isForwarded, trustedProxiesOf } from 'toolgate/http'

const HEADER = 'x-toolgate-peer'
/** In the header, in place of a client's address. */
const DIRECT = 'direct'
/** Upper bound of a development server's start. */
const START_MS = 60_000

export interface Peer {
  /** The connection's remote address. */
  address: string
  /** Whether a header says that a proxy passed the request on: the address is then the proxy's, not the client's. */
  forwarded: boolean
  /** Whether `TOOLGATE_TRUSTED_PROXIES` has the address: what such a peer says of the client's request is believed. */
  trusted: boolean
  /** The client's address, see `createClientAddress`: null for a program of this machine that asks directly. */
  client: string | null
}

// On `globalThis`: routes and the server's start are bundled separately.
const KEY = Symbol.for('toolgate.web.peer')
const shared = globalThis as { [KEY]?: { word: string; since: number } }

export type PeerRecorder = (request: IncomingMessage) => void

/**
 * The function that writes the header of a request.
 *
 * @throws TypeError if `TOOLGATE_TRUSTED_PROXIES` is invalid
 */
export function createPeerRecorder(): PeerRecorder {
  const isTrusted = createAddressSet(trustedProxies())
  const clientOf = createClientAddress(trustedProxies())
  const { word } = (shared[KEY] = { word: randomBytes(16).toString('hex'), since: Date.now() })
  return ({ headers, socket }) => {
    const address = socket.remoteAddress ?? 'unknown'
    const trusted = isTrusted(address)
    headers[HEADER] = [word, address, isForwarded(headers), trusted, clientOf({ headers, socket }) ?? DIRECT].join(' ')
    // Next and the routes take the scheme and host of a request from these headers, whoever sent them.
    if (!trusted) for (const name of ['x-forwarded-proto', 'x-forwarded-host']) delete headers[name]
  }
}

/** `null` if it was not recorded. */
export function peerOf(headers: Headers): Peer | null {
  const [word, address, forwarded, trusted, client] = headers.get(HEADER)?.split(' ') ?? []
  if (word === undefined || word !== shared[KEY]?.word || address === undefined || client === undefined) return null
  const isDirect = client === DIRECT
  return { address, forwarded: forwarded === 'true', trusted: trusted === 'true', client: isDirect ? null : client }
}

/**
 * Whether the request may have arrived before recording began: a development server accepts requests while it starts.
 */
export function arrivedDuringStartup(headers: Headers): boolean {
  return peerOf(headers) === null && Date.now() - (shared[KEY]?.since ?? 0) < START_MS
}

/** The addresses and subnets of `TOOLGATE_TRUSTED_PROXIES`. */
export const trustedProxies = (): string[] => trustedProxiesOf(process.env) ?? []
