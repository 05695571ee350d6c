'use strict'
// Random choices drawn from fast-check, so that a run repeats by its seed and a failing case shrinks.
const fc = require('fast-check')

/** @param {number} limit */
const wholeNumbers = limit => fc.nat(limit - 1)
/** Shrinks to false. @param {number} percent */
const booleans = percent =>
  fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(false), weight: 100 - percent },
    { arbitrary: fc.constant(true), weight: percent },
  )

class Random {
  #draw

  /** @param {import('fast-check').GeneratorValue} draw */
  constructor(draw) {
    this.#draw = draw
  }

  /** An integer in [0, limit). Can be used without its object. @param {number} limit */
  below = limit => (limit > 1 ? this.#draw(wholeNumbers, limit) : 0)

  /** @param {number} probability to a hundredth */
  chance(probability) {
    return this.#draw(booleans, Math.round(probability * 100))
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

/** For a property: each of its runs gets its own choices. */
const randoms = () => fc.gen().map(draw => new Random(draw))

/** Outside a property: the choices of a seed. @param {number} seed @returns {Random} */
const seeded = seed => fc.sample(randoms(), { seed, numRuns: 1 })[0]

module.exports = { Random, randoms, seeded }
