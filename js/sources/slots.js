'use strict'

// How many calls are in flight at once. Others wait in order, and leave the line when they are cancelled.

class Slots {
  #free
  #size
  /** @type {(() => void)[]} */
  #line = []

  /** @param {number} size */
  constructor(size) {
    this.#size = size
    this.#free = size
  }

  /** Whether nothing is in flight or waits. */
  get isIdle() {
    return this.#free === this.#size
  }

  /** @param {AbortSignal} signal @returns {Promise<() => void>} gives the slot back, once @throws the signal's reason */
  async take(signal) {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#line.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  /** @param {AbortSignal} signal @returns {Promise<void>} */
  #turn(signal) {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line = this.#line.filter(other => other !== enter)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.#line.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}

module.exports = { Slots }
