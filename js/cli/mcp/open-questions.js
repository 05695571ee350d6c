'use strict'

// The questions that this process has asked and that are not known to be answered: what the page of confirmations lists.

/** The most that are remembered; of more, the oldest are not listed. */
const MAX_QUESTIONS = 200

/** @typedef {import('toolgate').ConfirmationEvent} ConfirmationEvent */
/** @typedef {{ href: string, tool: string, preview: string, expires: number, principal: string | null }} ListedQuestion */

class OpenQuestions {
  /** By id, the oldest first. @type {Map<string, ConfirmationEvent>} */
  #events = new Map()

  /** @param {ConfirmationEvent} event */
  changed(event) {
    this.#events.delete(event.id)
    if (event.type !== 'requested') return
    this.#events.set(event.id, event)
    if (this.#events.size <= MAX_QUESTIONS) return
    const [oldest] = this.#events.keys()
    this.#events.delete(oldest)
  }

  /**
   * Those that are still pending, with the addresses that answer them.
   * @param {import('toolgate').ToolRegistry} registry @param {string} path of the addresses, which are relative to the page
   * @returns {Promise<ListedQuestion[]>}
   */
  async open(registry, path) {
    const listed = await Promise.all([...this.#events.values()].map(event => this.#listed(registry, event, path)))
    return listed.filter(question => question !== null)
  }

  /** @param {import('toolgate').ToolRegistry} registry @param {ConfirmationEvent} event @param {string} path */
  async #listed(registry, { id, sessionId, tool, preview, expires, principal }, path) {
    const link = await registry.confirmationLink(id, { sessionId, baseUrl: `http://localhost/${path}` })
    if (link === null) return null
    return { href: path + new URL(link).search, tool, preview: preview ?? '', expires, principal }
  }
}

module.exports = { OpenQuestions }
