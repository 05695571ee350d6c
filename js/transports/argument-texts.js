'use strict'
// Maps arguments that an SDK has parsed to JSON text for the core, and back to the object for the resulting call.
const { randomUUID } = require('node:crypto')

/**
 * The most objects that are remembered. The call of a forgotten object contains the text, which the gate accepts too.
 */
const MAX_KEPT = 256

class ArgumentTexts {
  /** @type {Map<unknown, object>} */
  #objects = new Map()

  /**
   * The text that replaces arguments in the frame; a value that is not an object is unchanged.
   * @param {unknown} args
   */
  textOf(args) {
    if (typeof args !== 'object' || args === null) return args
    const text = textOf(args)
    if (!Array.isArray(args)) this.#keep(text, args)
    return text
  }

  /**
   * The call with the object that its arguments' text replaces, if there is one.
   * @param {import('./transport.js').ReadyCall} call
   * @returns {import('./transport.js').ReadyCall}
   */
  restore(call) {
    const args = this.#objects.get(call.args)
    return args === undefined ? call : { ...call, args: /** @type {Record<string, unknown>} */ (args) }
  }

  /** @param {string} text @param {object} args */
  #keep(text, args) {
    this.#objects.set(text, args)
    if (this.#objects.size > MAX_KEPT) this.#objects.delete(this.#objects.keys().next().value)
  }
}

/**
 * JSON text, or a unique placeholder if the value can't be serialized: the gate reports the fault of the object itself.
 * @param {object} args
 */
function textOf(args) {
  try {
    return JSON.stringify(args) ?? '{}'
  } catch {
    return Array.isArray(args) ? '[]' : `{unwritable ${randomUUID()}`
  }
}

module.exports = { ArgumentTexts }
