// What must outlive a client's connection and is not the gate's: where the provider's conversation can be taken up, and
// whether a turn was under way. In memory; without it a session goes on with a model that has forgotten.

/** The service takes a handle for about two hours. */
const HANDLE_TTL_MS = 2 * 60 * 60 * 1000
const KEEP = 10_000

export class ResumptionShelf {
  #entries = new Map()

  constructor({ now = Date.now } = {}) {
    this.now = now
  }

  /** @param {string} sessionId @param {{ handle?: string | null, turnOpen: boolean }} entry */
  keep(sessionId, entry) {
    this.#entries.delete(sessionId)
    this.#entries.set(sessionId, { ...entry, at: this.now() })
    if (this.#entries.size > KEEP) this.#entries.delete(this.#entries.keys().next().value)
  }

  /** Gives an entry out, once. */
  take(sessionId) {
    const entry = this.#entries.get(sessionId)
    this.#entries.delete(sessionId)
    const usable = entry !== undefined && this.now() - entry.at < HANDLE_TTL_MS
    return usable ? { handle: entry.handle ?? null, turnOpen: entry.turnOpen } : { handle: null, turnOpen: false }
  }
}
