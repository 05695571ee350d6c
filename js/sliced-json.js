'use strict'

// Parses a JSON text in slices: `JSON.parse` of a long text holds up everything else on the thread for milliseconds. The
// core, which has parsed the text, says where to cut it.

/** The steps of the core, see `crates/json/src/slices.rs`. */
const ARRAY = '['
const OBJECT = '{'
const NAME = 'k'
const ELEMENTS = 'e'
const END = ']'

/** The most characters that are parsed at once, unless the core's slice is longer. */
const MAX_CHARACTERS = 64 * 1024

const COMMA = ','.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

/** @typedef {any[] | Record<string, unknown>} Container */

/**
 * An array or object that is being built.
 * @typedef {object} Frame
 * @property {boolean} isArray
 * @property {string} name under which its parent gets it
 * @property {Container | null} value
 */

class SlicedJson {
  #text
  #steps
  /** The next step. */
  #at = 0
  /** @type {Frame[]} */
  #open = []
  /** The name of the next member. */
  #name = ''
  /** The value, once it is done. @type {unknown} */
  value = undefined

  /** @param {string} text @param {string} steps */
  constructor(text, steps) {
    this.#text = text
    this.#steps = steps
  }

  /** Parses some more of the text. Returns true once the value is done. */
  advance() {
    let characters = 0
    while (this.#at < this.#steps.length) {
      const before = this.#at
      const kind = this.#steps[this.#at++]
      if (kind === ARRAY || kind === OBJECT) this.#open.push({ isArray: kind === ARRAY, name: this.#name, value: null })
      else if (kind === END) this.#close()
      else {
        const start = this.#number()
        const end = this.#number()
        if (characters > 0 && characters + end - start > MAX_CHARACTERS) {
          this.#at = before
          return false
        }
        characters += end - start
        this.#slice(kind, this.#text.slice(start, end))
      }
    }
    return true
  }

  /** @param {string} kind @param {string} text */
  #slice(kind, text) {
    if (kind === NAME) {
      this.#name = JSON.parse(text)
      return
    }
    const frame = /** @type {Frame} */ (this.#open.at(-1))
    const part = JSON.parse(kind === ELEMENTS ? `[${text}]` : `{${text}}`)
    if (frame.value === null) frame.value = part
    else if (Array.isArray(frame.value)) for (const element of part) frame.value.push(element)
    else for (const name of Object.keys(part)) setMember(frame.value, name, part[name])
  }

  #close() {
    const { isArray, name, value } = /** @type {Frame} */ (this.#open.pop())
    const closed = value ?? emptyContainer(isArray)
    const parent = this.#open.at(-1)
    if (parent === undefined) {
      this.value = closed
      return
    }
    parent.value ??= emptyContainer(parent.isArray)
    if (Array.isArray(parent.value)) parent.value.push(closed)
    else setMember(parent.value, name, closed)
  }

  /** Reads a number of the steps, with its comma. */
  #number() {
    let value = 0
    for (;;) {
      const code = this.#steps.charCodeAt(this.#at++)
      // `NaN` at the end of the steps ends the number, too.
      if (code === COMMA || Number.isNaN(code)) return value
      value = value * 10 + code - ZERO
    }
  }
}

/** @param {boolean} isArray @returns {Container} */
const emptyContainer = isArray => (isArray ? [] : {})

/**
 * Sets a member as `JSON.parse` does: `__proto__` is a name like any other.
 * @param {any} object
 * @param {string} name
 * @param {unknown} value
 */
function setMember(object, name, value) {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

module.exports = { SlicedJson, setMember }
