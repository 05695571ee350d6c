// The voice server: an HTTP server with `/voice` for WebSocket clients, `/healthz`, `/readyz` and `/metrics` for
// monitoring.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { PROMETHEUS_TYPE, createRegistry, prometheusText, shippedTools } from 'toolgate'
import {
  createAuthenticator,
  createClientAddress,
  createClientLimits,
  createHealthProbes,
  createHostPolicy,
  createLogger,
  createMetricsAccess,
  isForwarded,
  metricsRefusal,
  refuseUpgrade,
  requireAuthentication,
} from 'toolgate/http'
import { WebSocketServer } from 'ws'
import { checkedLines } from './src/audible-line.js'
import { checkedLimits } from './src/limits.js'
import { embeddedServices } from './src/shipped-services.js'
import { startHeartbeat } from './src/heartbeat.js'
import { createOriginPolicy } from './src/origin-policy.js'
import { chooseProvider, prepareProvider } from './src/providers.js'
import { spokenConsentMatcher } from 'toolgate/voice'
import { createUpgradePolicy } from './src/upgrade-policy.js'
import { VoiceConnection } from './src/voice-connection.js'
import { ServerContext } from './src/server-context.js'

/** Connections that send no request in this time are closed: each one holds memory and a file descriptor. */
const SILENCE = { headersTimeout: 3000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }
const UNKNOWN_HOST = 'this server is not known by that host name: name it in `allowedHosts` (`TOOLGATE_ALLOWED_HOSTS`)'

/**
 * @typedef {object} VoiceServerOptions
 * @property {import('toolgate').ToolRegistry} [registry] loaded by the server if it is not; `close` leaves it open.
 *   Without it the server creates one and closes it
 * @property {number} [port] default 0: a free port
 * @property {string} [host] default `127.0.0.1`
 * @property {import('./src/providers.js').ProviderName} [provider] required if several have settings
 * @property {Partial<import('./src/links/gemini-connect.js').GeminiSettings> & { config?: object }} [gemini]
 *   `config`: further members of the SDK's LiveConnectConfig
 * @property {Partial<import('./src/links/openai-socket.js').OpenAISettings> & { config?: object }} [openai]
 *   `config`: further members of the `session` of `session.update`
 * @property {Partial<import('./src/links/openai-socket.js').OpenAISettings> & { backendModel?: string, config?: object }} [gptLive]
 *   `config`: further members of the `session` of `session.start`; `backendModel`: of the Responses backend, which works for the model
 *   unless `delegate` does
 * @property {import('./src/voice-types.js').Delegate} [delegate] works for the model of `gptLive`; its answer is spoken
 * @property {import('./src/voice-types.js').ReadAloud} [readAloud] asks questions in a voice of the host: with `gptLive` all of them,
 *   else one whose words the model keeps changing; default: the model says them
 * @property {boolean | { languages: string[] }} [spokenConsent] whether a spoken yes can confirm; default false
 * @property {Record<string, object>} [services] for the tools; default: the embedded knowledge base and calendar
 * @property {string} [artifact] path of the `tool_registry.json` of the server's own registry; default: the shipped
 *   tools
 * @property {import('toolgate').AuditSink} [audit] of the server's own registry; default `stdout`
 * @property {import('toolgate').StoreChoice} [store] of the server's own registry; default `memory`
 * @property {string[]} [allowedOrigins] see `createOriginPolicy`
 * @property {string[]} [allowedHosts] host names, without port, that the server answers to, beside those of this
 *   machine, every address, and the hosts of `allowedOrigins`
 * @property {import('toolgate/http').Authenticate} [authenticate] who connects: clients without an identity get 401
 * @property {boolean} [allowAnonymous] needed without `authenticate` if `host` is no loopback address
 * @property {string[]} [trustedProxies] addresses, subnets or `loopback`, whose `X-Forwarded-For` says who the client is
 * @property {{ perAddress?: Partial<import('toolgate/http').ClientLimits>,
 *   perPrincipal?: Partial<import('toolgate/http').ClientLimits> }} [clientLimits] what one client may use. Programs of
 *   this machine that connect directly have no limits per address
 * @property {string} [metricsToken] bearer token of `/metrics`, at least 16 bytes; without it `/metrics` answers direct
 *   requests of this machine
 * @property {string | Buffer} [resumeSecret] signs resume tokens, at least 16 bytes; the same on all servers and
 *   restarts
 * @property {Partial<typeof import('./src/limits.js').DEFAULT_LIMITS>} [limits]
 * @property {import('./src/audible-line.js').Lines} [lines] what the user hears while the model is silent; default: a soft sound
 * @property {import('./src/voice-types.js').Logger} [logger] default: JSON lines on stderr
 */

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('toolgate/http').Identity} Identity
 */

/**
 * Starts a voice server.
 *
 * @param {VoiceServerOptions} options
 * @returns {Promise<{ url: string, port: number, acceptStore(): Promise<void>,
 *   say(sessionId: string, text: string): boolean, close(): Promise<void> }>} `url`: the address for clients; `say`: the model of
 *   the session's call says the text once neither side speaks, false if this server has no call of the session; `acceptStore` uses a store that has lost its data, as `acceptStore` of the registry does; `close`
 *   notifies the clients, closes the provider's connections and resolves when the port is free
 * @throws {TypeError} if an option is invalid, or strangers could use the server (`requireAuthentication`)
 */
export async function createVoiceServer({ registry: given, port = 0, host: address = '127.0.0.1', ...options }) {
  const { allowedOrigins, allowedHosts, artifact, audit, authenticate, allowAnonymous, store } = options
  requireAuthentication({ host: address, authenticate, allowAnonymous })
  const identify = authenticate ? createAuthenticator(authenticate) : null
  const [addressOf, limits] = [createClientAddress(options.trustedProxies), createClientLimits(options.clientLimits)]
  const metrics = { mayRead: createMetricsAccess(options.metricsToken), refusal: metricsRefusal(options.metricsToken) }
  const chosen = chooseProvider(options)
  const consentOf = spokenConsentMatcher(options.spokenConsent)
  const services = options.services ?? (await embeddedServices({ registry: () => registry }))
  /** @type {import('toolgate').ToolRegistry} */
  const registry =
    given ??
    createRegistry({
      artifact: artifact ?? shippedTools,
      audit: audit ?? 'stdout',
      store: store ?? 'memory',
      strayErrors: 'report',
    })
  await registry.load()
  const context = await makeContext({ ...options, registry, services, chosen, consentOf })
  const isKnownHost = createHostPolicy([...(allowedHosts ?? []), ...hostsOf(allowedOrigins ?? [])])
  /** @type {Promise<void> | null} */
  let closing = null
  const probes = createHealthProbes({
    registry: () => registry,
    isDraining: () => closing !== null,
    details: () => context.healthDetails(),
  })
  const server = createServer(SILENCE, (request, response) =>
    answerHttp(request, response, { context, probes, isKnownHost, metrics }),
  )
  const isAllowedOrigin = createOriginPolicy(allowedOrigins)
  const { logger } = context
  const decide = createUpgradePolicy({ isKnownHost, isAllowedOrigin, identify, addressOf, limits, logger })
  const clients = acceptClients(server, context, decide)
  const stopHeartbeat = startHeartbeat(clients, context.limits.heartbeatMs)
  server.listen(port, address)
  await once(server, 'listening')
  const bound = /** @type {import('node:net').AddressInfo} */ (server.address()).port
  const close = async () => {
    stopHeartbeat()
    const closed = once(server, 'close')
    server.close()
    await Promise.allSettled([...context.connections].map(connection => connection.shutdown()))
    clients.clients.forEach(socket => terminateLater(socket))
    server.closeIdleConnections()
    await closed
    if (!given) await registry.close()
  }
  return {
    url: `ws://${urlHost(address)}:${bound}/voice`,
    port: bound,
    acceptStore: () => registry.acceptStore(),
    say: (sessionId, text) => context.say(sessionId, text),
    close: () => (closing ??= close()),
  }
}

/**
 * @param {Pick<VoiceServerOptions, 'lines' | 'logger' | 'limits' | 'resumeSecret'>
 *   & Required<Pick<VoiceServerOptions, 'registry' | 'services'>>
 *   & { chosen: ReturnType<typeof chooseProvider>, consentOf: ReturnType<typeof spokenConsentMatcher> }} parts
 */
async function makeContext({
  registry,
  services,
  chosen,
  consentOf,
  lines,
  logger = createLogger(),
  limits: given,
  resumeSecret,
}) {
  const limits = checkedLimits(given)
  const { connectTimeoutMs, providerPingMs: pingMs } = limits
  const provider = await prepareProvider({
    ...chosen,
    registry,
    services: Object.keys(services),
    connectTimeoutMs,
    pingMs,
    logger,
  })
  return new ServerContext({
    ...provider,
    lines: checkedLines(lines),
    registry,
    services,
    consentOf,
    logger,
    limits,
    resumeSecret,
  })
}

/**
 * @param {import('node:http').Server} server
 * @param {ServerContext} context
 * @param {ReturnType<typeof createUpgradePolicy>} decide
 */
function acceptClients(server, context, decide) {
  const { maxFrameBytes } = context.limits
  const clients = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes })
  server.on('upgrade', async (request, duplex, head) => {
    const socket = /** @type {import('node:net').Socket} */ (duplex)
    socket.on('error', () => socket.destroy())
    if (pathOf(request) !== '/voice') return refuseUpgrade(socket, '404 Not Found')
    const { status, visitor } = await decide(request)
    if (visitor === undefined) return refuseUpgrade(socket, status)
    if (!context.hasRoom || !server.listening) return refuseUpgrade(socket, '503 Service Unavailable')
    clients.handleUpgrade(request, socket, head, client =>
      context.connections.add(new VoiceConnection({ socket: client, stream: socket }, context, visitor)),
    )
  })
  return clients
}

/** The host names of allowed origins; `localhost` and `no-origin` name none. @param {string[]} origins */
function hostsOf(origins) {
  return origins
    .filter(origin => /^https?:\/\//i.test(origin) && URL.canParse(origin))
    .map(origin => new URL(origin).hostname)
}

/**
 * Probes are answered under any host name: an orchestrator uses its own, and their answers hold nothing of a user's.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {{ context: ServerContext, probes: import('toolgate/http').HealthProbes,
 *   isKnownHost: ReturnType<typeof createHostPolicy>,
 *   metrics: { mayRead: ReturnType<typeof createMetricsAccess>, refusal: string } }} server
 */
function answerHttp(request, response, { context, probes, isKnownHost, metrics }) {
  if (probes.answer(request, response)) return
  if (!isKnownHost(request.headers.host)) return answerJson(response, 403, { error: UNKNOWN_HOST })
  if (pathOf(request) !== '/metrics') return answerJson(response, 404, { error: 'not found' })
  if (!metrics.mayRead(metricsRequest(request))) return answerJson(response, 401, { error: metrics.refusal })
  answerMetrics(response, context)
}

/** @param {IncomingMessage} request */
function metricsRequest({ headers, socket }) {
  return { authorization: headers.authorization, peer: socket.remoteAddress, forwarded: isForwarded(headers) }
}

/** @param {ServerResponse} response @param {ServerContext} context */
function answerMetrics(response, { registry, connections, counters }) {
  const own = [
    metricText('toolgate_voice_connections', 'gauge', 'Browsers that are connected.', connections.size),
    metricText(
      'toolgate_voice_provider_silences',
      'counter',
      'Silent connections replaced.',
      counters.providerSilences,
    ),
    metricText('toolgate_voice_answer_retries', 'counter', 'Failed answers asked for again.', counters.answerRetries),
    metricText('toolgate_voice_idle_endings', 'counter', 'Sessions ended while nobody spoke.', counters.idleEndings),
    metricText(
      'toolgate_voice_duration_endings',
      'counter',
      'Sessions ended by their longest duration.',
      counters.durationEndings,
    ),
  ]
  response.writeHead(200, { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' })
  response.end(`${own.join('')}${prometheusText(registry.getMetrics())}`)
}

/** @param {string} name @param {'gauge' | 'counter'} type @param {string} help @param {number} value */
function metricText(name, type, help, value) {
  return `# TYPE ${name} ${type}\n# HELP ${name} ${help}\n${name}${type === 'counter' ? '_total' : ''} ${value}\n`
}

/** @param {ServerResponse} response @param {number} status @param {object} body */
function answerJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

/** @param {IncomingMessage} request */
function pathOf(request) {
  return String(request.url).split('?', 1)[0]
}

/**
 * Terminates a socket whose peer does not answer the close frame within 1 s: it would keep the server open.
 * @param {import('ws').WebSocket} socket
 */
function terminateLater(socket) {
  const timer = setTimeout(() => socket.terminate(), 1000)
  socket.once('close', () => clearTimeout(timer))
}

/** @param {string} address */
function urlHost(address) {
  return address.includes(':') ? `[${address}]` : address
}
