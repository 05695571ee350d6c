// The user's sound on its way to the model. Where the provider's socket does not take it as fast as it comes, the newest is
// kept and the oldest dropped: a model that hears everything late answers what nobody asks any more. What was dropped is
// counted in the log.

const BYTES_PER_MS = 32
/** What may wait in the provider's socket, bytes: about a second of sound. */
const AHEAD_BYTES = 64 * 1024
const LOOK_MS = 50

export class AudioInlet {
  #waiting = []
  #waitingBytes = 0
  #droppedBytes = 0
  #timer = null

  /**
   * @param {object} options
   * @param {{ unsentBytes: number, sendAudio(pcm: Buffer): void }} options.link
   * @param {number} options.backlogMs kept of what cannot be sent
   * @param {(droppedMs: number) => void} options.onDropped once for each time that the socket was too slow
   */
  constructor({ link, backlogMs, onDropped }) {
    Object.assign(this, { link, onDropped, backlogBytes: backlogMs * BYTES_PER_MS })
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  push(pcm) {
    this.#waiting.push(pcm)
    this.#waitingBytes += pcm.length
    this.#flow()
    while (this.#waitingBytes > this.backlogBytes && this.#waiting.length > 0) this.#drop()
    if (this.#waiting.length > 0 || this.#droppedBytes > 0) this.#timer ??= setInterval(() => this.#flow(), LOOK_MS)
  }

  stop() {
    clearInterval(this.#timer)
    this.#timer = null
    this.#waiting = []
    this.#tellDropped()
  }

  #flow() {
    const isCongested = () => this.link.unsentBytes >= AHEAD_BYTES
    while (this.#waiting.length > 0 && !isCongested()) {
      const pcm = this.#waiting.shift()
      this.#waitingBytes -= pcm.length
      this.link.sendAudio(pcm)
    }
    if (this.#waiting.length > 0 || isCongested()) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#tellDropped()
  }

  #drop() {
    const { length } = this.#waiting.shift()
    this.#waitingBytes -= length
    this.#droppedBytes += length
  }

  #tellDropped() {
    if (this.#droppedBytes > 0) this.onDropped(Math.round(this.#droppedBytes / BYTES_PER_MS))
    this.#droppedBytes = 0
  }
}
