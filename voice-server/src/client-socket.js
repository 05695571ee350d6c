// The server's side of one client's WebSocket: frames out in their order, bounded, and never into a closed socket.
//
// A client that reads more slowly than the model speaks: beyond a bound its sound waits here and not in the socket, so that an
// interruption takes back what it has not got. The provider goes on being read meanwhile: its calls, its cancellations and
// the interruption itself would stand behind the sound. Nothing else is dropped; what waits for too long ends the connection.
import { ToolError } from 'toolgate'

const TRY_AGAIN_LATER = 1013
const BYTES_PER_MS = 48

export class BrowserLink {
  /** Frames that wait for the socket, the oldest first. */
  #waiting = []
  #waitingBytes = 0

  /**
   * @param {import('ws').WebSocket} socket
   * @param {{ audioAheadMs: number, maxUnreadBytes: number }} limits
   */
  constructor(socket, { audioAheadMs, maxUnreadBytes }) {
    this.socket = socket
    this.maxUnreadBytes = maxUnreadBytes
    this.aheadBytes = audioAheadMs * BYTES_PER_MS
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN
  }

  /** @param {{ type: string }} frame @returns {boolean} false where nobody is there */
  send(frame) {
    return this.#write(JSON.stringify(frame), false)
  }

  /** @param {Buffer} pcm PCM16, 24 kHz, mono */
  sendAudio(pcm) {
    return this.#write(pcm, true)
  }

  sendError(code, message, more = {}) {
    return this.send({ type: 'error', code, message, ...more })
  }

  /** The user broke in: sound that has not gone out never will, and all else goes out in its order. */
  dropAudio() {
    const kept = this.#waiting.filter(({ isAudio }) => !isAudio)
    this.#waitingBytes = kept.reduce((sum, { data }) => sum + data.length, 0)
    this.#waiting = kept
  }

  /** What tools send: their message as it is. A tool must learn that it did not arrive. */
  deliver(message) {
    if (this.send(message)) return
    throw new ToolError('TRANSIENT', 'the client is not connected', { retryable: true })
  }

  /** Ends the connection after what was sent before. */
  close(code, reason) {
    for (const { data } of this.#waiting.splice(0)) this.socket.send(data)
    this.socket.close(code, reason)
  }

  #write(data, isAudio) {
    if (!this.isOpen) return false
    this.#waiting.push({ data, isAudio })
    this.#waitingBytes += data.length
    this.#flow()
    if (this.#waitingBytes + this.socket.bufferedAmount > this.maxUnreadBytes) this.#cutOff()
    return true
  }

  #flow() {
    while (this.isOpen && this.#waiting.length > 0 && this.socket.bufferedAmount < this.aheadBytes) {
      const { data } = this.#waiting.shift()
      this.#waitingBytes -= data.length
      this.socket.send(data, () => this.#flow())
    }
  }

  #cutOff() {
    this.#waiting = []
    this.#waitingBytes = 0
    this.socket.close(TRY_AGAIN_LATER, 'the client does not read')
  }
}
