'use strict'

// The changes that completion makes to arguments, applied to the parsed value: with them, the core need not send a long
// text back.

const { setMember } = require('./sliced-json.js')

/** The most edits that are applied at once: they take half a millisecond. */
const MAX_EDITS = 1000

/** A list of edits that are applied in parts, in their order. */
class ValueEdits {
  /** A JSON Pointer, its value, and so on. @type {unknown[]} */
  #edits
  #next = 0

  /** @param {string} edits JSON text of the core; empty for none */
  constructor(edits) {
    this.#edits = edits === '' ? [] : JSON.parse(edits)
  }

  /** Whether all edits are applied. */
  get isDone() {
    return this.#next >= this.#edits.length
  }

  /** Applies some more of the edits. @param {unknown} value */
  advance(value) {
    const end = Math.min(this.#next + 2 * MAX_EDITS, this.#edits.length)
    for (; this.#next < end; this.#next += 2) {
      applyEdit(value, /** @type {string} */ (this.#edits[this.#next]), this.#edits[this.#next + 1])
    }
  }

  /** Applies all edits. @param {unknown} value */
  apply(value) {
    while (!this.isDone) this.advance(value)
  }
}

/**
 * @param {any} value a container
 * @param {string} pointer a JSON Pointer below it; only its last token may be new
 * @param {unknown} edited
 */
function applyEdit(value, pointer, edited) {
  let parent = value
  let start = 1
  for (let slash; (slash = pointer.indexOf('/', start)) !== -1; start = slash + 1) {
    parent = parent[unescapeToken(pointer.slice(start, slash))]
  }
  setMember(parent, unescapeToken(pointer.slice(start)), edited)
}

/** @param {string} token */
const unescapeToken = token => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token)

module.exports = { ValueEdits }
