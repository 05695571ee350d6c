'use strict'

// How far a call is, as `notifications/progress`: what its handler says, and between that a sign of life, by which a client
// keeps its timeout from ending a call that a user is still thinking about.

const DEFAULT_HEARTBEAT_MS = 5000
/** A line for people; a handler's news may be 16 KiB. */
const LONGEST_MESSAGE = 300

class CallProgress {
  #token
  #notify
  #started = performance.now()
  #last = 0
  #timer

  /**
   * @param {string | number | undefined} token the client's `progressToken`; without one nothing is sent
   * @param {(notification: object) => Promise<void>} notify
   * @param {number} [heartbeatMs]
   */
  constructor(token, notify, heartbeatMs = DEFAULT_HEARTBEAT_MS) {
    this.#token = token
    this.#notify = notify
    if (token === undefined) return
    this.#timer = setInterval(() => this.#tell(), heartbeatMs)
    this.#timer.unref()
  }

  /** @param {unknown} update as the handler gave it */
  news(update) {
    this.#tell(messageOf(update))
  }

  /** The call has its answer: its token means nothing any more. */
  stop() {
    clearInterval(this.#timer)
    this.#token = undefined
  }

  /** The protocol wants a number that grows each time. A handler's own figures need not, so it is the seconds so far. */
  #tell(message) {
    if (this.#token === undefined) return
    this.#last = Math.max(Math.round(performance.now() - this.#started), this.#last + 1)
    const params = {
      progressToken: this.#token,
      progress: this.#last / 1000,
      ...(message === undefined ? {} : { message }),
    }
    // A client that is gone hears nothing.
    this.#notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

/** A text, the `message` of an object, or the value itself as JSON. */
function messageOf(update) {
  const text =
    typeof update === 'string' ? update : typeof update?.message === 'string' ? update.message : JSON.stringify(update)
  const letters = Array.from(text)
  return letters.length > LONGEST_MESSAGE ? `${letters.slice(0, LONGEST_MESSAGE - 1).join('')}…` : text
}

module.exports = { CallProgress }
