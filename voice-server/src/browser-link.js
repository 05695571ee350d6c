// The server's side of one client's WebSocket: frames out, bounded, and never into a closed socket.
import { ToolError } from 'toolgate'

/** A client that does not read is cut off before it costs memory. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
const TRY_AGAIN_LATER = 1013

export class BrowserLink {
  /** @param {import('ws').WebSocket} socket */
  constructor(socket) {
    this.socket = socket
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN
  }

  /** @param {{ type: string }} frame @returns {boolean} false where nobody is there */
  send(frame) {
    return this.#write(JSON.stringify(frame))
  }

  /** @param {Buffer} pcm PCM16, 24 kHz, mono */
  sendAudio(pcm) {
    return this.#write(pcm)
  }

  sendError(code, message, more = {}) {
    return this.send({ type: 'error', code, message, ...more })
  }

  /** What tools send: their message as it is. A tool must learn that it did not arrive. */
  deliver(message) {
    if (this.send(message)) return
    throw new ToolError('TRANSIENT', 'the client is not connected', { retryable: true })
  }

  close(code, reason) {
    this.socket.close(code, reason)
  }

  #write(data) {
    if (!this.isOpen) return false
    this.socket.send(data)
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.close(TRY_AGAIN_LATER, 'the client does not read')
    return true
  }
}
