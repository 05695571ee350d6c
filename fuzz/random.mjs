// Seeded random choices: the same seed gives the same run on every machine.

const GOLDEN = 0x9e3779b9

export class Random {
  #state

  /** @param {number} seed any integer */
  constructor(seed) {
    this.#state = seed | 0
  }

  /** A number in [0, 1), by splitmix32. */
  next() {
    this.#state = (this.#state + GOLDEN) | 0
    let mixed = this.#state ^ (this.#state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** An integer in [0, limit). @param {number} limit */
  below(limit) {
    return Math.floor(this.next() * limit)
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)]
  }

  /** Each element with the probability, in order. @template T @param {readonly T[]} list @param {number} probability */
  some(list, probability = 0.5) {
    return list.filter(() => this.chance(probability))
  }

  /** `make()` between `least` and `most` times. @template T @param {number} least @param {number} most @param {() => T} make */
  times(least, most, make) {
    return Array.from({ length: least + this.below(most - least + 1) }, make)
  }
}
