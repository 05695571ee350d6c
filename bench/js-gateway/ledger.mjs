// A session's records: what is running, and the last results, least recently used first out.

const KEPT = 100
const TTL_MS = 24 * 60 * 60 * 1000

/**
 * @typedef {object} CallRecord
 * @property {string} tool
 * @property {string} identity of its arguments
 * @property {number} turn
 * @property {number} claimedAt epoch milliseconds
 * @property {Promise<{ head: unknown, meta: object }> | null} running what a joining call waits for
 * @property {{ head: unknown, meta: object } | null} answer
 */

export class Ledger {
  /** @type {Map<string, CallRecord>} */
  #running = new Map()
  /** @type {Map<string, CallRecord>} */
  #settled = new Map()

  /** @returns {CallRecord | undefined} */
  find(key) {
    const record = this.#running.get(key) ?? this.#settled.get(key)
    if (record === undefined || record.answer === null) return record
    // Taken out and put back: a Map keeps the order of insertion.
    this.#settled.delete(key)
    if (record.claimedAt + TTL_MS <= Date.now()) return undefined
    this.#settled.set(key, record)
    return record
  }

  /** @returns {CallRecord} */
  open(key, tool, identity, turn) {
    const record = { tool, identity, turn, claimedAt: Date.now(), running: null, answer: null }
    this.#running.set(key, record)
    return record
  }

  /** Keeps the answer, or, if it is null, forgets the call. */
  settle(key, record, answer) {
    this.#running.delete(key)
    record.running = null
    if (answer === null) return
    record.answer = answer
    this.#settled.set(key, record)
    if (this.#settled.size > KEPT) this.#settled.delete(this.#settled.keys().next().value)
  }
}
