'use strict'

// Who hears the progress of single calls, beside the session's listener: what made the call, for as long as it waits.

/**
 * @typedef {import('../../index.js').ProgressNews} ProgressNews
 * @typedef {(news: ProgressNews) => void} ProgressListener must not throw: a handler waits for it
 */

class ProgressListeners {
  /** By call id. @type {Map<string, Set<ProgressListener>>} */
  #heard = new Map()

  /** @param {string} callId @param {ProgressListener} listener @returns {() => void} ends it */
  add(callId, listener) {
    const listeners = this.#heard.get(callId) ?? new Set()
    this.#heard.set(callId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#heard.get(callId) === listeners) this.#heard.delete(callId)
    }
  }

  /** @param {ProgressNews} news a nested call has no id: it is heard by the session's listener alone */
  tell(news) {
    const listeners = news.callId === null ? undefined : this.#heard.get(news.callId)
    for (const listener of listeners ?? []) listener(news)
  }
}

module.exports = { ProgressListeners }
