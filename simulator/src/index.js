// The simulator's public face: start it, see what clients sent, push frames, close it.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { completeChat, listModels } from './chat/endpoint.js';
import { invalidRequest } from './chat/check-request.js';
import { sendError } from './chat/send-error.js';
import { SIMULATOR_HEADER, SIMULATOR_NAME } from './identity.js';
import { LiveEndpoint } from './live/endpoint.js';
import { Recorder, describeRequest } from './recorder.js';
import { DEFAULT_SCENARIO_FILE, compileScenario, loadScenarioFile } from './scenario/load.js';

export { ScenarioError } from './scenario/error.js';
export { DEFAULT_SCENARIO_FILE };

/**
 * @typedef {object} Simulator
 * @property {string} url `http://host:port`; Live clients take it as their base URL, OpenAI clients with `/v1` behind it
 * @property {number} port
 * @property {import('./recorder.js').Received[]} received what clients sent, in order (the newest 5000 entries)
 * @property {import('./recorder.js').Anomaly[]} anomalies answers that no provider would want: to unknown, cancelled
 *   or already answered calls (Live)
 * @property {Recorder['whenReceived']} whenReceived
 * @property {LiveEndpoint} live `connections`, `whenConnected(n)`; a connection has `send(frame)`, `sendRaw(text)`,
 *   `disconnect({ code, reason })`, `sent`, `setup`, `isOpen`, `closed`
 * @property {(scenario: object) => void} useScenario for requests and Live sessions that begin from now on
 * @property {() => Promise<void>} close
 */

/**
 * @param {object} [options]
 * @param {number} [options.port] 0 takes a free one
 * @param {string} [options.host]
 * @param {object} [options.scenario] a scenario as an object
 * @param {string | URL} [options.scenarioFile] or its file; without either the shipped default is used
 * @param {(line: string) => void} [options.log] told what happens, without keys and without arguments of tools
 * @returns {Promise<Simulator>}
 * @throws {import('./scenario/error.js').ScenarioError} when the scenario cannot be used
 */
export async function startSimulator({ port = 0, host = '127.0.0.1', scenario, scenarioFile, log = () => {} } = {}) {
  if (scenario !== undefined && scenarioFile !== undefined) throw new TypeError('give either `scenario` or `scenarioFile`');
  let current = scenario === undefined ? loadScenarioFile(scenarioFile ?? DEFAULT_SCENARIO_FILE) : compileScenario(scenario);
  const recorder = new Recorder();
  const shared = {
    scenario: () => current,
    log: (line) => log(`[simulator] ${line}`),
    record: (entry) => recorder.add(entry),
    anomaly: (anomaly) => {
      recorder.anomalies.push(anomaly);
      shared.log(`live#${anomaly.connection} ${anomaly.kind} in a tool response`);
    },
  };
  const live = new LiveEndpoint(shared);
  const server = createServer((request, response) => serve(request, response, { ...shared, live }));
  server.on('upgrade', (request, socket, head) => live.upgrade(request, socket, head));
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  return {
    url,
    port: address.port,
    received: recorder.received,
    anomalies: recorder.anomalies,
    whenReceived: (predicate, options) => recorder.whenReceived(predicate, options),
    live,
    useScenario: (next) => {
      current = compileScenario(next);
    },
    close: () => closeAll(server, live, recorder),
  };
}

async function closeAll(server, live, recorder) {
  if (!server.listening) return;
  recorder.close();
  live.close();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function serve(request, response, host) {
  response.setHeader(SIMULATOR_HEADER, '1');
  const { path } = describeRequest(request);
  const route = ROUTES[`${request.method} ${path}`];
  if (route === undefined) {
    host.record({ protocol: 'http', ...describeRequest(request), json: undefined });
    request.resume();
    return sendError(response, { ...invalidRequest(`the simulator has no \`${request.method} ${path}\`${hintFor(path)}`), status: 404 });
  }
  return Promise.resolve(route(request, response, host)).catch((error) => {
    host.log(`error: ${error.message}`);
    response.destroy();
  });
}

/** The AI SDK takes the Responses API unless told otherwise. */
function hintFor(path) {
  return path === '/v1/responses' ? '; of OpenAI it speaks Chat Completions only (AI SDK: `openai.chat(model)`)' : '';
}

const ROUTES = {
  __proto__: null,
  'GET /healthz': (_request, response, host) => sendHealth(response, host),
  'GET /v1/models': (_request, response) => listModels(response),
  'POST /v1/chat/completions': completeChat,
};

function sendHealth(response, { scenario, live }) {
  const body = {
    ok: true,
    simulator: true,
    name: SIMULATOR_NAME,
    scenario: scenario().name,
    liveConnections: live.connections.filter(({ isOpen }) => isOpen).length,
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
