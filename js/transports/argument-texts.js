'use strict'
// Arguments that an SDK has parsed already: their text for the core, and the object again for the call that comes back.
const { randomUUID } = require('node:crypto')

/** Calls that wait, or were dropped; a forgotten object's call has its text, which the gate takes as well. */
const KEPT = 256

class ArgumentTexts {
  #objects = new Map()

  /** The text that stands for arguments in the frame; what is no object stays what it is. */
  textOf(args) {
    if (typeof args !== 'object' || args === null) return args
    const text = textOf(args)
    if (!Array.isArray(args)) this.#keep(text, args)
    return text
  }

  /** The call with the object that its arguments' text stands for, if there is one. */
  restore(call) {
    const args = this.#objects.get(call.args)
    return args === undefined ? call : { ...call, args }
  }

  #keep(text, args) {
    this.#objects.set(text, args)
    if (this.#objects.size > KEPT) this.#objects.delete(this.#objects.keys().next().value)
  }
}

/** If there is no text, one that is equal to no other: the gate says of the arguments themselves what is wrong. */
function textOf(args) {
  try {
    return JSON.stringify(args) ?? '{}'
  } catch {
    return Array.isArray(args) ? '[]' : `{unwritable ${randomUUID()}`
  }
}

module.exports = { ArgumentTexts }
