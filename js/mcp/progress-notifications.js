'use strict'

// Sends the progress of a call as `notifications/progress`: the handler's reports, and a heartbeat, so that the
// client's timeout does not end a call whose confirmation is pending.

const { memberOf } = require('../values/foreign.js')

const DEFAULT_HEARTBEAT_MS = 5000
/** In characters: the message is one line of text, but a handler's report may have 16 KiB. */
const MAX_MESSAGE_CHARACTERS = 300
/** What a notification adds that has no figure of its own, as a part of the total. */
const SMALL_STEP = 1e-6

class CallProgress {
  #token
  #notify
  #started = performance.now()
  #last = 0
  /** The handler's total, and what was sent before it: figures go on from there. @type {{ total: number, from: number } | null} */
  #scale = null
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
    const { progress, total } = figuresOf(update)
    if (progress !== undefined && total !== undefined) this.#scale = { total, from: this.#scale?.from ?? this.#last }
    this.#send(messageOf(update), progress)
  }

  /** Notifies the client of something else, over the stream of the request. @param {string} method @param {import('../shared-types.js').JsonObject} params */
  notify(method, params) {
    return this.#notify(/** @type {any} */ ({ method, params }))
  }

  /** Ends the reports: after the answer the token is invalid. */
  stop() {
    clearInterval(this.#timer)
    this.#token = undefined
  }

  /** @param {string} [message] @param {number} [figure] the handler's, which counts if it has given a total */
  #send(message, figure) {
    if (this.#token === undefined) return
    this.#last = this.#next(figure)
    const params = {
      progressToken: this.#token,
      progress: this.#last,
      ...(this.#scale === null ? {} : { total: this.#scale.from + this.#scale.total }),
      ...(message === undefined ? {} : { message }),
    }
    // Ignores a disconnected client.
    this.#notify({ method: 'notifications/progress', params }).catch(() => {})
  }

  /**
   * `progress` must increase with each notification. A handler's figures need not, and without a total they say little: then it
   * is the elapsed seconds.
   * @param {number} [figure]
   */
  #next(figure) {
    if (this.#scale === null)
      return Math.max(Math.round(performance.now() - this.#started), this.#last * 1000 + 1) / 1000
    const { total, from } = this.#scale
    return Math.max(from + Math.min(figure ?? 0, total), this.#last + total * SMALL_STEP)
  }
}

/** `progress` and `total` of a report, as MCP has them. @param {unknown} update @returns {{ progress?: number, total?: number }} */
function figuresOf(update) {
  const progress = memberOf(update, 'progress')
  const total = memberOf(update, 'total')
  return {
    ...(isAmount(progress) && { progress }),
    ...(isAmount(total) && total > 0 && { total }),
  }
}

/** @param {string} name */
const isFigure = name => name === 'progress' || name === 'total'

/** @param {unknown} value @returns {value is number} */
const isAmount = value => typeof value === 'number' && value >= 0

/** A text, the `message` of an object, or the value itself as JSON; none if it has only figures. @param {unknown} update */
function messageOf(update) {
  const message = memberOf(update, 'message')
  if (figuresOf(update).progress !== undefined && Object.keys(Object(update)).every(isFigure)) return undefined
  const text = typeof update === 'string' ? update : typeof message === 'string' ? message : JSON.stringify(update)
  const characters = Array.from(text)
  return characters.length > MAX_MESSAGE_CHARACTERS
    ? `${characters.slice(0, MAX_MESSAGE_CHARACTERS - 1).join('')}…`
    : text
}

module.exports = { CallProgress }
