// State that outlives a client's connection and is not stored by the gate: the provider's resumption handle, whether a
// turn was open, what the model has not got, call durations. In memory; without it a resumed session continues with a model
// that has forgotten the conversation.
import { DeliveryQueue } from '../delivery/delivery-queue.js'
import { LatencyHistory } from '../conversation/filler.js'

/** @typedef {import('../voice-types.js').EarlierState} EarlierState */

/** Gemini accepts a handle for about two hours. */
const TTL_MS = 2 * 60 * 60 * 1000
const MAX_ENTRIES = 10_000
/** @type {() => EarlierState} */
const emptyEntry = () => ({
  handle: null,
  turnOpen: false,
  queue: new DeliveryQueue(),
  latencies: new LatencyHistory(),
})

export class ResumptionCache {
  /** @type {Map<string, EarlierState & { at: number }>} */
  #entries = new Map()

  constructor({ now = Date.now } = {}) {
    this.now = now
  }

  /**
   * @param {string} sessionId
   * @param {EarlierState} entry
   */
  keep(sessionId, entry) {
    this.#entries.delete(sessionId)
    this.#entries.set(sessionId, { ...entry, at: this.now() })
    if (this.#entries.size > MAX_ENTRIES)
      this.#entries.delete(/** @type {string} */ (this.#entries.keys().next().value))
  }

  /**
   * Returns and removes the entry of a session; an empty entry if absent or expired.
   * @param {string} sessionId
   * @returns {EarlierState}
   */
  take(sessionId) {
    const entry = this.#entries.get(sessionId)
    this.#entries.delete(sessionId)
    const isUsable = entry !== undefined && this.now() - entry.at < TTL_MS
    const { at: _, ...kept } = isUsable ? entry : { at: 0, ...emptyEntry() }
    return kept
  }
}
