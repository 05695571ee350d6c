/** Checks that a server makes before it answers: its host names, its peers, and who may read its metrics. */

/**
 * A check of `Host`, or of a proxy's `X-Forwarded-Host`. Known are the names of this machine (`localhost`, `*.localhost`),
 * every IP address, and the given names.
 *
 * @param allowed names without port, such as `app.example`
 */
export function createHostPolicy(allowed?: readonly string[]): (host: string | null | undefined) => boolean

/** The name in a `Host` header, in lower case and without port; null if it is malformed. */
export function hostName(host: string | null | undefined): string | null

/** Whether a name, without port, always means this machine. */
export function isLoopbackName(name: string): boolean

/**
 * A set of peer addresses. IPv4 addresses mapped into IPv6 count as themselves.
 *
 * @param entries addresses, subnets such as `10.0.0.0/8`, or `loopback`
 * @throws TypeError if an entry is none of these
 */
export function createAddressSet(entries: readonly string[]): (address: string | null | undefined) => boolean

/** Whether a socket's remote address is this machine. */
export function isLoopbackAddress(address: string | null | undefined): boolean

/** Whether the headers, with names in lower case, have one that proxies add: the peer is then not the client. */
export function isForwarded(headers: Record<string, unknown>): boolean

/**
 * Who may read metrics: with a token, requests with `Authorization: Bearer <token>`; without one, direct requests from
 * this machine.
 *
 * @param token at least 16 bytes
 * @throws TypeError if the token is too short
 */
export function createMetricsAccess(token?: string): (asked: {
  authorization?: string | null
  /** The connection's remote address. */
  peer?: string | null
  /** Whether the request has headers of a proxy. */
  forwarded: boolean
}) => boolean

/** Who makes a request. */
export interface Identity {
  /** The user or program, 1 to 512 bytes. */
  principal: string
  /** Roles for the tools' `requiredRoles`; at most 64. */
  roles?: string[]
  limits?: {
    /** Connections of this principal that may be open at once. */
    connections?: number
  }
}

/** The host's function: null if the request has no identity. */
export type Authenticate = (request: import('node:http').IncomingMessage) => Identity | null | Promise<Identity | null>

/**
 * Wraps the host's function: the result is checked, and waited for at most `timeoutMs` (3000). The promise is rejected if
 * the result has another shape, comes too late, or `authenticate` throws.
 */
export function createAuthenticator(
  authenticate: Authenticate,
  options?: { timeoutMs?: number },
): (request: import('node:http').IncomingMessage) => Promise<Identity | null>

/**
 * Refuses a start in which strangers could use a server by oversight.
 *
 * @throws TypeError if `host` is no loopback address, and there is neither `authenticate` nor `allowAnonymous: true`
 */
export function requireAuthentication(options: {
  host: string
  authenticate?: Authenticate
  allowAnonymous?: boolean
}): void

/**
 * The export `authenticate` of a module, undefined without a file.
 *
 * @throws TypeError if the module exports no such function
 */
export function loadAuthenticate(file: string | undefined): Promise<Authenticate | undefined>
