// One WebSocket connection: sends and receives frames, and closes with a reason. Subclasses handle the protocol.

/**
 * @import { WebSocket } from 'ws'
 * @import { JsonObject } from '../parse-json.js'
 * @import { CloseParameters } from '../scenario/types.js'
 * @import { SocketHost } from './socket-endpoint.js'
 */

const INTERNAL_ERROR = 1011
const MAX_SENT = 5000

/**
 * @typedef {object} ClientMessage a received message
 * @property {unknown} [json]
 * @property {string} [text] a message that is not JSON
 */

/** @template {SocketHost} [Host=SocketHost] */
export class SocketConnection {
  /** @type {JsonObject[]} frames that the simulator sent, in order; the newest 5000 */
  sent = []

  /**
   * @param {object} parts
   * @param {number} parts.number 1-based
   * @param {WebSocket} parts.socket
   * @param {string} parts.path
   * @param {Host} parts.host
   */
  constructor({ number, socket, path, host }) {
    this.number = number
    this.path = path
    this.socket = socket
    this.host = host
    /** @type {Promise<{ code: number, reason: string }>} */
    this.closed = new Promise(resolve => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
    // with the default binaryType `nodebuffer` a message is a Buffer
    socket.on('message', bytes => this.#handleMessage(/** @type {Buffer} */ (bytes)))
    socket.on('error', error => this.log(`socket error: ${error.message}`))
    socket.on('close', code => {
      this.onClose()
      this.log(`closed (${code})`)
    })
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN
  }

  /** Sends and records a server frame. @param {JsonObject} frame */
  send(frame) {
    if (!this.isOpen) return
    this.sent.push(frame)
    if (this.sent.length > MAX_SENT) this.sent.shift()
    this.sendRaw(JSON.stringify(frame))
  }

  /** Sends any text, JSON or not. @param {string} text */
  sendRaw(text) {
    if (this.isOpen) this.socket.send(this.encode(text))
  }

  /** @param {CloseParameters} [how] */
  disconnect({ code, reason = '' } = {}) {
    if (code === undefined) this.socket.terminate()
    else this.socket.close(code, fitCloseReason(reason))
  }

  /** @param {string} line */
  log(line) {
    this.host.log(`${this.host.protocol}#${this.number} ${line}`)
  }

  /** @param {ClientMessage} message */
  record({ json, text }) {
    this.host.record({ connection: this.number, path: this.path, json, ...(text === undefined ? {} : { text }) })
  }

  /** Closes the connection after an internal error; a client must never end the process. @param {Error} error */
  fail(error) {
    this.log(`error: ${error.message}`)
    this.disconnect({ code: INTERNAL_ERROR, reason: `simulator: ${error.message}` })
  }

  /** Encodes a text for the WebSocket. @param {string} text @returns {string | Buffer} */
  encode(text) {
    return text
  }

  /** Handles one message of the client. @abstract @param {Buffer} _bytes */
  receive(_bytes) {
    throw new Error('a protocol must read its frames')
  }

  /** Called after the connection closed. */
  onClose() {}

  /** @param {Buffer} bytes */
  #handleMessage(bytes) {
    // frames may still arrive after the simulator closed the socket
    if (!this.isOpen) return
    try {
      this.receive(bytes)
    } catch (error) {
      this.fail(/** @type {Error} */ (error))
    }
  }
}

/**
 * Shortens a close reason to WebSocket's limit of 123 bytes (RFC 6455, 5.5).
 *
 * @param {string} reason
 * @returns {string} at most 123 bytes of UTF-8
 */
function fitCloseReason(reason) {
  let fitting = reason.slice(0, 123)
  while (Buffer.byteLength(fitting) > 123) fitting = Array.from(fitting).slice(0, -1).join('')
  return fitting
}
