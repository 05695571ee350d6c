// Who sends a request, and what they may use of this server.
import {
  type Client,
  type Identity,
  clientLimitsOf,
  createAuthenticator,
  createClientLimits,
  loadAuthenticate,
} from 'toolgate/http'
import { logFailure } from './log-failure'
import { peerOf } from './peer-address'
import { RequestRefusal, handleRoute } from './request-refusal'
import { requireSameOrigin } from './same-origin'

export interface Visitor {
  /** Null if the server has no authentication. */
  identity: Identity | null
  client: Client
}

interface Reception {
  /** Null: everybody may use the app. */
  identify: ReturnType<typeof createAuthenticator> | null
  limits: ReturnType<typeof createClientLimits>
}

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.reception')
const shared = globalThis as { [KEY]?: Promise<Reception> }

/**
 * Reads the settings `TOOLGATE_AUTHENTICATE`, `TOOLGATE_ADDRESS_LIMITS` and `TOOLGATE_PRINCIPAL_LIMITS`, once.
 *
 * @throws TypeError if one is invalid
 */
export function loadReception(): Promise<Reception> {
  return (shared[KEY] ??= open())
}

async function open(): Promise<Reception> {
  const authenticate = await loadAuthenticate(process.env.TOOLGATE_AUTHENTICATE || undefined)
  const limits = createClientLimits(clientLimitsOf(process.env))
  return { identify: authenticate ? createAuthenticator(authenticate) : null, limits }
}

/** A route of users: for pages of this app, within the limits, and for who has an identity if that is asked for. */
export function userRoute(request: Request, route: (visitor: Visitor) => Promise<Response>): Promise<Response> {
  return handleRoute(async () => {
    requireSameOrigin(request)
    return route(await receive(request))
  })
}

/** @throws RequestRefusal 401 without an identity, 429 beyond a limit, 500 if `authenticate` fails, 503 at the start */
export async function receive(request: Request): Promise<Visitor> {
  const { identify, limits } = await loadReception()
  const peer = peerOf(request.headers)
  // A server that still starts does not look at requests yet.
  if (peer === null) throw new RequestRefusal(503, 'BUSY', 'the server is still starting', {}, { 'retry-after': '1' })
  const address = peer.client
  if (!limits.takeRequest({ address })) throw tooMany('too many requests')
  if (identify === null) return { identity: null, client: { address } }
  const identity = await identified(request, identify, peer.address)
  const { principal, limits: own } = identity
  // The address has been counted.
  if (!limits.takeRequest({ address: null, principal, limits: own })) throw tooMany('too many requests')
  return { identity, client: { address, principal, limits: own } }
}

/** Counts a new session. @throws RequestRefusal 429 */
export async function countNewSession({ client }: Visitor): Promise<void> {
  const { limits } = await loadReception()
  if (!limits.takeSession(client)) throw tooMany('too many new conversations', 60)
}

/** Runs `wait`, which counts as a waiting request. @throws RequestRefusal 429 */
export async function asLongPoll<T>({ client }: Visitor, wait: () => Promise<T>): Promise<T> {
  const { limits } = await loadReception()
  const release = limits.openLongPoll(client)
  if (release === null) throw tooMany('too many requests wait')
  try {
    return await wait()
  } finally {
    release()
  }
}

async function identified(request: Request, identify: NonNullable<Reception['identify']>, remoteAddress: string) {
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const asked = { headers, method: request.method, url: pathname + search, socket: { remoteAddress } }
  const identity = await identify(asked).catch((error: unknown) => {
    logFailure('`authenticate` failed', error)
    throw new RequestRefusal(500, 'INTERNAL', 'the identity could not be checked')
  })
  if (identity === null) throw new RequestRefusal(401, 'AUTH', 'sign in first: the request has no identity')
  return identity
}

function tooMany(message: string, retryAfterSeconds = 1): RequestRefusal {
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return new RequestRefusal(429, 'RATE_LIMIT', `${message}; try again later`, {}, headers)
}
