// A cache with a bound. It has two generations: once the younger one is full it becomes the older one, whose values are
// dropped at the next time unless they were used meanwhile.

/** Keys beyond this length are not kept: callers of a service choose the words of a query. */
const MAX_KEY_CHARACTERS = 512

/** @template Value */
export class BoundedCache {
  /** @type {Map<string, Value>} */
  #young = new Map()
  /** @type {Map<string, Value>} */
  #old = new Map()
  #youngWeight = 0

  /**
   * @param {object} bounds
   * @param {number} bounds.maxWeight of all kept values; a value of more than half of it is not kept
   * @param {(value: Value) => number} [bounds.weigh] default: each value weighs 1
   */
  constructor({ maxWeight, weigh = () => 1 }) {
    this.generationWeight = maxWeight / 2
    this.weigh = weigh
  }

  /** The number of kept values. */
  get size() {
    return this.#young.size + this.#old.size
  }

  /**
   * The value of `key`, which `make` makes if it is not kept. Callers share the value: it must not be changed.
   * @param {string} key
   * @param {(key: string) => Value} make
   * @returns {Value}
   */
  get(key, make) {
    const kept = this.#young.get(key)
    if (kept !== undefined) return kept
    const older = this.#old.get(key)
    const value = older === undefined ? make(key) : older
    this.#keep(key, value)
    return value
  }

  /** @param {string} key @param {Value} value */
  #keep(key, value) {
    const weight = this.weigh(value)
    if (weight > this.generationWeight || key.length > MAX_KEY_CHARACTERS) return
    if (this.#youngWeight + weight > this.generationWeight) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngWeight = 0
    }
    this.#old.delete(key)
    this.#young.set(key, value)
    this.#youngWeight += weight
  }
}
