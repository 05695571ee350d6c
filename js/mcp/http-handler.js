'use strict'

// MCP's streamable HTTP transport. Requests of the revision 2026-07-28 stand alone. Those of older ones contain their session
// (`Mcp-Session-Id`), and each session has its own server. The handler works with any HTTP server of Node.

const { Readable } = require('node:stream')

const { turnToParse } = require('../http/large-body.js')
const { createAuthenticator } = require('../http/authentication.js')
const { createClientAddress } = require('../http/client-address.js')
const { createClientLimits } = require('../http/client-limits.js')
const { checkOptionNames, milliseconds } = require('../gate/option-checks.js')
const { internal } = require('./connection-session.js')
const { ConsentElsewhere } = require('./consent-elsewhere.js')
const { createHttpGuard } = require('./http-guard.js')
const { HttpSession } = require('./http-session.js')
const { OPTIONS, createMcpServer, serverOf } = require('./mcp-server.js')
const { RequestSession } = require('./request-session.js')
const { ResourceMetadata } = require('./resource-metadata.js')
const { Rounds } = require('./rounds.js')
const { sdk } = require('./sdk.js')
const { goneSignal, webRequest, writeAnswer } = require('./web-exchange.js')

const OWN_OPTIONS = [
  'authenticate',
  'authorization',
  'allowedHosts',
  'allowedOrigins',
  'clientLimits',
  'trustedProxies',
  'sessionIdleMs',
  'maxSessions',
  'onError',
]

const METHOD_NOT_FOUND = -32601
/** Methods that exist: their answers may be large, and are not read again. */
const ANSWERED = ['tools/list', 'tools/call']

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
const PARSE_ERROR = -32_700
/** The longest body of a request, in bytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

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
  const metadata = new ResourceMetadata(own.authorization, own.authenticate !== undefined)
  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const handle = async (request, response) => {
    const reason = refusal(request.headers)
    if (reason !== null) return refuse(response, 403, REFUSED, reason)
    if (request.headers.origin !== undefined) allow(response, request.headers.origin)
    if (request.method === 'OPTIONS') return preflight(response)
    const address = addressOf(request)
    if (!limits.takeRequest({ address })) return tooMany(response, 'this client sends too many requests')
    if (metadata.answer(request, response)) return
    const identity = await identify(request).catch(error => {
      own.onError?.(error)
      return undefined
    })
    if (identity === undefined) return refuse(response, 500, REFUSED, 'the identity could not be checked')
    if (identity === null) return unauthorized(response, metadata.challenge(request))
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
  /** Requests of 2026-07-28 that are not answered. */
  #alone = 0
  #rounds = new Rounds()
  #modern
  #unhear
  #sweep
  #isClosed = false

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
    const elsewhere = new ConsentElsewhere(forServer)
    /** @param {import('@modelcontextprotocol/server').McpRequestContext} context */
    const serverFor = ({ authInfo }) => {
      const ofCaller = this.#optionsFor(/** @type {Caller} */ (authInfo?.extra?.caller))
      const open = (/** @type {import('./mcp-server.js').Server} */ server) =>
        new RequestSession(server, registry, ofCaller, this.#rounds, elsewhere)
      return serverOf(ofCaller, { registry, open, isAlone: true })
    }
    this.#modern = sdk.server.createMcpHandler(serverFor, { legacy: 'reject', onerror: onError })
    const { notify } = this.#modern
    const unhearTools = internal(registry).onToolsChanged(() => notify.toolsChanged())
    const unhearLists = internal(registry).mcpSources.onListChanged(list =>
      list === 'prompts' ? notify.promptsChanged() : notify.resourcesChanged(),
    )
    this.#unhear = () => {
      unhearTools()
      unhearLists()
    }
    this.#sweep = setInterval(() => this.#dropIdle(), Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {Caller} caller */
  async handle(request, response, caller) {
    // A client whose subscription has ended with the handler may ask for it again.
    if (this.#isClosed) return refuse(response, 503, REFUSED, 'the server is closing')
    const signal = goneSignal(response)
    const read = await readBody(request, signal)
    if ('refused' in read) {
      // The rest of the body is not read, so no other request can follow on this connection.
      response.setHeader('connection', 'close')
      return refuse(response, ...read.refused)
    }
    const { body, web } = read
    // Node joins repeated headers of this kind to one text.
    const id = /** @type {string | undefined} */ (request.headers['mcp-session-id'])
    const { kind } = sdk.server.classifyInboundRequest({
      httpMethod: web.method,
      protocolVersionHeader: web.headers.get('mcp-protocol-version') ?? undefined,
      mcpMethodHeader: web.headers.get('mcp-method') ?? undefined,
      body,
    })
    // What is no message of either generation is refused by the newer one, unless it belongs to a session.
    if (kind === 'modern' || (kind !== 'legacy' && id === undefined))
      return this.#serveAlone(web, body, response, caller)
    if (id === undefined) return this.#begin(web, body, response, caller)
    const session = this.#open.get(id)
    // A client that receives 404 starts a new session. Another caller's session does not exist for this one.
    if (session?.principal !== caller.principal || session === undefined)
      return refuse(response, 404, NO_SESSION, 'there is no such session (any more)')
    return writeAnswer(await session.handle(web, body, response), response)
  }

  async close() {
    this.#isClosed = true
    clearInterval(this.#sweep)
    this.#unhear()
    await Promise.all([this.#modern.close(), ...[...this.#open.values()].map(session => session.close())])
  }

  /** @param {Request} request @param {unknown} parsedBody @param {ServerResponse} response @param {Caller} caller */
  async #serveAlone(request, parsedBody, response, caller) {
    if (this.#open.size + this.#alone >= this.#maxSessions)
      return refuse(response, 503, REFUSED, 'too many requests are open')
    const release = this.#limits.openConnection(caller)
    if (release === null) return tooMany(response, 'this client has too many open requests')
    this.#alone += 1
    try {
      const authInfo = { token: '', clientId: caller.principal ?? '', scopes: [], extra: { caller } }
      const answer = await this.#modern.fetch(request, { authInfo, parsedBody })
      await writeAnswer(await withMethodStatus(answer, parsedBody), response)
    } finally {
      this.#alone -= 1
      release()
    }
  }

  /** @param {Request} request @param {unknown} body @param {ServerResponse} response @param {Caller} caller */
  async #begin(request, body, response, caller) {
    if (this.#open.size + this.#alone >= this.#maxSessions)
      return refuse(response, 503, REFUSED, 'too many sessions are open')
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
      await writeAnswer(await session.handle(request, body, response), response)
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
 * The body of a request as JSON, and the request with its headers.
 * @param {IncomingMessage} request @param {AbortSignal} signal
 * @returns {Promise<{ web: Request, body: unknown } | { refused: [status: number, code: number, message: string] }>}
 */
async function readBody(request, signal) {
  if (request.method !== 'POST') return { web: webRequest(request, signal), body: undefined }
  if (!sdk.server.isJsonContentType(request.headers['content-type'] ?? null))
    return { refused: [415, REFUSED, 'the content type must be application/json'] }
  const stream = /** @type {ReadableStream} */ (Readable.toWeb(request))
  const web = webRequest(request, signal, { body: stream, duplex: 'half' })
  const read = await sdk.server.readRequestBody(web, MAX_BODY_BYTES)
  if (read.tooLarge) return { refused: [413, REFUSED, `the body has more than ${MAX_BODY_BYTES} bytes`] }
  await turnToParse(read.text.length)
  try {
    return { web, body: JSON.parse(read.text) }
  } catch {
    return { refused: [400, PARSE_ERROR, 'the body is not JSON'] }
  }
}

/**
 * The answer to a request of 2026-07-28. A method that does not exist is 404 there; the SDK sends 200, because it takes our refusal for an
 * answer of a handler.
 * @param {Response} answer @param {unknown} body of the request
 * @returns {Promise<Response>}
 */
async function withMethodStatus(answer, body) {
  const method = /** @type {{ method?: unknown } | null} */ (body)?.method
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  if (answer.status !== 200 || !isJson || typeof method !== 'string' || ANSWERED.includes(method)) return answer
  const text = await answer.text()
  const status = JSON.parse(text).error?.code === METHOD_NOT_FOUND ? 404 : 200
  return new Response(text, { status, headers: answer.headers })
}

/**
 * CORS headers: a browser sends a preflight request for a page of another origin, and hides responses without them.
 * @param {ServerResponse} response
 * @param {string} origin
 */
function allow(response, origin) {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate')
  response.setHeader('vary', 'origin')
}

/** @param {ServerResponse} response */
function preflight(response) {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
  })
  response.end()
}

/** @param {ServerResponse} response @param {string} challenge */
function unauthorized(response, challenge) {
  response.setHeader('www-authenticate', challenge)
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
