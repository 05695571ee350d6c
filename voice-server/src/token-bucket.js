// A token bucket: limits the rate of a client's input.

export class TokenBucket {
  #level
  #at

  /**
   * @param {{ perSecond: number, burst: number, now?: () => number }} options `now` in milliseconds
   */
  constructor({ perSecond, burst, now = performance.now.bind(performance) }) {
    this.perSecond = perSecond
    this.burst = burst
    this.now = now
    this.#level = burst
    this.#at = now()
  }

  /** Takes `amount` tokens. Returns false, and takes none, if fewer are left. */
  take(amount = 1) {
    const now = this.now()
    this.#level = Math.min(this.burst, this.#level + ((now - this.#at) / 1000) * this.perSecond)
    this.#at = now
    if (amount > this.#level) return false
    this.#level -= amount
    return true
  }
}
