'use strict'

// The values of long arguments. A pending call keeps its text, and the core sends the changes of completion, not the
// text. While the core's workers admit the call, the text is parsed here: a long one as a whole, a very long one in
// slices. The value is used once: a further attempt of the handler gets one of its own.

const { addWork, removeWork } = require('./turn-queue.js')
const { SlicedJson } = require('./sliced-json.js')
const { ValueEdits } = require('./value-edits.js')

/** The most characters of all texts that are parsed before their calls are admitted: a value takes several times its text. */
const MAX_EARLY_CHARACTERS = 8 * 1024 * 1024

let earlyCharacters = 0

/** Final arguments for one start of a handler. */
class HandlerArgs {
  #source

  /** @param {string} text @param {{ take(): any }} source */
  constructor(text, source) {
    this.text = text
    this.#source = source
  }

  /** The value. Throws if it could not be made. */
  take() {
    return this.#source.take()
  }
}

/** The work of parsing a text, then of applying edits. */
class ArgsWork {
  #text
  #slices
  /** @type {ValueEdits | null} */
  #edits = null
  #whenReady = () => {}
  isParsed = false
  /** @type {unknown} */
  #value
  /** @type {{ error: unknown } | null} */
  #failure = null

  /** @param {string} text @param {string} steps of the core; empty to parse the text as a whole */
  constructor(text, steps) {
    this.#text = text
    this.#slices = steps === '' ? null : new SlicedJson(text, steps)
  }

  /** Adds edits to apply before `whenReady` is called. @param {string} edits @param {() => void} whenReady */
  finishWith(edits, whenReady) {
    this.#edits = new ValueEdits(edits)
    this.#whenReady = whenReady
  }

  /** @returns {boolean} whether all work that is known is done */
  advance() {
    try {
      if (!this.isParsed) this.#parse()
      else this.#edits?.advance(this.#value)
      if (!this.isParsed || this.#edits?.isDone === false) return false
    } catch (error) {
      this.#failure = { error }
    }
    this.#whenReady()
    return true
  }

  #parse() {
    if (this.#slices === null) this.#value = JSON.parse(this.#text)
    else if (this.#slices.advance()) this.#value = this.#slices.value
    else return
    this.isParsed = true
  }

  /** The value; does what is left to do. */
  take() {
    if (this.#failure !== null) throw this.#failure.error
    while (!this.isParsed) this.#parse()
    this.#edits?.apply(this.#value)
    return this.#value
  }
}

/** The arguments' text of a pending call. */
class KeptText {
  #text
  /** Of the core, once it has parsed the text; empty if the text is parsed as a whole. */
  #steps
  /** The value that is being made before the call is admitted. @type {ArgsWork | null} */
  #early = null

  /** @param {string} text @param {string} [steps] */
  constructor(text, steps = '') {
    this.#text = text
    this.#steps = steps
  }

  /** Begins to parse the text as a whole. */
  parseEarly() {
    this.#begin()
  }

  /** Begins to parse the text in slices. @param {string} steps */
  slice(steps) {
    this.#steps = steps
    this.#begin()
  }

  /** The arguments of a handler that starts now. @param {string} edits @returns {HandlerArgs} */
  args(edits) {
    const work = this.#takeWork()
    removeWork(work)
    work.finishWith(edits, () => {})
    return new HandlerArgs(this.#text, work)
  }

  /** Prepares the arguments of a handler. @param {string} edits @param {() => void} whenReady */
  prepare(edits, whenReady) {
    const work = this.#takeWork()
    work.finishWith(edits, whenReady)
    // At its place in the queue if it has one.
    addWork(work)
    return { args: new HandlerArgs(this.#text, work), work }
  }

  /** Ends work that no handler has asked for: the call is answered. */
  release() {
    if (this.#early !== null) removeWork(this.#takeWork())
  }

  #begin() {
    if (earlyCharacters + this.#text.length > MAX_EARLY_CHARACTERS) return
    earlyCharacters += this.#text.length
    this.#early = new ArgsWork(this.#text, this.#steps)
    addWork(this.#early)
  }

  #takeWork() {
    const work = this.#early
    if (work === null) return new ArgsWork(this.#text, this.#steps)
    earlyCharacters -= this.#text.length
    this.#early = null
    return work
  }
}

/** The arguments that are prepared, or will be, for handlers that have not started. */
class PreparedArgs {
  /** @type {Map<number, { args: HandlerArgs, work: ArgsWork }>} */
  #prepared = new Map()
  #whenReady

  /** @param {(id: number) => void} whenReady */
  constructor(whenReady) {
    this.#whenReady = whenReady
  }

  /** @param {number} id @param {KeptText} kept @param {string} edits */
  prepareKept(id, kept, edits) {
    this.#prepared.set(
      id,
      kept.prepare(edits, () => this.#whenReady(id)),
    )
  }

  /** @param {number} id @param {string} text @param {string} steps */
  prepareText(id, text, steps) {
    this.prepareKept(id, new KeptText(text, steps), '')
  }

  /** @param {number} id */
  take(id) {
    const { args } = /** @type {{ args: HandlerArgs }} */ (this.#prepared.get(id))
    this.#prepared.delete(id)
    return args
  }

  /** @param {number} id of arguments that no handler gets */
  discard(id) {
    const prepared = this.#prepared.get(id)
    if (prepared !== undefined) removeWork(prepared.work)
    this.#prepared.delete(id)
  }
}

module.exports = { HandlerArgs, KeptText, PreparedArgs }
