// Buffers the user's audio on its way to the model. If the provider's socket is congested, the newest audio is kept and
// the oldest dropped, because a model that hears everything late answers outdated questions. While the connection is
// restored more is kept: what the user says meanwhile is heard. The log counts dropped audio.

const BYTES_PER_MS = 32
/** Maximum bytes that may wait in the provider's socket: about one second of audio. */
const MAX_UNSENT_BYTES = 64 * 1024
const POLL_MS = 50

export class InputAudioBuffer {
  /** @type {Buffer[]} */
  #waiting = []
  #waitingBytes = 0
  #droppedBytes = 0
  /** The microphone closed after the waiting audio. */
  #isEnded = false
  /** The waiting audio is of a time without a connection. */
  #wasDisconnected = false
  /** @type {NodeJS.Timeout | null} */
  #timer = null

  /**
   * @param {object} options
   * @param {{ connection?: unknown, unsentBytes: number, sendAudio(pcm: Buffer): void, sendAudioEnd?(): void }} options.link
   *   `connection`: null while there is none
   * @param {number} options.backlogMs of audio kept during congestion
   * @param {number} [options.reconnectBacklogMs] of audio kept while there is no connection
   * @param {(droppedMs: number) => void} options.onDropped called once per congestion that dropped audio
   */
  constructor({ link, backlogMs, reconnectBacklogMs = backlogMs, onDropped }) {
    this.link = link
    this.onDropped = onDropped
    this.backlogBytes = backlogMs * BYTES_PER_MS
    this.reconnectBytes = Math.max(backlogMs, reconnectBacklogMs) * BYTES_PER_MS
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  push(pcm) {
    if (this.#timer === null && !this.#isCongested) return this.link.sendAudio(pcm)
    this.#isEnded = false
    this.#wasDisconnected ||= this.link.connection === null
    this.#waiting.push(pcm)
    this.#waitingBytes += pcm.length
    this.#flow()
    const mostBytes = this.#wasDisconnected ? this.reconnectBytes : this.backlogBytes
    while (this.#waitingBytes > mostBytes && this.#waiting.length > 0) this.#drop()
    if (this.#waiting.length > 0 || this.#droppedBytes > 0) this.#timer ??= setInterval(() => this.#flow(), POLL_MS)
  }

  /** The microphone was closed. */
  end() {
    if (this.#waiting.length === 0) this.link.sendAudioEnd?.()
    else this.#isEnded = true
  }

  stop() {
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
    this.#waiting = []
    this.#waitingBytes = 0
    this.#reportDropped()
  }

  get #isCongested() {
    return this.link.connection === null || this.link.unsentBytes >= MAX_UNSENT_BYTES
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
    this.#wasDisconnected = false
    if (this.#isEnded) this.link.sendAudioEnd?.()
    this.#isEnded = false
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

/**
 * The buffer of one conversation, with the server's limits; the log says what it drops.
 * @param {{ context: Pick<import('../connection/server-context.js').ServerContext, 'limits' | 'logger'>, link: import('../voice-types.js').VoiceLink,
 *   connectionId: string }} options
 */
export function inputAudioFor({ context: { limits, logger }, link, connectionId }) {
  const { inputBacklogMs: backlogMs, reconnectBacklogMs } = limits
  const message = 'audio of the user was dropped, the provider did not take it in time'
  const onDropped = (/** @type {number} */ droppedMs) => logger.warn(message, { connection: connectionId, droppedMs })
  return new InputAudioBuffer({ link, backlogMs, reconnectBacklogMs, onDropped })
}
