'use strict'

// MCP's streamable HTTP: requests that name their session (`Mcp-Session-Id`), each session with a server of its own. Any HTTP
// server of Node can hand its requests here.

const { randomBytes } = require('node:crypto')

const { checkNames, milliseconds } = require('../options.js')
const { createHttpGuard } = require('./http-guard.js')
const { OPTIONS, createMcpServer } = require('./mcp-server.js')
const { sdk } = require('./sdk.js')

const OWN_OPTIONS = ['allowedHosts', 'allowedOrigins', 'sessionIdleMs', 'maxSessions', 'onError']

/** A client that went without a word has left nothing running for longer than this. */
const DEFAULT_IDLE_MS = 30 * 60_000
const DEFAULT_MAX_SESSIONS = 1000
/** JSON-RPC's range for a server's own errors; as the SDK uses them. */
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
  const handle = async (request, response) => {
    const reason = refusal(request.headers)
    if (reason !== null) return refuse(response, 403, REFUSED, reason)
    if (request.headers.origin !== undefined) allow(response, request.headers.origin)
    if (request.method === 'OPTIONS') return preflight(response)
    return sessions.handle(request, response)
  }
  return Object.assign(handle, { close: () => sessions.close() })
}

class Sessions {
  #registry
  #forServer
  #maxSessions
  #idleMs
  #onError
  /** `Mcp-Session-Id` → its server's side. */
  #open = new Map()
  #sweep

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
    // Wrong options and a missing SDK fail now, not at the first request.
    createMcpServer(registry, forServer)
    this.#sweep = setInterval(() => this.#dropIdle(), Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  async handle(request, response) {
    const id = request.headers['mcp-session-id']
    if (id === undefined) return this.#begin(request, response)
    const session = this.#open.get(id)
    // A client that hears this begins anew.
    if (session === undefined) return refuse(response, 404, NO_SESSION, 'there is no such session (any more)')
    return session.handle(request, response)
  }

  async close() {
    clearInterval(this.#sweep)
    await Promise.all([...this.#open.values()].map(session => session.close()))
  }

  async #begin(request, response) {
    if (this.#open.size >= this.#maxSessions) return refuse(response, 503, REFUSED, 'too many sessions are open')
    const session = new HttpSession(this.#open)
    const server = createMcpServer(this.#registry, this.#forServer)
    server.onerror = this.#onError
    await server.connect(session.transport)
    await session.handle(request, response)
    // Anything but `initialize` begins no session; the transport has said so.
    if (!session.hasBegun) await session.close()
  }

  #dropIdle() {
    const since = performance.now() - this.#idleMs
    for (const session of this.#open.values()) {
      if (session.isIdleSince(since)) session.close()
    }
  }
}

/** One client: its transport, and whether it is still there. */
class HttpSession {
  #exchanges = 0
  #lastSeen = performance.now()
  hasBegun = false

  constructor(open) {
    this.transport = new sdk.StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized: id => {
        this.hasBegun = true
        open.set(id, this)
      },
    })
    this.transport.onclose = () => open.delete(this.transport.sessionId)
  }

  async handle(request, response) {
    this.#exchanges += 1
    response.once('close', () => {
      this.#exchanges -= 1
      this.#lastSeen = performance.now()
    })
    await this.transport.handleRequest(request, response)
  }

  isIdleSince(moment) {
    return this.#exchanges === 0 && this.#lastSeen <= moment
  }

  close() {
    return this.transport.close()
  }
}

function divided(options) {
  checkNames(options, [...OWN_OPTIONS, ...OPTIONS], 'MCP server')
  if (options.sessionIdleMs !== undefined) milliseconds(options.sessionIdleMs, 'sessionIdleMs')
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => OWN_OPTIONS.includes(name)))
  const forServer = Object.fromEntries(Object.entries(options).filter(([name]) => !OWN_OPTIONS.includes(name)))
  return { own, forServer }
}

/** A page of another origin: its browser asks before it lets the page ask, and hides what it is not allowed to show. */
function allow(response, origin) {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id')
  response.setHeader('vary', 'origin')
}

function preflight(response) {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id',
  })
  response.end()
}

/** As the SDK's transport refuses: a JSON-RPC error that answers no request. */
function refuse(response, status, code, message) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}

module.exports = { createMcpHttpHandler }
