'use strict'

// One start of a handler: how it is told to stop, and what it may still say.

const { wholeJsonText } = require('./json-text.js')

/** News that one run may tell: what a listener puts on a screen, not a channel for data. */
const MOST_NEWS = 100
const MOST_CHARACTERS = 16 * 1024

class HandlerRun {
  /** The AbortController is made when the handler first asks for its signal. */
  #controller = null
  #reason = null
  #isOver = false
  #news = 0

  /** @param {number} id the core's number for it */
  constructor(id) {
    this.id = id
  }

  get signal() {
    this.#controller ??= new AbortController()
    if (this.#reason !== null) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason) {
    this.#isOver = true
    this.#reason ??= new DOMException(reason, reason === 'timeout' ? 'TimeoutError' : 'AbortError')
    this.#controller?.abort(this.#reason)
  }

  /** It has settled: what it says from now on nobody hears. */
  over() {
    this.#isOver = true
  }

  /** A copy of the news, as plain JSON; none where it is not to be told: too many, too long, too late, or not JSON. */
  news(update) {
    if (this.#isOver || this.#news >= MOST_NEWS) return undefined
    const { text } = wholeJsonText(update)
    if (text === undefined || text.length > MOST_CHARACTERS) return undefined
    this.#news += 1
    return JSON.parse(text)
  }
}

module.exports = { HandlerRun }
