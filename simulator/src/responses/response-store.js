// Stores responses that later requests continue from, and output items that they reference.

import { BoundedMap } from '../http/bounded-map.js'

export class ResponseStore {
  /** Response id → the conversation's items up to and including the response. */
  #conversations = new BoundedMap()
  /** Output items by id. */
  #items = new BoundedMap()

  /** @param {string | null | undefined} id @returns {object[] | undefined} undefined if the response is unknown */
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
