'use strict'
// A map that forgets what was set long ago. Two generations: no entry is moved or searched for when one is forgotten, so that a
// call costs no more than its own entries.

/** @template Key @template Value */
class RecentMap {
  /** @type {Map<Key, Value>} */
  #recent = new Map()
  /** @type {Map<Key, Value>} */
  #earlier = new Map()
  #kept

  /** @param {number} kept the entries that are kept at least; at most twice as many are */
  constructor(kept) {
    this.#kept = kept
  }

  /** @param {Key} key @returns {Value | undefined} */
  get(key) {
    return this.#recent.get(key) ?? this.#earlier.get(key)
  }

  /** @param {Key} key */
  has(key) {
    return this.#recent.has(key) || this.#earlier.has(key)
  }

  /** @param {Key} key @param {Value} value */
  set(key, value) {
    this.#recent.set(key, value)
    if (this.#recent.size < this.#kept) return
    this.#earlier = this.#recent
    this.#recent = new Map()
  }
}

module.exports = { RecentMap }
