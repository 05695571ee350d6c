// How much of the model's voice the user has heard: what the client says of it, and between its reports the clock.

const BYTES_PER_MS = 48

export class Playback {
  /** Milliseconds since the last interruption: handed to the client, and heard. */
  #sentMs = 0
  #heardMs = 0
  #at = 0
  /** What was sent, as the provider names it, the oldest first; what was heard in full is forgotten. */
  #items = []

  constructor({ now = performance.now.bind(performance) } = {}) {
    this.now = now
  }

  get heardMs() {
    this.#goOn()
    return this.#heardMs
  }

  get remainingMs() {
    return this.#sentMs - this.heardMs
  }

  /** @param {{ pcm: Buffer, item: string | null }} sound PCM16, 24 kHz, mono, as it goes to the client */
  sent({ pcm, item }) {
    this.#goOn()
    const from = this.#sentMs
    this.#sentMs += pcm.length / BYTES_PER_MS
    if (item === null) return
    const last = this.#items.at(-1)
    if (last?.item === item) last.to = this.#sentMs
    else this.#items.push({ item, from, to: this.#sentMs })
    this.#items = this.#items.filter(({ to }) => to > this.#heardMs)
  }

  /** @param {number} ms as the client counts; one that counts more than there was speaks of an earlier time */
  reported(ms) {
    this.#goOn()
    if (ms <= this.#sentMs) this.#heardMs = ms
  }

  /** The user broke in. @returns {{ heardMs: number, cuts: { item: string, heardMs: number, totalMs: number }[] }} */
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

  /** The client plays as long as there is something to play. */
  #goOn() {
    const now = this.now()
    this.#heardMs = Math.min(this.#sentMs, this.#heardMs + (now - this.#at))
    this.#at = now
  }
}
