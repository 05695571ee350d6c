// The simulator's public API: starts it, returns received messages, pushes frames, closes it.

import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import { chat } from './chat/chat-protocol.js'
import { geminiProtocol } from './gemini/gemini-protocol.js'
import { answerRequest } from './http/answer-request.js'
import { SIMULATOR_HEADER, SIMULATOR_NAME } from './identity.js'
import { createGptLiveEndpoint } from './gpt-live/gpt-live-endpoint.js'
import { createLiveEndpoint } from './live/live-endpoint.js'
import { createMessagesProtocol } from './messages/messages-protocol.js'
import { listModels } from './models.js'
import { invalidRequest } from './openai/openai-errors.js'
import { sendError } from './openai/send-error.js'
import { createRealtimeEndpoint } from './realtime/realtime-endpoint.js'
import { Recorder, describeRequest, urlOf } from './recorder.js'
import { createResponsesProtocol } from './responses/responses-protocol.js'
import { DEFAULT_SCENARIO_FILE, compileScenario, loadScenarioFile } from './scenario/load.js'

/**
 * @import { IncomingMessage, Server, ServerResponse } from 'node:http'
 * @import { HttpProtocol } from './http/answer-request.js'
 * @import { Anomaly, Received } from './recorder.js'
 * @import { CompiledScenario } from './scenario/compile.js'
 * @import { EndpointHost } from './socket/socket-endpoint.js'
 */

export { ScenarioError } from './scenario/error.js'
export { DEFAULT_SCENARIO_FILE }

/**
 * @typedef {object} SimulatorHost the state that the HTTP handlers share
 * @property {() => CompiledScenario} scenario
 * @property {(line: string) => void} log
 * @property {(entry: Omit<Received, 'seq'>) => void} record
 * @property {{ live: LiveEndpoint, realtime: RealtimeEndpoint, gptLive: GptLiveEndpoint }} sockets
 * @property {Record<string, HttpProtocol>} answers protocols by path
 *
 * @typedef {ReturnType<typeof createLiveEndpoint>} LiveEndpoint
 * @typedef {ReturnType<typeof createRealtimeEndpoint>} RealtimeEndpoint
 * @typedef {ReturnType<typeof createGptLiveEndpoint>} GptLiveEndpoint
 *
 * @typedef {object} Simulator
 * @property {string} url `http://host:port` (`https:` with `tls`): the base URL of Gemini and Anthropic clients; OpenAI
 *   clients append `/v1`
 * @property {number} port
 * @property {Received[]} received messages of clients, in order (the newest 5000)
 * @property {Anomaly[]} anomalies client errors that a provider would not accept: answers to
 *   unknown, cancelled or already answered calls, and response requests before all calls are answered (Realtime)
 * @property {Recorder['whenReceived']} whenReceived
 * @property {LiveEndpoint} live `connections`, `whenConnected(n)`; a connection has
 *   `send(frame)`, `sendRaw(text)`, `disconnect({ code, reason })`, `sent`, `setup`, `isOpen`, `closed`
 * @property {RealtimeEndpoint} realtime the same; `session` in place of `setup`
 * @property {GptLiveEndpoint} gptLive the same; `hear(words)` of a connection simulates words of the user
 * @property {(scenario: object) => void} useScenario sets the scenario of later requests and sessions
 * @property {() => Promise<void>} close
 */

/**
 * @param {object} [options]
 * @param {number} [options.port] default 0: a free port
 * @param {string} [options.host]
 * @param {{ key: string | Buffer, cert: string | Buffer }} [options.tls] PEM; serves https and wss, which `openai`'s
 *   Realtime client requires
 * @param {object} [options.scenario] a scenario object
 * @param {string | URL} [options.scenarioFile] or a scenario file; default: the shipped scenario
 * @param {(line: string) => void} [options.log] receives events, without keys and without tool arguments
 * @returns {Promise<Simulator>}
 * @throws {import('./scenario/error.js').ScenarioError} if the scenario is invalid
 */
export async function startSimulator({
  port = 0,
  host = '127.0.0.1',
  scenario,
  scenarioFile,
  tls,
  log = () => {},
} = {}) {
  if (scenario !== undefined && scenarioFile !== undefined)
    throw new TypeError('give either `scenario` or `scenarioFile`')
  let current =
    scenario === undefined ? loadScenarioFile(scenarioFile ?? DEFAULT_SCENARIO_FILE) : compileScenario(scenario)
  const recorder = new Recorder()
  /** @type {EndpointHost} */
  const shared = {
    scenario: () => current,
    log: line => log(`[simulator] ${line}`),
    record: entry => recorder.add(entry),
    anomaly: (protocol, anomaly) => {
      recorder.anomalies.push({ protocol, ...anomaly })
      shared.log(`${protocol}#${anomaly.connection} ${anomaly.kind}`)
    },
  }
  const sockets = {
    live: createLiveEndpoint(shared),
    realtime: createRealtimeEndpoint(shared),
    gptLive: createGptLiveEndpoint(shared),
  }
  /** @type {Record<string, HttpProtocol>} */
  const answers = {
    '/v1/chat/completions': chat,
    '/v1/responses': createResponsesProtocol(),
    '/v1/messages': createMessagesProtocol(),
  }
  /** @type {import('node:http').RequestListener} */
  const listener = (request, response) => void serve(request, response, { ...shared, sockets, answers })
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head, Object.values(sockets)))
  server.listen(port, host)
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  const url = `${tls === undefined ? 'http' : 'https'}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
  return {
    url,
    port: address.port,
    received: recorder.received,
    anomalies: recorder.anomalies,
    whenReceived: (predicate, options) => recorder.whenReceived(predicate, options),
    ...sockets,
    useScenario: next => {
      current = compileScenario(next)
    },
    close: () => closeAll(server, Object.values(sockets), recorder),
  }
}

/** @param {Server} server @param {(LiveEndpoint | RealtimeEndpoint | GptLiveEndpoint)[]} endpoints @param {Recorder} recorder */
async function closeAll(server, endpoints, recorder) {
  if (!server.listening) return
  recorder.close()
  for (const endpoint of endpoints) endpoint.close()
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/**
 * @param {IncomingMessage} request
 * @param {import('node:stream').Duplex} socket
 * @param {Buffer} head
 * @param {(LiveEndpoint | RealtimeEndpoint | GptLiveEndpoint)[]} endpoints
 */
function upgrade(request, socket, head, endpoints) {
  // the client may disconnect during the handshake
  socket.on('error', () => {})
  const { path } = describeRequest(request)
  const endpoint = endpoints.find(candidate => candidate.path.test(path))
  if (endpoint !== undefined) return endpoint.upgrade(request, socket, head)
  return socket.end(
    `HTTP/1.1 404 Not Found\r\n${SIMULATOR_HEADER}: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
  )
}

/** @param {IncomingMessage} request @param {ServerResponse} response @param {SimulatorHost} host */
function serve(request, response, host) {
  response.setHeader(SIMULATOR_HEADER, '1')
  const { path } = describeRequest(request)
  const protocol = request.method === 'POST' ? protocolOf(request, path, host.answers) : undefined
  if (protocol !== undefined) return answerSafely(protocol, request, response, host)
  const page = `${request.method} ${path}`
  if (Object.hasOwn(PAGES, page)) return PAGES[page](request, response, host)
  host.record({ protocol: 'http', ...describeRequest(request), json: undefined })
  request.resume()
  return sendError(response, { ...invalidRequest(`the simulator has no \`${request.method} ${path}\``), status: 404 })
}

/** @param {IncomingMessage} request @param {string} path @param {Record<string, HttpProtocol>} answers */
function protocolOf(request, path, answers) {
  if (Object.hasOwn(answers, path)) return answers[path]
  return geminiProtocol(path, new URLSearchParams(urlOf(request).split('?')[1]))
}

/**
 * An internal error ends one answer, never the process.
 *
 * @param {HttpProtocol} protocol
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {SimulatorHost} host
 */
async function answerSafely(protocol, request, response, host) {
  try {
    await answerRequest(protocol, request, response, host)
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    host.log(`${protocol.name} error: ${message}`)
    if (response.headersSent || response.destroyed) response.destroy()
    else protocol.sendError(response, { status: 500, message: `simulator: ${message}` })
  }
}

/** @type {Record<string, (request: IncomingMessage, response: ServerResponse, host: SimulatorHost) => void>} */
const PAGES = {
  'GET /healthz': (_request, response, host) => sendHealth(response, host),
  'GET /v1/models': listModels,
}

/** @param {ServerResponse} response @param {SimulatorHost} host */
function sendHealth(response, { scenario, sockets }) {
  /** @param {LiveEndpoint | RealtimeEndpoint} endpoint */
  const open = ({ connections }) => connections.filter(({ isOpen }) => isOpen).length
  const body = {
    ok: true,
    simulator: true,
    name: SIMULATOR_NAME,
    scenario: scenario().name,
    liveConnections: open(sockets.live),
    realtimeConnections: open(sockets.realtime),
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
