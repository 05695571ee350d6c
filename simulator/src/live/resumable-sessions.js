// Sessions that a later connection may resume, by the handle that was given out.

import { randomUUID } from 'node:crypto'

const KEEP = 1000

export class ResumableSessions {
  #byHandle = new Map()

  /** @param {import('./dialogue.js').Dialogue} dialogue @returns {string} a new handle; the oldest ones are forgotten */
  keep(dialogue) {
    const handle = `simulator-session-${randomUUID()}`
    this.#byHandle.set(handle, dialogue)
    if (this.#byHandle.size > KEEP) this.#byHandle.delete(this.#byHandle.keys().next().value)
    return handle
  }

  /** @param {string} handle */
  get(handle) {
    return this.#byHandle.get(handle)
  }
}
