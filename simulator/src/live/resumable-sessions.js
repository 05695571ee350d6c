// Sessions that a later connection may resume by handle.

import { randomUUID } from 'node:crypto'

const MAX_SESSIONS = 1000

export class ResumableSessions {
  /** @type {Map<string, import('./live-dialogue.js').LiveDialogue>} */
  #byHandle = new Map()

  /**
   * @param {import('./live-dialogue.js').LiveDialogue} dialogue
   * @returns {string} a new handle; the oldest ones are forgotten
   */
  keep(dialogue) {
    const handle = `simulator-session-${randomUUID()}`
    this.#byHandle.set(handle, dialogue)
    if (this.#byHandle.size > MAX_SESSIONS) {
      const [oldest] = this.#byHandle.keys()
      this.#byHandle.delete(oldest)
    }
    return handle
  }

  /** @param {string} handle */
  get(handle) {
    return this.#byHandle.get(handle)
  }
}
