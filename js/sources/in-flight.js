'use strict'

// The requests that a server has been sent and has not answered. What it sends meanwhile does not say which of them it belongs to:
// only if there is one, it is known.

/**
 * @typedef {object} SentRequest
 * @property {import('./types.js').QuestionHandler} [onQuestion]
 * @property {import('./types.js').ClientRequestHandler} [onClientRequest]
 * @property {(params: import('../shared-types.js').JsonObject) => void} [onLog]
 */

class InFlight {
  /** @type {Set<SentRequest>} */
  #requests = new Set()

  /** @param {SentRequest} request @returns {() => void} ends it */
  add({ onQuestion, onClientRequest, onLog }) {
    const request = {
      ...(onQuestion === undefined ? {} : { onQuestion }),
      ...(onClientRequest === undefined ? {} : { onClientRequest }),
      ...(onLog === undefined ? {} : { onLog }),
    }
    this.#requests.add(request)
    return () => void this.#requests.delete(request)
  }

  get isEmpty() {
    return this.#requests.size === 0
  }

  /** The only one; undefined if there are several, or none. @returns {SentRequest | undefined} */
  get only() {
    const [request, ...others] = this.#requests
    return others.length === 0 ? request : undefined
  }
}

module.exports = { InFlight }
