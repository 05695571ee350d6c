// The voice server: an HTTP server with `/voice` for WebSocket clients, `/healthz` and `/metrics` for whoever watches it.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { PROMETHEUS_TYPE, createRegistry, prometheusText } from 'toolgate'
import { WebSocketServer } from 'ws'
import { embeddedServices } from './src/embedded-services.js'
import { startHeartbeat } from './src/heartbeat.js'
import { stderrLogger } from './src/logger.js'
import { createOriginPolicy } from './src/origin-policy.js'
import { chooseProvider, prepareProvider } from './src/providers.js'
import { spokenConsentMatcher } from './src/spoken-consent.js'
import { VoiceConnection } from './src/voice-connection.js'
import { DEFAULT_LIMITS, VoiceHost } from './src/voice-host.js'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))

/**
 * @typedef {object} VoiceServerOptions
 * @property {import('toolgate').ToolRegistry} [registry] loaded if need be, and left open on `close`; without one the
 *   server makes one and closes it
 * @property {number} [port] 0, the default, takes a free one
 * @property {string} [host] `127.0.0.1` by default
 * @property {'gemini' | 'openai'} [provider] needed where there are settings of both
 * @property {Partial<import('./src/links/gemini-connect.js').GeminiSettings> & { config?: object }} [gemini]
 *   `config`: more of the SDK's LiveConnectConfig
 * @property {Partial<import('./src/links/openai-connect.js').OpenAISettings> & { config?: object }} [openai]
 *   `config`: more of the session of `session.update`
 * @property {boolean | { languages: string[] }} [spokenConsent] a spoken yes can confirm; off by default
 * @property {Record<string, object>} [services] for the tools; the embedded knowledge base and calendar by default
 * @property {string} [artifact] path of the `tool_registry.json` of the registry that the server makes; the shipped tools by default
 * @property {import('toolgate').AuditSink} [audit] of the registry that the server makes; stdout by default
 * @property {import('toolgate').StoreChoice} [store] of the registry that the server makes; `memory` by default
 * @property {string[]} [allowedOrigins] see `createOriginPolicy`
 * @property {string | Buffer} [resumeSecret] shared by servers and restarts, at least 16 bytes
 * @property {Partial<typeof import('./src/voice-host.js').DEFAULT_LIMITS>} [limits]
 * @property {{ info: Function, warn: Function, error: Function }} [logger] JSON lines on stderr by default
 */

/**
 * Starts a voice server.
 *
 * @param {VoiceServerOptions} options
 * @returns {Promise<{ url: string, port: number, close(): Promise<void> }>} `url` is where clients connect; `close`
 *   tells them, ends the provider's connections and resolves when the port is free
 */
export async function createVoiceServer({ registry: given, port = 0, host: address = '127.0.0.1', ...options }) {
  const { allowedOrigins, artifact, audit, store } = options
  const chosen = chooseProvider(options)
  const spokenConsent = spokenConsentMatcher(options.spokenConsent)
  const services = options.services ?? (await embeddedServices())
  const registry =
    given ?? createRegistry({ artifact, audit: audit ?? 'stdout', store: store ?? 'memory', strayErrors: 'report' })
  await registry.load()
  const host = await makeHost({ ...options, registry, services, chosen, spokenConsent })
  const server = createServer((request, response) => answerHttp(request, response, host))
  const clients = acceptClients(server, host, createOriginPolicy(allowedOrigins))
  const stopHeartbeat = startHeartbeat(clients, host.limits.heartbeatMs)
  server.listen(port, address)
  await once(server, 'listening')
  const bound = server.address().port
  let closing = null
  const close = async () => {
    stopHeartbeat()
    const closed = once(server, 'close')
    server.close()
    await Promise.allSettled([...host.connections].map(connection => connection.shutdown()))
    clients.clients.forEach(socket => terminateLater(socket))
    server.closeIdleConnections()
    await closed
    if (!given) await registry.close()
  }
  return { url: `ws://${urlHost(address)}:${bound}/voice`, port: bound, close: () => (closing ??= close()) }
}

async function makeHost({
  registry,
  services,
  chosen,
  spokenConsent,
  logger = stderrLogger,
  limits: given,
  resumeSecret,
}) {
  const limits = { ...DEFAULT_LIMITS, ...given }
  const { connectTimeoutMs } = limits
  const provider = await prepareProvider({
    ...chosen,
    registry,
    services: Object.keys(services),
    connectTimeoutMs,
    logger,
  })
  return new VoiceHost({ ...provider, registry, services, spokenConsent, logger, limits, resumeSecret })
}

function acceptClients(server, host, isAllowed) {
  const { maxFrameBytes, maxConnections } = host.limits
  const clients = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes })
  clients.on('connection', client => host.connections.add(new VoiceConnection(client, host)))
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    const { origin } = request.headers
    if (pathOf(request) !== '/voice') return refuseUpgrade(socket, '404 Not Found')
    if (!isAllowed(origin)) {
      host.logger.warn('origin refused', { origin })
      return refuseUpgrade(socket, '403 Forbidden')
    }
    if (host.connections.size >= maxConnections || !server.listening)
      return refuseUpgrade(socket, '503 Service Unavailable')
    clients.handleUpgrade(request, socket, head, client => clients.emit('connection', client, request))
  })
  return clients
}

function refuseUpgrade(socket, status) {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

function answerHttp(request, response, host) {
  if (pathOf(request) === '/metrics') return answerMetrics(response, host)
  if (pathOf(request) !== '/healthz') return answerJson(response, 404, { error: 'not found' })
  answerJson(response, 200, {
    status: 'ok',
    version,
    toolsVersion: host.registry.getVersion(),
    sessions: host.connections.size,
    provider: host.provider,
    model: host.model,
    simulator: host.simulator,
  })
}

function answerMetrics(response, { registry, connections }) {
  const open =
    '# HELP toolgate_voice_connections Browsers that are connected.\n# TYPE toolgate_voice_connections gauge\n'
  response.writeHead(200, { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' })
  response.end(`${open}toolgate_voice_connections ${connections.size}\n${prometheusText(registry.getMetrics())}`)
}

function answerJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

function pathOf(request) {
  return request.url.split('?', 1)[0]
}

/** A peer that does not answer the close frame must not keep the server open. */
function terminateLater(socket) {
  const timer = setTimeout(() => socket.terminate(), 1000)
  socket.once('close', () => clearTimeout(timer))
}

function urlHost(address) {
  return address.includes(':') ? `[${address}]` : address
}
