'use strict'

// The resources whose changes sessions want to hear of. A server is asked once for each, however many sessions share the connection.

const { ToolError } = require('../answers/errors.js')

/** Of one connection. */
const MAX_RESOURCES = 1000

class Subscriptions {
  /** URI → the sessions. @type {Map<string, Set<string>>} */
  #sessions = new Map()

  get uris() {
    return [...this.#sessions.keys()]
  }

  /** @param {string} uri */
  sessionsOf(uri) {
    return [...(this.#sessions.get(uri) ?? [])]
  }

  /** @param {string} uri @param {string} sessionId @returns {boolean} whether the server must be asked @throws {ToolError} if there are too many */
  add(uri, sessionId) {
    const sessions = this.#sessions.get(uri)
    if (sessions === undefined && this.#sessions.size >= MAX_RESOURCES)
      throw new ToolError('BUDGET_EXCEEDED', `more than ${MAX_RESOURCES} resources are subscribed to`, {
        retryable: false,
      })
    this.#sessions.set(uri, (sessions ?? new Set()).add(sessionId))
    return sessions === undefined
  }

  /** @param {string} uri @param {string} sessionId @returns {boolean} whether no session wants it any more */
  remove(uri, sessionId) {
    const sessions = this.#sessions.get(uri)
    sessions?.delete(sessionId)
    if (sessions === undefined || sessions.size > 0) return false
    return this.#sessions.delete(uri)
  }

  /** @param {string} sessionId @returns {string[]} what no session wants any more */
  forget(sessionId) {
    return this.uris.filter(uri => this.remove(uri, sessionId))
  }
}

module.exports = { Subscriptions }
