'use strict'

// Calls that wait for the core. A ticket is a number under which the answer arrives: among the letters that the native
// function returns, or later. The core never keeps the process alive by itself; a waiting ticket does.

/** Far enough away that it never fires in practice; it is there to be referenced. */
const keepAlive = setInterval(() => {}, 2 ** 30)
keepAlive.unref()
/**
 * Hosts with waiting tickets: what keeps them, and their answers, from being collected. The timer is always among them, as
 * V8 makes a set or a map anew that gets empty: one call after another would pay for that each time.
 */
const busy = new Set([keepAlive])
/** How many are busy where nobody is, and how many tickets wait where none does. */
const NONE = 1

/** @typedef {(ticket: number) => string | null} Start a native function that returns letters */

class Tickets {
  #next = 0
  /** ticket → { resolve, owner, args }: `owner` stays reachable while it waits. 0 is no ticket, and always taken. */
  #waiting = new Map([[0, null]])
  #read
  /** It is among the busy ones. */
  #isBusy = false

  /** @param {(letters: string | null) => void} read what reads letters; answers come to `answer` */
  constructor(read) {
    this.#read = read
  }

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
    this.#begin(start, {
      resolve: text => {
        answer = text
      },
      owner,
      args: undefined,
    })
    return answer
  }

  /** @param {number} ticket one that waits @returns {string} the arguments that its call came with */
  args(ticket) {
    return this.#waiting.get(ticket).args
  }

  /** @param {number} ticket @param {string} text */
  answer(ticket, text) {
    const waiting = this.#waiting.get(ticket)
    if (!waiting) return
    this.#waiting.delete(ticket)
    if (this.#waiting.size === NONE && this.#isBusy) this.#rest()
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
      if (this.#waiting.size > NONE && !this.#isBusy) this.#stay()
    }
  }

  #take() {
    do this.#next = (this.#next + 1) >>> 0
    while (this.#waiting.has(this.#next))
    return this.#next
  }

  #stay() {
    this.#isBusy = true
    if (busy.size === NONE) keepAlive.ref()
    busy.add(this)
  }

  #rest() {
    this.#isBusy = false
    busy.delete(this)
    if (busy.size === NONE) keepAlive.unref()
  }
}

module.exports = { Tickets }
