'use strict'

// Which messages of a server reach the SDK. An answer must belong to a request that waits for one; reports of progress are
// thinned; and a server that sends more than its limit a second, or JSON that is too deep, is cut off. The SDK would check
// each message with a schema first, which blocks the process for seconds if there are thousands.

/** @typedef {import('@modelcontextprotocol/client').JSONRPCMessage} Message */
/**
 * @typedef {{ message?: Message, problem?: string, ends?: boolean }} Verdict `message`: for the SDK; `problem`: for the log;
 *   `ends`: the connection must be closed
 */

/** The depth of JSON that the gate accepts. What is deeper ends functions that read it by recursion. */
const MAX_DEPTH = 512
/** More reports of progress a second are dropped. */
const PROGRESS_PER_SECOND = 50
/** A server may send so many times more reports than other messages before it is cut off. */
const PROGRESS_ALLOWANCE = 10

class MessageMeter {
  #limit
  /** Requests that wait for an answer, with their method. @type {Map<unknown, string>} */
  #pending = new Map()
  #second = -Infinity
  #unasked = 0
  #reports = 0

  /** @param {number} unaskedPerSecond */
  constructor(unaskedPerSecond) {
    this.#limit = unaskedPerSecond
  }

  /** Whether a request waits that ends by itself. A subscription lasts as long as the connection. */
  get isWaiting() {
    for (const method of this.#pending.values()) if (method !== 'subscriptions/listen') return true
    return false
  }

  /** @param {unknown} id */
  isPending(id) {
    return this.#pending.has(id)
  }

  /** Notes a message before it is sent. @param {Message} message */
  sent(message) {
    if (!('method' in message)) return
    if ('id' in message) this.#pending.set(message.id, message.method)
    else if (message.method === 'notifications/cancelled') this.forget(message.params?.requestId)
  }

  /** The request was cancelled: its answer is dropped. @param {unknown} id */
  forget(id) {
    this.#pending.delete(id)
  }

  /** @param {unknown} value a parsed message @returns {Verdict} */
  received(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.unreadable('not a message')
    if (isTooDeep(value)) return { problem: `a message that is nested more than ${MAX_DEPTH} levels deep`, ends: true }
    const message = /** @type {import('../shared-types.js').JsonObject} */ (value)
    if (typeof message.method === 'string') return this.#announced(message)
    if (message.id === undefined) return this.unreadable('neither a request nor an answer')
    if (!this.#pending.delete(message.id))
      return this.unreadable(`an answer without a request: ${String(message.id).slice(0, 40)}`)
    return { message: /** @type {Message} */ (isAnswer(message) ? message : emptyAnswer(message.id)) }
  }

  /** A message that says nothing counts as unasked. @param {string} problem @returns {Verdict} */
  unreadable(problem) {
    return this.#counted() ?? { problem }
  }

  /** @param {import('../shared-types.js').JsonObject} message @returns {Verdict} */
  #announced(message) {
    const given = { message: /** @type {Message} */ (/** @type {unknown} */ (message)) }
    if (message.method !== 'notifications/progress') return this.#counted() ?? given
    // The SDK's token is the request's id.
    if (!this.#pending.has(message.params?.progressToken)) return this.#counted() ?? {}
    this.#tick()
    this.#reports += 1
    if (this.#reports > this.#limit * PROGRESS_ALLOWANCE) return tooMany(this.#limit * PROGRESS_ALLOWANCE, 'reports')
    return this.#reports > PROGRESS_PER_SECOND ? {} : given
  }

  /** @returns {Verdict | undefined} */
  #counted() {
    this.#tick()
    this.#unasked += 1
    return this.#unasked > this.#limit ? tooMany(this.#limit, 'unasked messages') : undefined
  }

  #tick() {
    const now = performance.now()
    if (now - this.#second < 1000) return
    this.#second = now
    this.#unasked = 0
    this.#reports = 0
  }
}

/** Goes level by level: the value may be too deep for recursion. @param {object} value */
function isTooDeep(value) {
  /** @type {object[]} */
  let level = [value]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    /** @type {object[]} */
    const next = []
    for (const item of level)
      for (const child of Object.values(item)) if (typeof child === 'object' && child !== null) next.push(child)
    level = next
  }
  return false
}

/** @param {number} limit @param {string} what @returns {Verdict} */
const tooMany = (limit, what) => ({ problem: `more than ${limit} ${what} a second`, ends: true })

/** Whether the SDK takes it as an answer. It drops any other, and the request would wait for ever. @param {import('../shared-types.js').JsonObject} message */
function isAnswer({ jsonrpc, id, result, error }) {
  if (jsonrpc !== '2.0' || (typeof id !== 'string' && !Number.isInteger(id))) return false
  if (error !== undefined && result === undefined)
    return Number.isInteger(error?.code) && typeof error.message === 'string'
  return error === undefined && typeof result === 'object' && result !== null && !Array.isArray(result)
}

/** A result of the wrong shape, whatever was asked. @param {unknown} id */
const emptyAnswer = id => ({ jsonrpc: '2.0', id, result: {} })

/** @param {number} bytes */
const tooLarge = bytes => `a message of more than ${bytes} bytes`

module.exports = { MessageMeter, tooLarge }
