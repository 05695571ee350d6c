'use strict'

// Sends the progress of a call as `notifications/progress`: the handler's reports, and a heartbeat, so that the
// client's timeout does not end a call whose confirmation is pending.

const DEFAULT_HEARTBEAT_MS = 5000
/** In characters: the message is one line of text, but a handler's report may have 16 KiB. */
const MAX_MESSAGE_CHARACTERS = 300

class CallProgress {
  #token
  #notify
  #started = performance.now()
  #last = 0
  #timer

  /**
   * @param {string | number | undefined} token the client's `progressToken`; without one nothing is sent
   * @param {(notification: import('@modelcontextprotocol/server').ServerNotification) => Promise<void>} notify
   * @param {number} [heartbeatMs]
   */
  constructor(token, notify, heartbeatMs = DEFAULT_HEARTBEAT_MS) {
    this.#token = token
    this.#notify = notify
    if (token === undefined) return
    this.#timer = setInterval(() => this.#send(), heartbeatMs)
    this.#timer.unref()
  }

  /** @param {unknown} update the argument of the handler's `progress(update)` */
  report(update) {
    this.#send(messageOf(update))
  }

  /** Ends the reports: after the answer the token is invalid. */
  stop() {
    clearInterval(this.#timer)
    this.#token = undefined
  }

  /**
   * `progress` must increase with each notification. A handler's figures need not, so it is the elapsed seconds.
   * @param {string} [message]
   */
  #send(message) {
    if (this.#token === undefined) return
    this.#last = Math.max(Math.round(performance.now() - this.#started), this.#last + 1)
    const params = {
      progressToken: this.#token,
      progress: this.#last / 1000,
      ...(message === undefined ? {} : { message }),
    }
    // Ignores a disconnected client.
    this.#notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

/** A text, the `message` of an object, or the value itself as JSON. @param {unknown} update */
function messageOf(update) {
  const { message } = /** @type {{ message?: unknown } | null | undefined} */ (update) ?? {}
  const text = typeof update === 'string' ? update : typeof message === 'string' ? message : JSON.stringify(update)
  const characters = Array.from(text)
  return characters.length > MAX_MESSAGE_CHARACTERS
    ? `${characters.slice(0, MAX_MESSAGE_CHARACTERS - 1).join('')}…`
    : text
}

module.exports = { CallProgress }
