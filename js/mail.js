'use strict'

// What the core has for JavaScript comes as letters: with the return of a native call, or, where nobody made one, with the
// `poll` that the core asks for. They are read in the order in which they were written, but for starts: handlers begin one
// after another in one loop, however deep in the others' calls they became ready, so that many that end at once need no
// deeper stack.
//
// All letters of a return are one text, as `src/bindings/outbox.rs` writes it: a character for the kind of each, then its
// parts; a number is its digits and a comma, a text its length, a colon, and itself.

/** What a letter is. Behind each, its parts. */
const ANSWER = 'A' // ticket, text
const START = 'S' // id, attachment, ticket, args, toolId, meta; with a ticket, the arguments are those that its call came with
const STOP = 'X' // id, reason
const LINE = 'L' // text
const USED = 'U' // attachment, text

/**
 * @typedef {object} Readers
 * @property {(ticket: number, text: string) => void} answer
 * @property {(start: Start) => void} start
 * @property {(id: number, reason: string) => void} stop
 * @property {(line: string) => void} line
 * @property {(ticket: number) => string} args the arguments' text that the call of a waiting ticket came with
 * @property {(attachment: number, text: string) => void} used
 *
 * @typedef {{ id: number, attachment: number, toolId: string, args: string, meta: string }} Start
 */

/** Reads the parts of letters one after another. */
class Parts {
  #letters
  #at = 0

  constructor(letters) {
    this.#letters = letters
  }

  get isAtEnd() {
    return this.#at >= this.#letters.length
  }

  kind() {
    return this.#letters[this.#at++]
  }

  number() {
    let value = 0
    for (;;) {
      const digit = this.#letters.charCodeAt(this.#at++) - ZERO
      // What ends a number is no digit, and neither is what stands behind the end.
      if (!(digit >= 0 && digit <= 9)) return value
      value = value * 10 + digit
    }
  }

  text() {
    const length = this.number()
    const start = this.#at
    this.#at += length
    return this.#letters.slice(start, this.#at)
  }
}

const ZERO = '0'.charCodeAt(0)

class Mail {
  #readers
  /** @type {Start[]} starts that the loop has not come to */
  #starts = []
  #isStarting = false

  /** @param {Readers} readers none of which throws */
  constructor(readers) {
    this.#readers = readers
  }

  /** @param {string | null} letters what a native call returned */
  read(letters) {
    if (letters === null) return
    const parts = new Parts(letters)
    while (!parts.isAtEnd) this.#readOne(parts)
    if (!this.#isStarting && this.#starts.length > 0) this.#startAll()
  }

  #readOne(parts) {
    const kind = parts.kind()
    switch (kind) {
      case ANSWER:
        return this.#readers.answer(parts.number(), parts.text())
      case START:
        return void this.#starts.push(this.#startIn(parts))
      case STOP:
        return this.#readers.stop(parts.number(), parts.text())
      case LINE:
        return this.#readers.line(parts.text())
      case USED:
        return this.#readers.used(parts.number(), parts.text())
      default:
        throw new Error(`the addon is of another version than its JavaScript: it writes letters of kind \`${kind}\``)
    }
  }

  #startIn(parts) {
    // Parts are read where they stand, one after another; the ticket may be answered before the handler's turn comes.
    const id = parts.number()
    const attachment = parts.number()
    const ticket = parts.number()
    const text = parts.text()
    return {
      id,
      attachment,
      args: ticket === 0 ? text : this.#readers.args(ticket),
      toolId: parts.text(),
      meta: parts.text(),
    }
  }

  #startAll() {
    this.#isStarting = true
    try {
      // The list grows while handlers run.
      for (let next = 0; next < this.#starts.length; next++) this.#readers.start(this.#starts[next])
    } finally {
      this.#starts.length = 0
      this.#isStarting = false
    }
  }
}

module.exports = { Mail }
