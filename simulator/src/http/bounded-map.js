// A map for objects that later requests refer to by id. Drops the oldest entry beyond its bound.

/** @template Value */
export class BoundedMap {
  /** @type {Map<string, Value>} */
  #entries = new Map()

  /** @param {number} [maxEntries] */
  constructor(maxEntries = 1000) {
    this.maxEntries = maxEntries
  }

  /** @param {string} id */
  get(id) {
    return this.#entries.get(id)
  }

  /** @param {string} id @param {Value} value */
  set(id, value) {
    this.#entries.set(id, value)
    if (this.#entries.size > this.maxEntries) {
      const [oldest] = this.#entries.keys()
      this.#entries.delete(oldest)
    }
  }
}
