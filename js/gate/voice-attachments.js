'use strict'

// The voice attachments of a registry, by session: a text attachment of the same session must know of them.

class VoiceAttachments {
  /** sessionId → ids of its attachments @type {Map<string, Set<number>>} */
  #open = new Map()
  /** A host may drop an attachment without leaving it. */
  #dropped = new FinalizationRegistry((/** @type {{ sessionId: string, id: number }} */ { sessionId, id }) =>
    this.delete(sessionId, id),
  )

  /** @param {string} sessionId @param {number} id @param {object} holder lives as long as the attachment */
  add(sessionId, id, holder) {
    this.#open.set(sessionId, (this.#open.get(sessionId) ?? new Set()).add(id))
    this.#dropped.register(holder, { sessionId, id })
  }

  /** @param {string} sessionId @param {number} id */
  delete(sessionId, id) {
    const ids = this.#open.get(sessionId)
    if (ids?.delete(id) && ids.size === 0) this.#open.delete(sessionId)
  }

  /** Forgets a session that has ended. @param {string} sessionId */
  end(sessionId) {
    this.#open.delete(sessionId)
  }

  /** @param {string | null} sessionId */
  has(sessionId) {
    return sessionId !== null && this.#open.has(sessionId)
  }
}

module.exports = { VoiceAttachments }
