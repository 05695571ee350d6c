// Stores responses that later requests continue from, and output items that they reference.

import { BoundedMap } from '../http/bounded-map.js'

/** @import { JsonObject } from '../parse-json.js' */

export class ResponseStore {
  /**
   * Response id → the conversation's items up to and including the response.
   *
   * @type {BoundedMap<JsonObject[]>}
   */
  #conversations = new BoundedMap()
  /** Output items by id. @type {BoundedMap<JsonObject>} */
  #items = new BoundedMap()

  /** @param {string | null | undefined} id @returns {JsonObject[] | undefined} undefined if the response is unknown */
  itemsUpTo(id) {
    return id === undefined || id === null ? [] : this.#conversations.get(id)
  }

  /** @param {string} id */
  item(id) {
    return this.#items.get(id)
  }

  /**
   * @param {string} id
   * @param {JsonObject[]} input items before it
   * @param {JsonObject[]} output
   */
  keep(id, input, output) {
    this.#conversations.set(id, [...input, ...output])
    for (const item of output) this.#items.set(item.id, item)
  }
}
