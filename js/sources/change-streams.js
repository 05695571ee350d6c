'use strict'

// What a server of 2026-07-28 is listened to for. A server or a proxy may end such a stream at any time: it is opened again with the
// next request.

/** @typedef {import('@modelcontextprotocol/client').Client} Client */
/** @typedef {import('@modelcontextprotocol/client').McpSubscription} McpSubscription */
/** @typedef {{ filter: Parameters<Client['listen']>[0], stream: McpSubscription | null }} Subject `stream`: null if it has ended */

class ChangeStreams {
  #client
  #timeout
  #onError
  /** @type {Map<string, Subject>} */
  #subjects = new Map()

  /** @param {Client} client @param {number} timeout in milliseconds @param {(error: unknown) => void} onError a stream was not opened again */
  constructor(client, timeout, onError) {
    this.#client = client
    this.#timeout = timeout
    this.#onError = onError
  }

  /** @param {string} name by which it ends @param {Subject['filter']} filter */
  async begin(name, filter) {
    /** @type {Subject} */
    const subject = { filter, stream: null }
    // A signal would end the stream, too, and not only the request for it.
    const stream = await this.#client.listen(filter, { timeout: this.#timeout })
    subject.stream = stream
    void stream.closed.then(() => {
      subject.stream = null
    })
    this.#subjects.set(name, subject)
  }

  /** @param {string} name */
  async end(name) {
    const subject = this.#subjects.get(name)
    this.#subjects.delete(name)
    await subject?.stream?.close()
  }

  /** Opens again what has ended. */
  renew() {
    for (const [name, subject] of this.#subjects) {
      if (subject.stream !== null) continue
      // Two requests at once open it once.
      this.#subjects.delete(name)
      this.begin(name, subject.filter).catch(error => {
        if (!this.#subjects.has(name)) this.#subjects.set(name, subject)
        this.#onError(error)
      })
    }
  }
}

module.exports = { ChangeStreams }
