'use strict'
// How far the text of a JSON object has come, piece by piece: no object is parsed to know whether it is whole.

const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const OPENING = new Set(Array.from('{[', char => char.charCodeAt(0)))
const CLOSING = new Set(Array.from('}]', char => char.charCodeAt(0)))
const BLANK = new Set(Array.from(' \t\n\r', char => char.charCodeAt(0)))

class ObjectScanner {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /**
   * `empty`: nothing but blanks; `open`: the object has begun; `closed`: it has ended; `other`: no object, or text after it.
   * @type {'empty' | 'open' | 'closed' | 'other'}
   */
  state = 'empty'

  /** @param {string} text */
  push(text) {
    for (let at = 0; at < text.length && this.state !== 'other'; at += 1) this.#step(text.charCodeAt(at))
  }

  /** @param {number} char */
  #step(char) {
    if (this.#isInString) return this.#stepInString(char)
    if (BLANK.has(char)) return
    if (this.state !== 'open') {
      this.state = this.state === 'empty' && char === OPENING_BRACE ? 'open' : 'other'
      this.#depth = 1
    } else if (char === QUOTE) this.#isInString = true
    else if (OPENING.has(char)) this.#depth += 1
    else if (CLOSING.has(char) && --this.#depth === 0) this.state = 'closed'
  }

  /** @param {number} char */
  #stepInString(char) {
    if (this.#isEscaped) this.#isEscaped = false
    else if (char === BACKSLASH) this.#isEscaped = true
    else if (char === QUOTE) this.#isInString = false
  }
}

const OPENING_BRACE = '{'.charCodeAt(0)

/** Whether a text can only begin an object's text, if it is part of one at all. @param {string} text */
const beginsObject = text => /^\s*\{/.test(text)

module.exports = { ObjectScanner, beginsObject }
