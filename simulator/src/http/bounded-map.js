// What later requests may refer to, by its id. The oldest is forgotten first.

export class BoundedMap {
  #entries = new Map()

  /** @param {number} [keep] how many entries */
  constructor(keep = 1000) {
    this.keep = keep
  }

  /** @param {string} id */
  get(id) {
    return this.#entries.get(id)
  }

  /** @param {string} id @param {unknown} value */
  set(id, value) {
    this.#entries.set(id, value)
    if (this.#entries.size > this.keep) this.#entries.delete(this.#entries.keys().next().value)
  }
}
