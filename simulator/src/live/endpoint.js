// Where Live connections come in: the upgrade, the list of connections, what they share.

import { WebSocketServer } from 'ws';
import { describeRequest } from '../recorder.js';
import { SIMULATOR_HEADER } from '../identity.js';
import { LiveConnection } from './connection.js';
import { ResumableSessions } from './resumable-sessions.js';

/**
 * The path holds the API version, which differs between SDK releases, and starts with two slashes when the SDK is
 * given a base URL. The second form is Vertex AI's.
 */
const LIVE_PATH =
  /^\/+ws\/(?:google\.ai\.generativelanguage\.v\w+\.GenerativeService\.BidiGenerateContent(?:Constrained)?|google\.cloud\.aiplatform\.v\w+\.LlmBidiService\/BidiGenerateContent)$/;

const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/**
 * @typedef {object} LiveHost what a connection sees of the simulator
 * @property {() => import('../scenario/compile.js').CompiledScenario} scenario
 * @property {(line: string) => void} log
 * @property {(entry: object) => void} record
 * @property {(anomaly: import('../recorder.js').Anomaly) => void} anomaly
 * @property {ResumableSessions} sessions
 * @property {(connection: LiveConnection) => void} ready called when setup is complete
 */

export class LiveEndpoint {
  /** @type {LiveConnection[]} all since the start, closed ones included, in the order of connecting */
  connections = [];
  #server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  #ready = new Set();
  #waiters = [];

  /** @param {Pick<LiveHost, 'scenario' | 'log' | 'record' | 'anomaly'>} host */
  constructor(host) {
    this.host = { ...host, sessions: new ResumableSessions(), ready: (connection) => this.#becameReady(connection) };
    this.#server.on('headers', (headers) => headers.push(`${SIMULATOR_HEADER}: 1`));
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:net').Socket} socket
   * @param {Buffer} head
   */
  upgrade(request, socket, head) {
    const { path, headers } = describeRequest(request);
    if (!LIVE_PATH.test(path)) {
      socket.end(`HTTP/1.1 404 Not Found\r\n${SIMULATOR_HEADER}: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const number = this.connections.length + 1;
      const record = (entry) => this.host.record({ protocol: 'live', headers, ...entry });
      this.connections.push(new LiveConnection({ number, socket: webSocket, path, host: { ...this.host, record } }));
      this.host.log(`live#${number} connected`);
    });
  }

  /**
   * Resolves with the n-th connection once its setup is complete.
   *
   * @param {number} [number] 1-based; the first by default
   * @returns {Promise<LiveConnection>} rejects when the simulator closes
   */
  whenConnected(number = 1) {
    const connection = this.connections[number - 1];
    if (connection !== undefined && this.#ready.has(connection)) return Promise.resolve(connection);
    return new Promise((resolve, reject) => this.#waiters.push({ number, resolve, reject }));
  }

  #becameReady(connection) {
    this.#ready.add(connection);
    const mine = this.#waiters.filter(({ number }) => number === connection.number);
    this.#waiters = this.#waiters.filter((waiter) => !mine.includes(waiter));
    for (const { resolve } of mine) resolve(connection);
  }

  close() {
    for (const { reject } of this.#waiters) reject(new Error('the simulator was closed while waiting for a connection'));
    this.#waiters = [];
    for (const connection of this.connections) if (connection.isOpen) connection.disconnect({ code: 1001, reason: 'the simulator is closing' });
    // a peer that does not answer the close frame must not keep the process alive
    for (const client of this.#server.clients) setTimeout(() => client.terminate(), 500).unref();
    this.#server.close();
  }
}
