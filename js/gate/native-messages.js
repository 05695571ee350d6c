'use strict'

// Messages of the core: the return value of a native call, or of the `poll` that the core asks for. They are handled in
// their order, except that handlers start one after another in one loop: handlers that become ready inside each other's
// calls need no deeper stack.
//
// All messages of a return value are one text, in the format of `src/bindings/messages.rs`: a character for the kind of
// each, then its parts. A number is its digits and a comma; a text is its length, a colon, and the text.

/** The kinds of messages, with their parts. */
const ANSWER = 'A' // callNumber, text
const START = 'S' // id, attachment, args, toolId, meta
const RECONCILE = 'R' // as `START`, of the function `reconcile`
const SCHEMA_CODE = 'V' // as `START`, of the code of the schema
const STOP = 'X' // id, reason
const LINE = 'L' // text
const USED = 'U' // attachment, text
const WARNING = 'W' // text
const CONFIRMATION = 'C' // text

/**
 * @typedef {object} Readers
 * @property {Pick<import('./pending-calls.js').PendingCalls, 'answer'>} calls the pending calls
 * @property {(start: StartMessage) => void} start
 * @property {(id: number, reason: string) => void} stop
 * @property {(line: string) => void} line an audit line
 * @property {(line: string) => void} warning a warning of the core, as JSON text
 * @property {(attachment: number, text: string) => void} used
 * @property {(text: string) => void} confirmation what has happened to a confirmation, as JSON text
 *
 * @typedef {{ id: number, attachment: number, args: string, toolId: string, meta: string, starts: Started }} StartMessage `args`
 *   and `meta` are JSON text
 * @typedef {'handler' | 'reconcile' | 'schemaCode'} Started what of the handler is to be started
 */

/** Reads the parts of messages in order. */
class MessageParts {
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

/** @param {MessageParts} parts @param {Started} starts @returns {StartMessage} */
const startIn = (parts, starts) => ({
  id: parts.number(),
  attachment: parts.number(),
  args: parts.text(),
  toolId: parts.text(),
  meta: parts.text(),
  starts,
})

class MessageReader {
  #readers
  /** @type {StartMessage[]} handlers to start */
  #starts = []
  #isStarting = false

  /** @param {Readers} readers functions that do not throw */
  constructor(readers) {
    this.#readers = readers
  }

  /** @param {string | null} messages the return value of a native call */
  read(messages) {
    if (messages === null) return
    const parts = new MessageParts(messages)
    while (!parts.isAtEnd) this.#readOne(parts)
    if (!this.#isStarting && this.#starts.length > 0) this.#startAll()
  }

  /** @param {MessageParts} parts */
  #readOne(parts) {
    const kind = parts.kind()
    switch (kind) {
      case ANSWER:
        return this.#readers.calls.answer(parts.number(), parts.text())
      case START:
        return void this.#starts.push(startIn(parts, 'handler'))
      case RECONCILE:
        return void this.#starts.push(startIn(parts, 'reconcile'))
      case SCHEMA_CODE:
        return void this.#starts.push(startIn(parts, 'schemaCode'))
      case STOP:
        return this.#readers.stop(parts.number(), parts.text())
      case LINE:
        return this.#readers.line(parts.text())
      case WARNING:
        return this.#readers.warning(parts.text())
      case USED:
        return this.#readers.used(parts.number(), parts.text())
      case CONFIRMATION:
        return this.#readers.confirmation(parts.text())
      default:
        throw new Error(`the addon and its JavaScript have different versions: unknown message kind \`${kind}\``)
    }
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
