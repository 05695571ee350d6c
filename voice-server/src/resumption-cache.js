// What must outlive a client's connection and is not the gate's: where the provider's conversation can be taken up, whether
// a turn was under way, what the model is still to be told, what calls took. In memory; without it a session goes on with a
// model that has forgotten.
import { Latencies } from './filler.js'

/** Gemini takes a handle for about two hours. */
const KEPT_MS = 2 * 60 * 60 * 1000
const KEEP = 10_000
const NOTHING = () => ({ handle: null, turnOpen: false, notes: [], latencies: new Latencies() })

export class ResumptionShelf {
  #entries = new Map()

  constructor({ now = Date.now } = {}) {
    this.now = now
  }

  /**
   * @param {string} sessionId
   * @param {{ handle: unknown, turnOpen: boolean, notes: import('./idle-notes.js').Note[], latencies: Latencies }} entry
   *   `handle`: the link's own
   */
  keep(sessionId, entry) {
    this.#entries.delete(sessionId)
    this.#entries.set(sessionId, { ...entry, at: this.now() })
    if (this.#entries.size > KEEP) this.#entries.delete(this.#entries.keys().next().value)
  }

  /** Gives an entry out, once. */
  take(sessionId) {
    const entry = this.#entries.get(sessionId)
    this.#entries.delete(sessionId)
    const isUsable = entry !== undefined && this.now() - entry.at < KEPT_MS
    const { at: _, ...kept } = isUsable ? entry : NOTHING()
    return kept
  }
}
