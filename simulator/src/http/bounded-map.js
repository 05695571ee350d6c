// A map for objects that later requests refer to by id. Drops the oldest entry beyond its bound.

export class BoundedMap {
  #entries = new Map()

  /** @param {number} [maxEntries] */
  constructor(maxEntries = 1000) {
    this.maxEntries = maxEntries
  }

  /** @param {string} id */
  get(id) {
    return this.#entries.get(id)
  }

  /** @param {string} id @param {unknown} value */
  set(id, value) {
    this.#entries.set(id, value)
    if (this.#entries.size > this.maxEntries) this.#entries.delete(this.#entries.keys().next().value)
  }
}
