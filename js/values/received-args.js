'use strict'

// The arguments of a call that a transport received as text. The host sees one form, whatever the provider: what the model sent, parsed
// when it is first looked at. The gate reads the text as it came, as long as the object still says the same; once the host has
// changed it, the object counts.

/** Returns the object that it is made of: a subclass marks it with a private member, which neither a copy nor JSON has. */
const Returned = /** @type {new (object: object) => object} */ (
  /** @type {unknown} */ (
    function Returned(/** @type {object} */ object) {
      return object
    }
  )
)

class Marked extends Returned {
  #args

  /** @param {object} object a call, or its arguments @param {ReceivedArgs} args */
  constructor(object, args) {
    super(object)
    this.#args = args
  }

  /** @param {unknown} object @returns {ReceivedArgs | undefined} */
  static argsOf(object) {
    return typeof object === 'object' && object !== null && #args in object ? object.#args : undefined
  }
}

class ReceivedArgs {
  #text
  /** @type {unknown} as the host sees it, once it was looked at */
  #value
  #isSeen = false
  /** Whether the host has put something else in the place. */
  #isReplaced = false

  /** @param {string} text */
  constructor(text) {
    this.#text = text
  }

  get value() {
    if (this.#isSeen) return this.#value
    this.#isSeen = true
    this.#value = parsed(this.#text)
    if (typeof this.#value === 'object') new Marked(/** @type {object} */ (this.#value), this)
    return this.#value
  }

  set value(value) {
    this.#isSeen = true
    this.#isReplaced = value !== this.#value
    this.#value = value
  }

  /** What the gate reads in the place of the arguments of the call. */
  get read() {
    if (this.#isReplaced) return textOfArgs(this.#value)
    return this.#isSeen ? this.readOf(this.#value) : this.#text
  }

  /** What the gate reads in the place of the object, wherever the host has put it. @param {unknown} value */
  readOf(value) {
    if (typeof value !== 'object') return value
    const written = writtenText(value)
    const isSame = written !== null && (written === this.#text || written === writtenText(parsed(this.#text)))
    return isSame ? this.#text : value
  }
}

/** @param {unknown} value */
function writtenText(value) {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/** The object of a text; the text if it is none. @param {string} text */
function parsed(text) {
  const bare = text.length < 64 ? text.trim() : text
  if (bare === '' || bare === 'null') return {}
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

/**
 * A call with the arguments that came as text. Its members are its own: it can be spread, cloned and written.
 * @param {string} id
 * @param {string} name
 * @param {string} text
 * @returns {{ id: string, name: string, args: any }}
 */
function receivedCall(id, name, text) {
  const args = new ReceivedArgs(text)
  const call = {
    id,
    name,
    get args() {
      return args.value
    },
    set args(value) {
      args.value = value
    },
  }
  return /** @type {any} */ (new Marked(call, args))
}

/** The arguments of a call as the gate reads them. @param {{ args?: unknown }} call */
function argsOfCall(call) {
  const received = Marked.argsOf(call)
  return received === undefined ? textOfArgs(call.args) : received.read
}

/** The text of an object that a transport has made of it, as long as it says the same; any other value as it is. @param {unknown} args */
function textOfArgs(args) {
  const received = Marked.argsOf(args)
  return received === undefined ? args : received.readOf(args)
}

module.exports = { argsOfCall, receivedCall, textOfArgs }
