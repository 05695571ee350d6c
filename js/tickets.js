'use strict'

// Calls that wait for the core. A ticket is a number under which the answer arrives: among the letters that the native
// function returns, or later. The core never keeps the process alive by itself; a waiting ticket does.

/** Hosts with waiting tickets: what keeps them, and their answers, from being collected. */
const busy = new Set()
/** Far enough away that it never fires in practice; it is there to be referenced. */
const keepAlive = setInterval(() => {}, 2 ** 30)
keepAlive.unref()

/** @typedef {(ticket: number) => string | null} Start a native function that returns letters */

class Tickets {
  #next = 0
  /** ticket → { resolve, owner, args }: `owner` stays reachable while it waits. */
  #waiting = new Map()
  #read
  /** It is among the busy ones. */
  #isBusy = false

  /** @param {(letters: string | null) => void} read what reads letters; answers come to `answer` */
  constructor(read) { this.#read = read }

  /**
   * @param {Start} start
   * @param {object} [owner] whatever must live as long as the call waits
   * @param {string} [args] the arguments that a call comes with, for its handler: large ones are not sent back by the core
   * @returns {Promise<string>}
   */
  run(start, owner, args) {
    return new Promise(resolve => this.#begin(start, { resolve, owner, args }))
  }

  /**
   * As `run`, for what is done when the native function returns.
   * @param {Start} start
   * @param {object} [owner]
   * @returns {string | null} null where it still waits
   */
  now(start, owner) {
    let answer = null
    this.#begin(start, { resolve: text => { answer = text }, owner, args: undefined })
    return answer
  }

  /** @param {number} ticket one that waits @returns {string} the arguments that its call came with */
  args(ticket) { return this.#waiting.get(ticket).args }

  /** @param {number} ticket @param {string} text */
  answer(ticket, text) {
    const waiting = this.#waiting.get(ticket)
    if (waiting === undefined) return
    this.#waiting.delete(ticket)
    if (this.#waiting.size === 0 && this.#isBusy) this.#rest()
    waiting.resolve(text)
  }

  #begin(start, entry) {
    const ticket = this.#take()
    // What throws has not begun. A handler that is started by the letters may end at once: by then its caller waits.
    const letters = start(ticket)
    this.#waiting.set(ticket, entry)
    try {
      this.#read(letters)
    } finally {
      // What is answered by these letters keeps nothing alive: telling Node takes longer than many of the answers.
      if (this.#waiting.size > 0 && !this.#isBusy) this.#stay()
    }
  }

  #take() {
    // 0 is no ticket.
    do this.#next = (this.#next + 1) >>> 0
    while (this.#next === 0 || this.#waiting.has(this.#next))
    return this.#next
  }

  #stay() {
    this.#isBusy = true
    busy.add(this)
    if (busy.size === 1) keepAlive.ref()
  }

  #rest() {
    this.#isBusy = false
    busy.delete(this)
    if (busy.size === 0) keepAlive.unref()
  }
}

module.exports = { Tickets }
