// Pauses of both sides of a conversation whose protocol marks no ends: an utterance of the user, or a turn of the model, is over when
// nothing more of it has come for a while.

/** How long after the last words of the user, and after the model's last sound. */
const [INPUT_MS, OUTPUT_MS] = [600, 700]

/** @typedef {'input' | 'output'} Side */

export class Pauses {
  /** @type {Record<Side, NodeJS.Timeout | null>} */
  #timers = { input: null, output: null }

  /**
   * @param {object} options
   * @param {(side: Side) => boolean} options.isOver whether nothing holds off the end
   * @param {(side: Side) => void} options.onPause
   */
  constructor(options) {
    this.options = options
  }

  /** Something of a side came. @param {Side} side */
  restart(side) {
    clearTimeout(this.#timers[side] ?? undefined)
    this.#timers[side] = setTimeout(() => this.#look(side), side === 'input' ? INPUT_MS : OUTPUT_MS)
  }

  /** A side's end is known. @param {Side} side */
  end(side) {
    clearTimeout(this.#timers[side] ?? undefined)
    this.#timers[side] = null
  }

  stop() {
    this.end('input')
    this.end('output')
  }

  /** @param {Side} side */
  #look(side) {
    if (!this.options.isOver(side)) return this.restart(side)
    this.end(side)
    this.options.onPause(side)
  }
}
