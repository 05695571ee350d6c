'use strict'

// MCP's streamable HTTP transport: requests contain their session (`Mcp-Session-Id`), and each session has its own
// server. The handler works with any HTTP server of Node.

const { createAuthenticator } = require('../http/authentication.js')
const { createClientAddress } = require('../http/client-address.js')
const { createClientLimits } = require('../http/client-limits.js')
const { checkOptionNames, milliseconds } = require('../gate/option-checks.js')
const { createHttpGuard } = require('./http-guard.js')
const { HttpSession } = require('./http-session.js')
const { OPTIONS, createMcpServer } = require('./mcp-server.js')

const OWN_OPTIONS = [
  'authenticate',
  'allowedHosts',
  'allowedOrigins',
  'clientLimits',
  'trustedProxies',
  'sessionIdleMs',
  'maxSessions',
  'onError',
]

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpHttpOptions} McpHttpOptions
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 */

/**
 * @typedef {ReturnType<typeof createClientLimits>} Limits
 * @typedef {{ address: string | null, principal?: string, roles?: string[], limits?: Partial<import('../http/client-limits.js').ClientLimits> }} Caller
 */

/** The idle time after which the session of a client that disappeared is closed. */
const DEFAULT_IDLE_MS = 30 * 60_000
const DEFAULT_MAX_SESSIONS = 1000
/** Codes in JSON-RPC's range for server errors, as the SDK uses them. */
const REFUSED = -32_000
const NO_SESSION = -32_001

/**
 * @param {import('toolgate').ToolRegistry} registry loaded
 * @param {import('./index').McpHttpOptions} [options]
 * @returns {import('./index').McpHttpHandler}
 */
function createMcpHttpHandler(registry, options = {}) {
  const { own, forServer } = divided(options)
  const limits = createClientLimits(own.clientLimits)
  const sessions = new Sessions(registry, forServer, { ...own, limits })
  const addressOf = createClientAddress(own.trustedProxies)
  const refusal = createHttpGuard({ hosts: own.allowedHosts, origins: own.allowedOrigins })
  const identify = own.authenticate === undefined ? async () => ({}) : createAuthenticator(own.authenticate)
  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const handle = async (request, response) => {
    const reason = refusal(request.headers)
    if (reason !== null) return refuse(response, 403, REFUSED, reason)
    if (request.headers.origin !== undefined) allow(response, request.headers.origin)
    if (request.method === 'OPTIONS') return preflight(response)
    const address = addressOf(request)
    if (!limits.takeRequest({ address })) return tooMany(response, 'this client sends too many requests')
    const identity = await identify(request).catch(error => {
      own.onError?.(error)
      return undefined
    })
    if (identity === undefined) return refuse(response, 500, REFUSED, 'the identity could not be checked')
    if (identity === null) return unauthorized(response)
    // The address has been counted.
    if (!limits.takeRequest({ ...identity, address: null }))
      return tooMany(response, 'this principal sends too many requests')
    return sessions.handle(request, response, { ...identity, address })
  }
  return Object.assign(handle, { close: () => sessions.close() })
}

class Sessions {
  #registry
  #forServer
  #maxSessions
  #limits
  #idleMs
  #onError
  /** `Mcp-Session-Id` → server session. @type {Map<string, HttpSession>} */
  #open = new Map()
  #sweep

  /**
   * @param {ToolRegistry} registry
   * @param {McpServerOptions} forServer
   * @param {McpHttpOptions & { limits: Limits }} own
   */
  constructor(
    registry,
    forServer,
    { limits, sessionIdleMs = DEFAULT_IDLE_MS, maxSessions = DEFAULT_MAX_SESSIONS, onError = () => {} },
  ) {
    this.#registry = registry
    this.#forServer = forServer
    this.#limits = limits
    this.#idleMs = sessionIdleMs
    this.#maxSessions = maxSessions
    this.#onError = onError
    // Wrong options and a missing SDK must fail now, not at the first request.
    createMcpServer(registry, forServer)
    this.#sweep = setInterval(() => this.#dropIdle(), Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {Caller} caller */
  async handle(request, response, caller) {
    // Node joins repeated headers of this kind to one text.
    const id = /** @type {string | undefined} */ (request.headers['mcp-session-id'])
    if (id === undefined) return this.#begin(request, response, caller)
    const session = this.#open.get(id)
    // A client that receives 404 starts a new session. Another caller's session does not exist for this one.
    if (session?.principal !== caller.principal || session === undefined)
      return refuse(response, 404, NO_SESSION, 'there is no such session (any more)')
    return session.handle(request, response)
  }

  async close() {
    clearInterval(this.#sweep)
    await Promise.all([...this.#open.values()].map(session => session.close()))
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {Caller} caller */
  async #begin(request, response, caller) {
    if (this.#open.size >= this.#maxSessions) return refuse(response, 503, REFUSED, 'too many sessions are open')
    if (!this.#limits.takeSession(caller)) return tooMany(response, 'this client begins too many sessions')
    const release = this.#limits.openConnection(caller)
    if (release === null) return tooMany(response, 'this client has too many open sessions')
    const session = new HttpSession(caller.principal, id => this.#open.set(id, session))
    session.onclose = () => {
      this.#open.delete(String(session.sessionId))
      release()
    }
    const server = createMcpServer(this.#registry, this.#optionsFor(caller))
    server.onerror = this.#onError
    await server.connect(session)
    try {
      await session.handle(request, response)
    } finally {
      // Only `initialize` begins a session; the transport has answered any other request with an error.
      if (session.sessionId === undefined) await session.close()
    }
  }

  /** @param {Caller} caller @returns {McpServerOptions} */
  #optionsFor({ principal, roles }) {
    if (principal === undefined) return this.#forServer
    return { ...this.#forServer, session: { ...this.#forServer.session, principal, roles } }
  }

  #dropIdle() {
    const since = performance.now() - this.#idleMs
    for (const session of this.#open.values()) {
      if (session.isIdleSince(since)) session.close()
    }
  }
}

/** @param {McpHttpOptions} options @returns {{ own: McpHttpOptions, forServer: McpServerOptions }} */
function divided(options) {
  checkOptionNames(options, [...OWN_OPTIONS, ...OPTIONS], 'MCP server')
  if (options.sessionIdleMs !== undefined) milliseconds(options.sessionIdleMs, 'sessionIdleMs')
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => OWN_OPTIONS.includes(name)))
  const forServer = Object.fromEntries(Object.entries(options).filter(([name]) => !OWN_OPTIONS.includes(name)))
  return { own, forServer }
}

/**
 * CORS headers: a browser sends a preflight request for a page of another origin, and hides responses without them.
 * @param {ServerResponse} response
 * @param {string} origin
 */
function allow(response, origin) {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id')
  response.setHeader('vary', 'origin')
}

/** @param {ServerResponse} response */
function preflight(response) {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id',
  })
  response.end()
}

/** @param {ServerResponse} response */
function unauthorized(response) {
  response.setHeader('www-authenticate', 'Bearer')
  refuse(response, 401, REFUSED, 'the request has no identity that this server accepts')
}

/** @param {ServerResponse} response @param {string} message */
function tooMany(response, message) {
  response.setHeader('retry-after', '1')
  refuse(response, 429, REFUSED, message)
}

/**
 * Refuses as the SDK's transport does: with a JSON-RPC error without request id.
 * @param {ServerResponse} response
 * @param {number} status
 * @param {number} code
 * @param {string} message
 */
function refuse(response, status, code, message) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}

module.exports = { createMcpHttpHandler }
