// Records the messages of clients, in order, for assertions in tests. Credentials are never recorded.

const MAX_RECEIVED = 5000

/**
 * @typedef {object} Received
 * @property {number} seq 1-based, over all protocols
 * @property {import('./scenario/types.js').ProtocolName | 'http'} protocol
 * @property {string} path without the query, which may contain a key
 * @property {number} [connection] 1-based number of the connection, counted for each protocol
 * @property {Record<string, string>} [headers] user-agent and x-goog-api-client, if present
 * @property {unknown} json the frame or body; undefined if absent or not JSON
 * @property {string} [text] a frame or body that is not JSON
 *
 * @typedef {object} Anomaly a client's answer or request that a real provider would not accept
 * @property {'unknown_id' | 'answered_cancelled' | 'answered_twice' | 'asked_too_early'} kind
 * @property {'live' | 'realtime' | 'gptLive'} protocol
 * @property {number} connection
 * @property {string | undefined} id
 * @property {string | undefined} name
 *
 * @typedef {object} ReceivedWaiter
 * @property {(entry: Received) => void} offer
 * @property {(message: string) => void} fail
 */

export class Recorder {
  /** @type {Received[]} the newest 5000 */
  received = []
  /** @type {Anomaly[]} */
  anomalies = []
  #seq = 0
  /** @type {Set<ReceivedWaiter>} */
  #waiters = new Set()

  /** @param {Omit<Received, 'seq'>} entry */
  add(entry) {
    const received = { seq: (this.#seq += 1), ...entry }
    this.received.push(received)
    if (this.received.length > MAX_RECEIVED) this.received.shift()
    for (const waiter of [...this.#waiters]) waiter.offer(received)
  }

  /**
   * Resolves with the first matching entry, past or future.
   *
   * @param {(entry: Received) => boolean} predicate
   * @param {{ timeoutMs?: number, after?: number }} [options] `after`: only entries with a higher `seq`
   * @returns {Promise<Received>} rejects after `timeoutMs` (60,000), when the simulator closes, or when the predicate
   *   throws
   */
  whenReceived(predicate, { timeoutMs = 60_000, after = 0 } = {}) {
    return new Promise((resolve, reject) => {
      /**
       * @template Value
       * @param {(value: Value) => void} act
       * @param {Value} value
       */
      const settle = (act, value) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        act(value)
      }
      /** @type {ReceivedWaiter} */
      const waiter = {
        offer: entry => {
          try {
            if (entry.seq > after && predicate(entry)) settle(resolve, entry)
          } catch (error) {
            settle(reject, error)
          }
        },
        fail: message => settle(reject, new Error(message)),
      }
      const timer = setTimeout(() => {
        waiter.fail(`nothing that fits was received within ${timeoutMs} ms (${this.received.length} other entries)`)
      }, timeoutMs)
      this.#waiters.add(waiter)
      this.received.forEach(entry => this.#waiters.has(waiter) && waiter.offer(entry))
    })
  }

  close() {
    for (const waiter of [...this.#waiters]) waiter.fail('the simulator was closed while waiting')
  }
}

/** @param {import('node:http').IncomingMessage} request */
export function describeRequest(request) {
  /** @type {Record<string, string>} */
  const headers = {}
  for (const name of ['user-agent', 'x-goog-api-client']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return { path: urlOf(request).split('?')[0], headers }
}

/** The URL of a server's request, which Node always sets. @param {import('node:http').IncomingMessage} request */
export function urlOf(request) {
  return /** @type {string} */ (request.url)
}
