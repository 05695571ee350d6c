'use strict'

// The bounds of one message while its bytes arrive: its size, and how deep its JSON is nested. A message is refused before
// it is parsed, because the SDK reads what it receives by recursion.

/** The depth that the gate accepts. */
const MAX_DEPTH = 512

const [NEWLINE, QUOTE, BACKSLASH] = [0x0a, 0x22, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

class JsonBounds {
  #maxBytes
  #bytes = 0
  #depth = 0
  #isInText = false
  #isEscaped = false

  /** @param {number} maxBytes */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes
  }

  /** A new message begins. */
  reset() {
    this.#bytes = 0
    this.#depth = 0
    this.#isInText = false
    this.#isEscaped = false
  }

  /** The bound that the message breaks with these bytes. @param {Uint8Array} bytes @returns {string | undefined} */
  add(bytes) {
    this.#bytes += bytes.length
    if (this.#bytes > this.#maxBytes) return `a message of more than ${this.#maxBytes} bytes`
    for (const byte of bytes) {
      if (this.#isInText) this.#textByte(byte)
      else if (byte === QUOTE) this.#isInText = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1
      if (this.#depth > MAX_DEPTH) return `a message that is nested more than ${MAX_DEPTH} levels deep`
    }
    return undefined
  }

  /** No text of JSON goes on over the end of a line. @param {number} byte */
  #textByte(byte) {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE || byte === NEWLINE) this.#isInText = false
  }
}

module.exports = { JsonBounds }
