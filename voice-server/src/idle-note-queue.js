// Notes for the model that wait until neither side speaks. No note is lost: after a maximum wait it is delivered
// anyway, and notes that still wait when the client disconnects are delivered on its next connection.

const POLL_MS = 200
const MAX_WAIT_MS = 30_000

/**
 * @typedef {{ text: string, isSpoken: boolean, question?: string, isPatient?: boolean }} Note `isSpoken`: the model is to speak about it;
 *   `question`: the token of a question that it is to ask again; `isPatient`: it waits for rest without a bound
 */

export class IdleNoteQueue {
  /** @type {{ note: Note, until: number }[]} */
  #waiting = []
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  #stopped = false

  /**
   * @param {{ isIdle: () => boolean, deliver: (note: Note) => void, maxWaitMs?: number, now?: () => number }} options
   */
  constructor({ isIdle, deliver, maxWaitMs = MAX_WAIT_MS, now = performance.now.bind(performance) }) {
    this.isIdle = isIdle
    this.deliver = deliver
    this.maxWaitMs = maxWaitMs
    this.now = now
  }

  /** @returns {Note[]} waiting notes, the oldest first */
  get waiting() {
    return this.#waiting.map(({ note }) => note)
  }

  /** @param {Note} note */
  add(note) {
    this.#waiting.push({ note, until: note.isPatient ? Infinity : this.now() + this.maxWaitMs })
    this.flush()
  }

  /** Delivers the oldest note if idle, else the oldest that is overdue. One at a time: the model may begin to speak about it. */
  flush() {
    if (this.#stopped) return
    const isIdle = this.isIdle()
    const next = this.#waiting.find(({ until }) => isIdle || this.now() >= until)
    if (next !== undefined) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.deliver(next.note)
    }
    if (this.#waiting.length === 0) this.#rest()
    else this.#timer ??= setInterval(() => this.flush(), POLL_MS)
  }

  stop() {
    this.#stopped = true
    this.#rest()
  }

  #rest() {
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
  }
}
