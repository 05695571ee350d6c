'use strict'

// What the core has for JavaScript comes as letters: with the return of a native call, or, where nobody made one, with the
// `poll` that the core asks for. They are read in the order in which they were written, but for starts: handlers begin one
// after another in one loop, however deep in the others' calls they became ready, so that many that end at once need no
// deeper stack.

/** What a letter is, in the core's numbers (`src/bindings/outbox.rs`); behind each, how many parts follow. */
const ANSWER = 0 // ticket, text
const START = 1 // id, attachment, toolId, args, meta
const STOP = 2 // id, reason
const LINE = 3 // text
const USED = 4 // attachment, text

/**
 * @typedef {object} Readers
 * @property {(ticket: number, text: string) => void} answer
 * @property {(id: number, attachment: number, toolId: string, args: string, meta: string) => void} start
 * @property {(id: number, reason: string) => void} stop
 * @property {(line: string) => void} line
 * @property {(attachment: number, text: string) => void} used
 */

class Mail {
  #readers
  /** Letters with starts that the loop has not come to: the letters themselves and where in them. */
  #starts = []
  #isStarting = false

  /** @param {Readers} readers none of which throws */
  constructor(readers) { this.#readers = readers }

  /** @param {(number | string)[] | null} letters what a native call returned */
  read(letters) {
    if (letters === null) return
    for (let at = 0; at < letters.length;) at = this.#readOne(letters, at)
    if (!this.#isStarting && this.#starts.length > 0) this.#startAll()
  }

  /** @returns {number} where the next letter begins */
  #readOne(letters, at) {
    switch (letters[at]) {
      case ANSWER:
        this.#readers.answer(letters[at + 1], letters[at + 2])
        return at + 3
      case START:
        this.#starts.push(letters, at)
        return at + 6
      case STOP:
        this.#readers.stop(letters[at + 1], letters[at + 2])
        return at + 3
      case LINE:
        this.#readers.line(letters[at + 1])
        return at + 2
      case USED:
        this.#readers.used(letters[at + 1], letters[at + 2])
        return at + 3
      default:
        throw new Error(`the addon is of another version than its JavaScript: it writes letters of kind ${letters[at]}`)
    }
  }

  #startAll() {
    this.#isStarting = true
    try {
      // The list grows while handlers run.
      for (let next = 0; next < this.#starts.length; next += 2) {
        const letters = this.#starts[next]
        const at = this.#starts[next + 1]
        this.#readers.start(letters[at + 1], letters[at + 2], letters[at + 3], letters[at + 4], letters[at + 5])
      }
    } finally {
      this.#starts.length = 0
      this.#isStarting = false
    }
  }
}

module.exports = { Mail }
