'use strict'
const { RecentMap } = require('./recent-map.js')

/** @type {never[]} */
const NONE = []

/**
 * Lists by a key, of which those that were set long ago are forgotten. Most have one entry and are kept as that entry: the garbage
 * collector moves what is kept, and two more lists for each call took a sixth of the time in which a small message is read.
 * @template Key @template {object} Entry an object that is no list
 */
class RecentLists {
  /** @type {RecentMap<Key, Entry | Entry[]>} */
  #lists

  /** @param {number} kept the lists that are kept at least */
  constructor(kept) {
    this.#lists = new RecentMap(kept)
  }

  /** @param {Key} key @returns {readonly Entry[]} empty if there is none */
  get(key) {
    const list = this.#lists.get(key)
    if (list === undefined) return NONE
    return Array.isArray(list) ? list : [list]
  }

  /** @param {Key} key @param {Entry[]} list kept as it is */
  set(key, list) {
    this.#lists.set(key, list.length === 1 ? list[0] : list)
  }
}

module.exports = { RecentLists }
