// Buffers the user's audio on its way to the model. If the provider's socket is congested, the newest audio is kept and
// the oldest dropped, because a model that hears everything late answers outdated questions. The log counts dropped
// audio.

const BYTES_PER_MS = 32
/** Maximum bytes that may wait in the provider's socket: about one second of audio. */
const MAX_UNSENT_BYTES = 64 * 1024
const POLL_MS = 50

export class InputAudioBuffer {
  /** @type {Buffer[]} */
  #waiting = []
  #waitingBytes = 0
  #droppedBytes = 0
  /** @type {NodeJS.Timeout | null} */
  #timer = null

  /**
   * @param {object} options
   * @param {{ unsentBytes: number, sendAudio(pcm: Buffer): void }} options.link
   * @param {number} options.backlogMs of audio kept during congestion
   * @param {(droppedMs: number) => void} options.onDropped called once per congestion that dropped audio
   */
  constructor({ link, backlogMs, onDropped }) {
    this.link = link
    this.onDropped = onDropped
    this.backlogBytes = backlogMs * BYTES_PER_MS
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  push(pcm) {
    if (this.#timer === null && !this.#isCongested) return this.link.sendAudio(pcm)
    this.#waiting.push(pcm)
    this.#waitingBytes += pcm.length
    this.#flow()
    while (this.#waitingBytes > this.backlogBytes && this.#waiting.length > 0) this.#drop()
    if (this.#waiting.length > 0 || this.#droppedBytes > 0) this.#timer ??= setInterval(() => this.#flow(), POLL_MS)
  }

  stop() {
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
    this.#waiting = []
    this.#reportDropped()
  }

  get #isCongested() {
    return this.link.unsentBytes >= MAX_UNSENT_BYTES
  }

  #flow() {
    while (this.#waiting.length > 0 && !this.#isCongested) {
      const pcm = /** @type {Buffer} */ (this.#waiting.shift())
      this.#waitingBytes -= pcm.length
      this.link.sendAudio(pcm)
    }
    if (this.#waiting.length > 0 || this.#isCongested) return
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
    this.#reportDropped()
  }

  #drop() {
    const { length } = /** @type {Buffer} */ (this.#waiting.shift())
    this.#waitingBytes -= length
    this.#droppedBytes += length
  }

  #reportDropped() {
    if (this.#droppedBytes > 0) this.onDropped(Math.round(this.#droppedBytes / BYTES_PER_MS))
    this.#droppedBytes = 0
  }
}
