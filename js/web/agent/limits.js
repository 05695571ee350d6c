'use strict'

// What one client may use of the routes.

const { HttpRefusal } = require('../http-refusal.js')

/**
 * @typedef {import('./visitor.js').Visitor} Visitor
 * @typedef {ReturnType<typeof import('../../http/client-limits.js').createClientLimits>} CountedLimits
 */

/** @param {string} message @param {number} [seconds] */
const tooMany = (message, seconds = 1) =>
  new HttpRefusal(429, 'RATE_LIMIT', `${message}; try again later`, { 'retry-after': String(seconds) })

class RouteLimits {
  #limits

  /** @param {CountedLimits} limits */
  constructor(limits) {
    this.#limits = limits
  }

  /** Before it is known who asks. @param {string | null} address */
  address(address) {
    if (!this.#limits.takeRequest({ address })) throw tooMany('too many requests')
  }

  /** The address has been counted. @param {Visitor} visitor */
  principal({ client, identity }) {
    if (identity !== null && !this.#limits.takeRequest({ ...client, address: null })) throw tooMany('too many requests')
  }

  /** @param {Visitor} visitor */
  newSession({ client }) {
    if (!this.#limits.takeSession(client)) throw tooMany('too many new conversations', 60)
  }

  /** Runs `wait`, which counts as a waiting request. @template T @param {Visitor} visitor @param {() => Promise<T>} wait */
  async longPoll({ client }, wait) {
    const release = this.#limits.openLongPoll(client)
    if (release === null) throw tooMany('too many requests wait')
    try {
      return await wait()
    } finally {
      release()
    }
  }
}

module.exports = { RouteLimits }
