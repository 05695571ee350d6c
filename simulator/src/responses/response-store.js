// The responses that later requests may go on from, and the model's items that they may name.

import { BoundedMap } from '../http/bounded-map.js'

export class ResponseMemory {
  /** The conversation's items up to and with each response. */
  #conversations = new BoundedMap()
  /** Items of the model. */
  #items = new BoundedMap()

  /** @param {string | null | undefined} id @returns {object[] | undefined} undefined where the response is not known */
  itemsUpTo(id) {
    return id === undefined || id === null ? [] : this.#conversations.get(id)
  }

  /** @param {string} id */
  item(id) {
    return this.#items.get(id)
  }

  /**
   * @param {string} id
   * @param {object[]} input items before it
   * @param {object[]} output
   */
  keep(id, input, output) {
    this.#conversations.set(id, [...input, ...output])
    for (const item of output) this.#items.set(item.id, item)
  }
}
