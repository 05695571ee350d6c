// The server's side of one client's WebSocket: sends frames in order, with back-pressure, and never into a closed
// socket.
//
// If a client reads more slowly than the model speaks, audio beyond a bound waits here and not in the socket, so that
// an interruption can discard it. The provider is still read: its calls, cancellations and interruptions would
// otherwise queue behind the audio. Only audio is dropped; too many unread bytes end the connection.
//
// The frames of one turn of the event loop are written together, at its end.
import { ToolError } from 'toolgate'

const TRY_AGAIN_LATER = 1013
const BYTES_PER_MS = 48

export class ClientSocket {
  /** Frames not yet in the socket, the oldest first. @type {{ data: string | Buffer, isAudio: boolean }[]} */
  #waiting = []
  #waitingBytes = 0
  #isCorked = false
  #whenWritten = () => this.#flow()
  #uncork = () => {
    this.#isCorked = false
    this.stream.uncork()
  }

  /**
   * @param {import('ws').WebSocket} socket
   * @param {Pick<import('node:stream').Duplex, 'cork' | 'uncork'>} stream of the socket
   * @param {{ audioAheadMs: number, maxUnreadBytes: number }} limits
   */
  constructor(socket, stream, { audioAheadMs, maxUnreadBytes }) {
    this.socket = socket
    this.stream = stream
    this.maxUnreadBytes = maxUnreadBytes
    this.aheadBytes = audioAheadMs * BYTES_PER_MS
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN
  }

  /** @param {import('../voice-types.js').ServerFrame} frame @returns {boolean} false if the client is not connected */
  send(frame) {
    return this.#write(JSON.stringify(frame), false)
  }

  /** @param {Buffer} pcm PCM16, 24 kHz, mono */
  sendAudio(pcm) {
    return this.#write(pcm, true)
  }

  /** @param {import('../voice-types.js').ErrorCode} code @param {string} message @param {object} [more] */
  sendError(code, message, more = {}) {
    return this.send({ type: 'error', code, message, ...more })
  }

  /** Drops queued audio after a barge-in; other queued frames stay in order. */
  dropAudio() {
    const kept = this.#waiting.filter(({ isAudio }) => !isAudio)
    this.#waitingBytes = kept.reduce((sum, { data }) => sum + data.length, 0)
    this.#waiting = kept
  }

  /**
   * Sends a tool's message unchanged. Throws if the client is not connected, so that the tool gets an error.
   * @param {unknown} message
   */
  deliver(message) {
    if (this.send(/** @type {import('../voice-types.js').ServerFrame} */ (message))) return
    throw new ToolError('TRANSIENT', 'the client is not connected', { retryable: true })
  }

  /** Closes the connection after sending all queued frames. @param {number} code @param {string} [reason] */
  close(code, reason) {
    for (const { data } of this.#waiting.splice(0)) this.#sendNow(data)
    this.socket.close(code, reason)
  }

  /** @param {string | Buffer} data @param {boolean} isAudio */
  #write(data, isAudio) {
    if (!this.isOpen) return false
    if (this.#waiting.length === 0 && this.#hasRoom) this.#sendNow(data)
    else this.#sendLater(data, isAudio)
    if (this.#waitingBytes + this.socket.bufferedAmount > this.maxUnreadBytes) this.#cutOff()
    return true
  }

  get #hasRoom() {
    return this.socket.bufferedAmount < this.aheadBytes
  }

  /** @param {string | Buffer} data @param {boolean} isAudio */
  #sendLater(data, isAudio) {
    this.#waiting.push({ data, isAudio })
    this.#waitingBytes += data.length
    this.#flow()
  }

  #flow() {
    while (this.isOpen && this.#waiting.length > 0 && this.#hasRoom) {
      const { data } = /** @type {{ data: string | Buffer }} */ (this.#waiting.shift())
      this.#waitingBytes -= data.length
      this.#sendNow(data)
    }
  }

  /** @param {string | Buffer} data */
  #sendNow(data) {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.stream.cork()
      process.nextTick(this.#uncork)
    }
    this.socket.send(data, this.#whenWritten)
  }

  #cutOff() {
    this.#waiting = []
    this.#waitingBytes = 0
    this.socket.close(TRY_AGAIN_LATER, 'the client does not read')
  }
}
