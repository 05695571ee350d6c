'use strict'

// MCP's streamable HTTP transport: requests contain their session (`Mcp-Session-Id`), and each session has its own
// server. The handler works with any HTTP server of Node.

const { randomBytes } = require('node:crypto')

const { createAuthenticator } = require('../http/authentication.js')
const { checkOptionNames, milliseconds } = require('../options.js')
const { createHttpGuard } = require('./http-guard.js')
const { OPTIONS, createMcpServer } = require('./mcp-server.js')
const { sdk } = require('./sdk.js')

const OWN_OPTIONS = ['authenticate', 'allowedHosts', 'allowedOrigins', 'sessionIdleMs', 'maxSessions', 'onError']

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpHttpOptions} McpHttpOptions
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 */

/** @typedef {{ principal?: string, roles?: string[], limits?: { connections?: number } }} Caller */

/** The caller of a server without `authenticate`. @type {Caller} */
const ANYBODY = {}

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
  const sessions = new Sessions(registry, forServer, own)
  const refusal = createHttpGuard({ hosts: own.allowedHosts, origins: own.allowedOrigins })
  const identify = own.authenticate === undefined ? async () => ANYBODY : createAuthenticator(own.authenticate)
  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const handle = async (request, response) => {
    const reason = refusal(request.headers)
    if (reason !== null) return refuse(response, 403, REFUSED, reason)
    if (request.headers.origin !== undefined) allow(response, request.headers.origin)
    if (request.method === 'OPTIONS') return preflight(response)
    const identity = await identify(request).catch(error => {
      own.onError?.(error)
      return undefined
    })
    if (identity === undefined) return refuse(response, 500, REFUSED, 'the identity could not be checked')
    if (identity === null) return unauthorized(response)
    return sessions.handle(request, response, identity)
  }
  return Object.assign(handle, { close: () => sessions.close() })
}

class Sessions {
  #registry
  #forServer
  #maxSessions
  #idleMs
  #onError
  /** `Mcp-Session-Id` → server session. @type {Map<string, HttpSession>} */
  #open = new Map()
  #sweep

  /**
   * @param {ToolRegistry} registry
   * @param {McpServerOptions} forServer
   * @param {McpHttpOptions} own
   */
  constructor(
    registry,
    forServer,
    { sessionIdleMs = DEFAULT_IDLE_MS, maxSessions = DEFAULT_MAX_SESSIONS, onError = () => {} },
  ) {
    this.#registry = registry
    this.#forServer = forServer
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
    if (this.#openOf(caller.principal) >= (caller.limits?.connections ?? Infinity))
      return refuse(response, 429, REFUSED, 'this client has too many open sessions')
    const session = new HttpSession(this.#open, caller.principal)
    const server = createMcpServer(this.#registry, this.#optionsFor(caller))
    server.onerror = this.#onError
    await server.connect(session.transport)
    await session.handle(request, response)
    // Only `initialize` begins a session; the transport has answered any other request with an error.
    if (!session.hasBegun) await session.close()
  }

  /** @param {string | undefined} principal */
  #openOf(principal) {
    return [...this.#open.values()].filter(session => session.principal === principal).length
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

/** One client: its transport and its idle timer. */
class HttpSession {
  #exchanges = 0
  #lastSeen = performance.now()
  hasBegun = false

  /** @param {Map<string, HttpSession>} open @param {string | undefined} principal the only one whose requests it takes */
  constructor(open, principal) {
    this.principal = principal
    this.transport = new sdk.StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized: id => {
        this.hasBegun = true
        open.set(id, this)
      },
    })
    this.transport.onclose = () => open.delete(String(this.transport.sessionId))
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async handle(request, response) {
    this.#exchanges += 1
    response.once('close', () => {
      this.#exchanges -= 1
      this.#lastSeen = performance.now()
    })
    await this.transport.handleRequest(request, response)
  }

  /** @param {number} moment */
  isIdleSince(moment) {
    return this.#exchanges === 0 && this.#lastSeen <= moment
  }

  close() {
    return this.transport.close()
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
