// What the model is to be told when nobody speaks. Nothing of it is lost: a conversation that never comes to rest hears it
// after a while all the same, and what still waits when the client goes is told on its next connection.

const LOOK_MS = 200
const PATIENCE_MS = 30_000

/** @typedef {{ text: string, isSpoken: boolean }} Note `isSpoken`: the model is to say something about it */

export class IdleNotes {
  #waiting = []
  #timer = null
  #stopped = false

  /** @param {{ isIdle: () => boolean, tell: (note: Note) => void, patienceMs?: number, now?: () => number }} options */
  constructor({ isIdle, tell, patienceMs = PATIENCE_MS, now = performance.now.bind(performance) }) {
    Object.assign(this, { isIdle, tell, patienceMs, now })
  }

  /** @returns {Note[]} the oldest first */
  get waiting() {
    return this.#waiting.map(({ note }) => note)
  }

  /** @param {Note} note */
  add(note) {
    this.#waiting.push({ note, until: this.now() + this.patienceMs })
    this.look()
  }

  /** Somebody may have stopped speaking. Tells one at a time: the model may begin to speak of it. */
  look() {
    if (this.#stopped) return
    const [next] = this.#waiting
    if (next !== undefined && (this.isIdle() || this.now() >= next.until)) {
      this.#waiting.shift()
      this.tell(next.note)
    }
    if (this.#waiting.length === 0) this.#rest()
    else this.#timer ??= setInterval(() => this.look(), LOOK_MS)
  }

  stop() {
    this.#stopped = true
    this.#rest()
  }

  #rest() {
    clearInterval(this.#timer)
    this.#timer = null
  }
}
