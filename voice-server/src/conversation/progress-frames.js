// What the handlers of running calls say, for the client.

/** Between two frames of a call. */
const EVERY_MS = 250
const MAX_CHARACTERS = 300
const MAX_CALLS = 100

export class ProgressFrames {
  /** When the last frame of a call was sent, by call. @type {Map<string, number>} */
  #sentAt = new Map()

  /**
   * @param {object} options
   * @param {(toolId: string) => { title: string } | null} options.metadataOf
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   */
  constructor(options) {
    this.options = options
  }

  /** Sends the news, unless others of this call were sent just now. @param {import('toolgate').ProgressNews} news */
  tell({ toolId, callId, update }) {
    if (callId === null) return
    const now = performance.now()
    if (now - (this.#sentAt.get(callId) ?? -Infinity) < EVERY_MS) return
    this.#sentAt.delete(callId)
    this.#sentAt.set(callId, now)
    if (this.#sentAt.size > MAX_CALLS) this.#sentAt.delete(/** @type {string} */ (this.#sentAt.keys().next().value))
    const said = typeof update === 'string' ? update : JSON.stringify(update)
    const text = said.length > MAX_CHARACTERS ? `${said.slice(0, MAX_CHARACTERS - 1)}…` : said
    const title = this.options.metadataOf(toolId)?.title ?? toolId
    this.options.sendFrame({ type: 'toolProgress', id: callId, name: toolId, title, text })
  }
}
