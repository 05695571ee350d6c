'use strict'
// The numbers of a stream's events. A stream that is resumed sends events again, or goes on after a gap. Servers that send one number with
// each event, or any, don't count: their numbers say nothing.

class EventNumbers {
  /** @type {number | null} */
  #last = null
  #doesCount = false

  /** Whether the event came before. @param {unknown} number */
  hasPassed(number) {
    return this.#doesCount && this.#last !== null && isNumber(number) && number <= this.#last
  }

  /** @param {unknown} number @returns {'next' | 'again' | 'after a gap'} */
  placeOf(number) {
    if (!isNumber(number)) return 'next'
    if (this.hasPassed(number)) return 'again'
    const isNext = this.#last !== null && number === this.#last + 1
    this.#doesCount ||= isNext
    this.#last = number
    return this.#doesCount && !isNext ? 'after a gap' : 'next'
  }
}

/** @param {unknown} number @returns {number is number} */
const isNumber = number => Number.isInteger(number)

module.exports = { EventNumbers }
