'use strict'

// Calls that wait for the core. A ticket is a number under which the answer arrives: at once, as the native function's
// return value, or later. The core's own callbacks never keep the process alive; a waiting ticket does.

/** Hosts with waiting tickets: what keeps them, and their answers, from being collected. */
const busy = new Set()
/** Far enough away that it never fires in practice; it is there to be referenced. */
const keepAlive = setInterval(() => {}, 2 ** 30)
keepAlive.unref()

class Tickets {
  #next = 0
  /** ticket → { resolve, owner }: `owner` stays reachable while it waits. */
  #waiting = new Map()
  #beforeAnswers

  /** @param {() => void} [beforeAnswers] called whenever answers have come, before anyone hears them */
  constructor(beforeAnswers = () => {}) { this.#beforeAnswers = beforeAnswers }

  /**
   * @param {(ticket: number) => string | null} start a native function that answers now or later
   * @param {object} [owner] whatever must live as long as the call waits
   * @returns {Promise<string>}
   */
  run(start, owner) {
    const ticket = this.#take()
    const answer = start(ticket)
    this.#beforeAnswers()
    if (answer !== null) return Promise.resolve(answer)
    return new Promise(resolve => this.#wait(ticket, { resolve, owner }))
  }

  /** @param {string[]} ready `ticket, answer, ticket, answer, …` as the core hands them over */
  deliver(ready) {
    this.#beforeAnswers()
    for (let i = 0; i < ready.length; i += 2) {
      const ticket = Number(ready[i])
      const waiting = this.#waiting.get(ticket)
      if (waiting === undefined) continue
      this.#waiting.delete(ticket)
      if (this.#waiting.size === 0) this.#rest()
      waiting.resolve(ready[i + 1])
    }
  }

  #take() {
    do this.#next = (this.#next + 1) >>> 0
    while (this.#waiting.has(this.#next))
    return this.#next
  }

  #wait(ticket, entry) {
    this.#waiting.set(ticket, entry)
    if (this.#waiting.size === 1) {
      busy.add(this)
      if (busy.size === 1) keepAlive.ref()
    }
  }

  #rest() {
    busy.delete(this)
    if (busy.size === 0) keepAlive.unref()
  }
}

module.exports = { Tickets }
