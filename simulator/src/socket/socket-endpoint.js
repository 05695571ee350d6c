// The endpoint of one WebSocket protocol: handles upgrades and keeps the list of connections.

import { WebSocketServer } from 'ws'
import { describeRequest } from '../recorder.js'
import { SIMULATOR_HEADER } from '../identity.js'

/**
 * @import { Anomaly, Received } from '../recorder.js'
 * @import { SocketConnection } from './socket-connection.js'
 */

const MAX_FRAME_BYTES = 16 * 1024 * 1024
const CLOSE_TIMEOUT_MS = 500

/**
 * @typedef {object} SocketHost the simulator's interface to a connection
 * @property {SocketProtocolName} protocol
 * @property {() => import('../scenario/compile.js').CompiledScenario} scenario
 * @property {(line: string) => void} log
 * @property {(entry: Pick<Received, 'connection' | 'path' | 'json' | 'text'>) => void} record
 * @property {(anomaly: Omit<Anomaly, 'protocol'>) => void} anomaly
 * @property {(connection: SocketConnection) => void} ready called when the setup is complete
 *
 * @typedef {Anomaly['protocol']} SocketProtocolName
 *
 * @typedef {object} EndpointHost the simulator's interface to an endpoint
 * @property {SocketHost['scenario']} scenario
 * @property {SocketHost['log']} log
 * @property {(entry: Omit<Received, 'seq'>) => void} record
 * @property {(protocol: SocketProtocolName, anomaly: Omit<Anomaly, 'protocol'>) => void} anomaly
 *
 * @typedef {object} ConnectionParts
 * @property {number} number 1-based
 * @property {import('ws').WebSocket} socket
 * @property {string} path
 * @property {SocketHost} host
 * @property {import('node:http').IncomingMessage} request
 */

/**
 * @template {SocketConnection} Connection
 * @typedef {object} ConnectionWaiter
 * @property {number} number
 * @property {(connection: Connection) => void} resolve
 * @property {(error: Error) => void} reject
 */

/** @template {SocketConnection} Connection */
export class SocketEndpoint {
  /** @type {Connection[]} all connections since the start, closed ones too, in order */
  connections = []
  #server
  /** @type {Set<Connection>} */
  #ready = new Set()
  /** @type {ConnectionWaiter<Connection>[]} */
  #waiters = []

  /**
   * @param {object} protocol
   * @param {SocketProtocolName} protocol.name
   * @param {RegExp} protocol.path
   * @param {(parts: ConnectionParts) => Connection} protocol.connect
   * @param {import('ws').ServerOptions} [protocol.options]
   * @param {EndpointHost} host
   */
  constructor({ name, path, connect, options = {} }, host) {
    this.name = name
    this.path = path
    this.connect = connect
    this.host = {
      ...host,
      protocol: name,
      /** @type {SocketHost['anomaly']} */
      anomaly: anomaly => host.anomaly(name, anomaly),
      /** @type {SocketHost['ready']} */
      ready: connection => this.#becameReady(/** @type {Connection} */ (connection)),
    }
    this.#server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, ...options })
    this.#server.on('headers', headers => headers.push(`${SIMULATOR_HEADER}: 1`))
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:stream').Duplex} socket
   * @param {Buffer} head
   */
  upgrade(request, socket, head) {
    const { path, headers } = describeRequest(request)
    this.#server.handleUpgrade(request, socket, head, webSocket => {
      const number = this.connections.length + 1
      /** @type {SocketHost['record']} */
      const record = entry => this.host.record({ protocol: this.name, headers, ...entry })
      this.host.log(`${this.name}#${number} connected`)
      const parts = { number, socket: webSocket, path, host: { ...this.host, record }, request }
      this.connections.push(this.connect(parts))
    })
  }

  /**
   * Resolves with the n-th connection once its setup is complete.
   *
   * @param {number} [number] 1-based; default 1
   * @returns {Promise<Connection>} rejects when the simulator closes
   */
  whenConnected(number = 1) {
    const connection = this.connections[number - 1]
    if (connection !== undefined && this.#ready.has(connection)) return Promise.resolve(connection)
    return new Promise((resolve, reject) => this.#waiters.push({ number, resolve, reject }))
  }

  /** @param {Connection} connection */
  #becameReady(connection) {
    this.#ready.add(connection)
    const mine = this.#waiters.filter(({ number }) => number === connection.number)
    this.#waiters = this.#waiters.filter(waiter => !mine.includes(waiter))
    for (const { resolve } of mine) resolve(connection)
  }

  close() {
    for (const { reject } of this.#waiters) reject(new Error('the simulator was closed while waiting for a connection'))
    this.#waiters = []
    for (const connection of this.connections)
      if (connection.isOpen) connection.disconnect({ code: 1001, reason: 'the simulator is closing' })
    // terminate peers that do not answer the close frame: they must not keep the process alive
    for (const client of this.#server.clients) setTimeout(() => client.terminate(), CLOSE_TIMEOUT_MS).unref()
    this.#server.close()
  }
}
