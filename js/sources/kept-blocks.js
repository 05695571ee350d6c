'use strict'

// The content blocks of results whose `data` has less, for MCP clients, under the session and the idempotency key that each answer
// of the call has. They live in the process, as full results do: beyond the bound the oldest are dropped.

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {{ sessionId: string, blocks: JsonObject[], bytes: number }} Kept */

/** `limits.fullResultBytes` by default. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024
/** What an entry takes beside its blocks: many small ones are bounded, too. */
const ENTRY_BYTES = 256

class KeptBlocks {
  /** The oldest first. @type {Map<string, Kept>} */
  #kept = new Map()
  #bytes = 0
  #maxBytes

  /** @param {number} [maxBytes] of all sessions */
  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Keeps the blocks of a call in place of those of an earlier attempt. @param {string} sessionId @param {string} key @param {JsonObject[]} blocks */
  put(sessionId, key, blocks) {
    const place = placeOf(sessionId, key)
    this.#drop(place)
    if (blocks.length === 0) return
    const bytes = Buffer.byteLength(JSON.stringify(blocks)) + ENTRY_BYTES
    this.#kept.set(place, { sessionId, blocks, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  /** The blocks of a call; none if they are not kept (any more). @param {string} sessionId @param {string} key @returns {JsonObject[]} */
  get(sessionId, key) {
    return this.#kept.get(placeOf(sessionId, key))?.blocks ?? []
  }

  /** Forgets the blocks of a session that has ended. @param {string} sessionId */
  forget(sessionId) {
    for (const [place, kept] of this.#kept) if (kept.sessionId === sessionId) this.#drop(place)
  }

  /** @param {string} place */
  #drop(place) {
    this.#bytes -= this.#kept.get(place)?.bytes ?? 0
    this.#kept.delete(place)
  }
}

/** @param {string} sessionId @param {string} key */
const placeOf = (sessionId, key) => JSON.stringify([sessionId, key])

module.exports = { KeptBlocks }
