'use strict'

// Messages of the core: the return value of a native call, or of the `poll` that the core asks for. They are handled in
// their order, except that handlers start one after another in one loop: handlers that become ready inside each other's
// calls need no deeper stack.
//
// All messages of a return value are one text, in the format of `src/bindings/messages.rs`: a character for the kind of
// each, then its parts. A number is its digits and a comma; a text is its length, a colon, and the text.

const { PreparedArgs } = require('./argument-values.js')

/** The kinds of messages, with their parts. */
const ANSWER = 'A' // callNumber, text
const START = 'S' // id, attachment, call number or 0, args, toolId, meta; with a call number, `args` are edits of its call's
const START_PREPARED = 'H' // id, attachment, number of prepared arguments, toolId, meta
const PARSE_KEPT = 'E' // callNumber
const SLICES = 'C' // callNumber, steps
const PREPARE_KEPT = 'K' // number, callNumber, edits
const PREPARE_TEXT = 'P' // number, text, steps
const DISCARD = 'D' // number
const STOP = 'X' // id, reason
const LINE = 'L' // text
const USED = 'U' // attachment, text
const WARNING = 'W' // text

/**
 * @typedef {object} Readers
 * @property {Pick<import('./pending-calls.js').PendingCalls, 'answer' | 'keptText' | 'parseKept' | 'slices'>} calls the pending calls
 * @property {(start: Start) => void} start
 * @property {(id: number, reason: string) => void} stop
 * @property {(line: string) => void} line an audit line
 * @property {(line: string) => void} warning a warning of the core, as JSON text
 * @property {(id: number) => void} prepared arguments with this number are prepared
 * @property {(attachment: number, text: string) => void} used
 *
 * @typedef {{ id: number, attachment: number, toolId: string,
 *   args: string | import('./argument-values.js').HandlerArgs, meta: string }} Start
 */

/** Reads the parts of messages in order. */
class Parts {
  #messages
  #at = 0

  /** @param {string} messages */
  constructor(messages) {
    this.#messages = messages
  }

  get isAtEnd() {
    return this.#at >= this.#messages.length
  }

  kind() {
    return this.#messages[this.#at++]
  }

  number() {
    let value = 0
    for (;;) {
      const digit = this.#messages.charCodeAt(this.#at++) - ZERO
      // The comma ends the number; `NaN` at the end of the text does, too.
      if (!(digit >= 0 && digit <= 9)) return value
      value = value * 10 + digit
    }
  }

  text() {
    const length = this.number()
    const start = this.#at
    this.#at += length
    return this.#messages.slice(start, this.#at)
  }
}

const ZERO = '0'.charCodeAt(0)

class MessageReader {
  #readers
  /** @type {Start[]} handlers to start */
  #starts = []
  #isStarting = false
  #prepared

  /** @param {Readers} readers functions that do not throw */
  constructor(readers) {
    this.#readers = readers
    this.#prepared = new PreparedArgs(readers.prepared)
  }

  /** @param {string | null} messages the return value of a native call */
  read(messages) {
    if (messages === null) return
    const parts = new Parts(messages)
    while (!parts.isAtEnd) this.#readOne(parts)
    if (!this.#isStarting && this.#starts.length > 0) this.#startAll()
  }

  /** @param {Parts} parts */
  #readOne(parts) {
    const kind = parts.kind()
    switch (kind) {
      case ANSWER:
        return this.#readers.calls.answer(parts.number(), parts.text())
      case START:
        return void this.#starts.push(this.#startIn(parts))
      case START_PREPARED:
        return void this.#starts.push(this.#preparedStartIn(parts))
      case PARSE_KEPT:
        return this.#readers.calls.parseKept(parts.number())
      case SLICES:
        return this.#readers.calls.slices(parts.number(), parts.text())
      case PREPARE_KEPT:
        return this.#prepared.prepareKept(parts.number(), this.#readers.calls.keptText(parts.number()), parts.text())
      case PREPARE_TEXT:
        return this.#prepared.prepareText(parts.number(), parts.text(), parts.text())
      case DISCARD:
        return this.#prepared.discard(parts.number())
      case STOP:
        return this.#readers.stop(parts.number(), parts.text())
      case LINE:
        return this.#readers.line(parts.text())
      case WARNING:
        return this.#readers.warning(parts.text())
      case USED:
        return this.#readers.used(parts.number(), parts.text())
      default:
        throw new Error(`the addon and its JavaScript have different versions: unknown message kind \`${kind}\``)
    }
  }

  /** @param {Parts} parts @returns {Start} */
  #startIn(parts) {
    // All parts are read now: the call may be answered before its handler starts.
    const id = parts.number()
    const attachment = parts.number()
    const callNumber = parts.number()
    const text = parts.text()
    return {
      id,
      attachment,
      args: callNumber === 0 ? text : this.#readers.calls.keptText(callNumber).args(text),
      toolId: parts.text(),
      meta: parts.text(),
    }
  }

  /** @param {Parts} parts @returns {Start} */
  #preparedStartIn(parts) {
    const id = parts.number()
    const attachment = parts.number()
    const args = this.#prepared.take(parts.number())
    return { id, attachment, args, toolId: parts.text(), meta: parts.text() }
  }

  #startAll() {
    this.#isStarting = true
    try {
      // Starting a handler can add more handlers.
      for (let next = 0; next < this.#starts.length; next++) this.#readers.start(this.#starts[next])
    } finally {
      this.#starts.length = 0
      this.#isStarting = false
    }
  }
}

module.exports = { MessageReader }
