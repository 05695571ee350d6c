// The voice engine: voice calls over the sockets of an HTTP server that the host owns. It opens no port, reads no environment and
// listens to no signal.
import { createRegistry } from 'toolgate'
import {
  createAuthenticator,
  createClientAddress,
  createClientLimits,
  createHealthProbes,
  createHostPolicy,
  createLogger,
  refuseUpgrade,
} from 'toolgate/http'
import { WebSocketServer } from 'ws'
import { checkedLines } from './audio/audible-line.js'
import { startHeartbeat } from './connection/heartbeat.js'
import { checkedLimits } from './settings/limits.js'
import { createMonitoring } from './connection/monitoring.js'
import { createOriginPolicy } from './connection/origin-policy.js'
import { chooseProvider, prepareProvider } from './providers/providers.js'
import { ServerContext } from './connection/server-context.js'
import { embeddedServices } from './settings/shipped-services.js'
import { spokenConsentMatcher } from './consent/spoken-consent.js'
import { createUpgradePolicy } from './connection/upgrade-policy.js'
import { VoiceConnection } from './connection/voice-connection.js'

/** A peer that does not answer the close frame would keep its socket open. */
const CLOSE_TIMEOUT_MS = 1000

/**
 * @typedef {import('../server.js').VoiceEngineOptions} VoiceEngineOptions
 * @typedef {import('../server.js').VoiceEngine} VoiceEngine
 */

/** @type {(options: VoiceEngineOptions) => Promise<VoiceEngine>} */
export async function createVoiceEngine(options) {
  const { allowedOrigins, allowedHosts, logger = createLogger() } = options
  const identify = authenticatorOf(options)
  const [addressOf, limits] = [createClientAddress(options.trustedProxies), createClientLimits(options.clientLimits)]
  const isAllowedOrigin = createOriginPolicy(allowedOrigins)
  const isKnownHost = createHostPolicy([...(allowedHosts ?? []), ...hostsOf(allowedOrigins ?? [])])
  const decide = createUpgradePolicy({ isKnownHost, isAllowedOrigin, identify, addressOf, limits, logger })
  const { context, registry, isOwn } = await prepare({ ...options, logger })
  /** @type {Promise<void> | null} */
  let closing = null
  const probes = createHealthProbes({
    registry: () => registry,
    isDraining: () => closing !== null,
    details: () => context.healthDetails(),
  })
  const clients = new WebSocketServer({ noServer: true, maxPayload: context.limits.maxFrameBytes })
  const stopHeartbeat = startHeartbeat(clients, context.limits.heartbeatMs)
  const close = async () => {
    stopHeartbeat()
    await Promise.allSettled([...context.connections].map(connection => connection.shutdown()))
    await Promise.all([...clients.clients].map(closedSoon))
    if (isOwn) await registry.close()
  }
  return {
    async handleUpgrade(request, duplex, head) {
      const socket = /** @type {import('node:net').Socket} */ (duplex)
      socket.on('error', () => socket.destroy())
      const { status, visitor } = await decide(request)
      if (visitor === undefined) return refuseUpgrade(socket, status)
      if (!context.hasRoom || closing !== null) return refuseUpgrade(socket, '503 Service Unavailable')
      clients.handleUpgrade(request, socket, head, client =>
        context.connections.add(new VoiceConnection({ socket: client, stream: socket }, context, visitor)),
      )
    },
    handleRequest: createMonitoring({ context, probes, isKnownHost, token: options.metricsToken }),
    acceptStore: () => registry.acceptStore(),
    say: (sessionId, text) => context.say(sessionId, text),
    close: () => (closing ??= close()),
  }
}

/**
 * Who connects. The engine cannot see on which address its host listens, so that silence means no one.
 * @param {VoiceEngineOptions} options
 */
function authenticatorOf({ authenticate, allowAnonymous }) {
  if (authenticate) return createAuthenticator(authenticate)
  if (allowAnonymous === true) return null
  throw new TypeError(
    '`authenticate` is missing: give the function that says who connects, or `allowAnonymous: true`, with which all who reach the server may use the tools',
  )
}

/** @param {VoiceEngineOptions & { logger: import('./voice-types.js').Logger }} options */
async function prepare({ lines, logger, limits: given, resumeSecret, meta = 'full', ...options }) {
  if (!['full', 'lean'].includes(meta)) throw new TypeError('`meta` must be `full` or `lean`')
  const limits = checkedLimits(given)
  const chosen = chooseProvider(options)
  const consentOf = spokenConsentMatcher(options.spokenConsent)
  const checked = { lines: checkedLines(lines), consentOf, logger, limits, resumeSecret, meta }
  const { registry, services, isOwn } = await toolsOf(options, logger)
  const { connectTimeoutMs, providerPingMs: pingMs } = limits
  const provider = prepareProvider({
    ...chosen,
    registry,
    // Of a host's registry without services of the server, all of its own.
    services: isOwn || Object.keys(services).length > 0 ? Object.keys(services) : undefined,
    connectTimeoutMs,
    pingMs,
    meta,
    logger,
  })
  return { context: new ServerContext({ ...provider, ...checked, registry, services }), registry, isOwn }
}

/**
 * The registry of the host, with its services and its choice about stray errors; without one, the server's own.
 * @param {VoiceEngineOptions} options
 * @param {import('./voice-types.js').Logger} logger
 */
async function toolsOf({ registry: given, services, audit = 'stdout', store = 'memory', ...options }, logger) {
  const { artifact, sources } = options
  if (given !== undefined) {
    const registry = await (typeof given === 'function' ? given() : given)
    await registry.load()
    if (registry.strayErrors !== 'report')
      logger.warn(
        'an error of a tool that nothing awaits ends all calls: create the registry with `strayErrors: "report"`',
      )
    return { registry, services: services ?? {}, isOwn: false }
  }
  /** @type {Record<string, object>} */
  const own = services ?? (await embeddedServices({ registry: () => registry }))
  const registry = createRegistry({ artifact, sources, audit, store, services: own, strayErrors: 'report' })
  await registry.load()
  return { registry, services: own, isOwn: true }
}

/** The host names of allowed origins; `localhost` and `no-origin` name none. @param {string[]} origins */
function hostsOf(origins) {
  return origins.filter(origin => /^https?:\/\//i.test(origin)).map(origin => new URL(origin).hostname)
}

/** @param {import('ws').WebSocket} socket @returns {Promise<void>} */
function closedSoon(socket) {
  return new Promise(resolve => {
    const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
