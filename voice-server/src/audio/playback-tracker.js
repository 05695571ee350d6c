// Tracks how much of the model's voice the user has heard: by the client's `played` reports, and by the clock between
// them.

const BYTES_PER_MS = 48

export class PlaybackTracker {
  /** Milliseconds since the last interruption: sent to the client, and heard. */
  #sentMs = 0
  #heardMs = 0
  #updatedAt = 0
  /**
   * Provider items that were sent and not yet heard in full, the oldest first.
   * @type {{ item: string, from: number, to: number }[]}
   */
  #items = []

  constructor({ now = performance.now.bind(performance) } = {}) {
    this.now = now
  }

  get heardMs() {
    this.#advance()
    return this.#heardMs
  }

  get remainingMs() {
    return this.#sentMs - this.heardMs
  }

  /** @param {{ pcm: Buffer, item: string | null }} sound PCM16, 24 kHz, mono, sent to the client */
  sent({ pcm, item }) {
    this.#advance()
    const from = this.#sentMs
    this.#sentMs += pcm.length / BYTES_PER_MS
    if (item === null) return
    const last = this.#items.at(-1)
    if (last?.item === item) last.to = this.#sentMs
    else this.#items.push({ item, from, to: this.#sentMs })
    this.#items = this.#items.filter(({ to }) => to > this.#heardMs)
  }

  /**
   * @param {number} ms as the client counts; a value above what was sent belongs to a time before the last interruption
   */
  reported(ms) {
    this.#advance()
    if (ms <= this.#sentMs) this.#heardMs = ms
  }

  /**
   * Resets at a barge-in.
   *
   * @returns {{ heardMs: number, cuts: { item: string, heardMs: number, totalMs: number }[] }}
   */
  interrupted() {
    const { heardMs } = this
    const unheard = this.#items.filter(({ to }) => to > heardMs)
    const cuts = unheard.map(({ item, from, to }) => ({
      item,
      heardMs: Math.max(0, heardMs - from),
      totalMs: to - from,
    }))
    this.#sentMs = 0
    this.#heardMs = 0
    this.#items = []
    return { heardMs: Math.floor(heardMs), cuts }
  }

  /** Advances by the clock, at most to the end of what was sent. */
  #advance() {
    const now = this.now()
    this.#heardMs = Math.min(this.#sentMs, this.#heardMs + (now - this.#updatedAt))
    this.#updatedAt = now
  }
}
