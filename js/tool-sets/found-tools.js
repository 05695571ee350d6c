'use strict'

// The tools that searches of a session have found: declared for the rest of the session, by all of its attachments.

/** The field of the session's state that keeps the ids, oldest first. */
const FIELD = 'foundTools'

/** The most found tools that are kept; the oldest are dropped first. */
const MAX_FOUND = 100

class FoundTools {
  #state
  #listener
  /** What this attachment found, also if the state can't be written. @type {string[]} */
  #own = []

  /**
   * @param {Pick<import('../../index.js').StateController, 'get' | 'set'>} state of the session
   * @param {(toolIds: string[]) => void} listener receives ids that were not found before
   */
  constructor(state, listener) {
    this.#state = state
    this.#listener = listener
  }

  /** The ids, oldest first. @returns {string[]} */
  get ids() {
    return newest([...this.#shared(), ...this.#own])
  }

  /** @param {string} toolId */
  has(toolId) {
    return this.ids.includes(toolId)
  }

  /** @param {string[]} toolIds */
  add(toolIds) {
    const known = new Set(this.ids)
    const fresh = toolIds.filter(toolId => !known.has(toolId))
    if (fresh.length === 0) return
    this.#own = newest([...this.#own, ...fresh])
    this.#keep()
    this.#listener(fresh)
  }

  #keep() {
    try {
      this.#state.set(FIELD, this.ids)
    } catch {
      // The session has ended, and no other attachment will read its state.
    }
  }

  /** The host can change the state, so its content is not trusted. */
  #shared() {
    const kept = this.#state.get(FIELD)
    return Array.isArray(kept) ? kept.filter(toolId => typeof toolId === 'string') : []
  }
}

/** The newest ids without duplicates. @param {string[]} toolIds */
const newest = toolIds => [...new Set(toolIds)].slice(-MAX_FOUND)

module.exports = { FoundTools }
