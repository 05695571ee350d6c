'use strict'

// The SDK's HTTP transport with the bounds of a source: bodies, redirects, unasked messages.

const { sdk } = require('../mcp/sdk.js')
const { messageOf } = require('../values/foreign.js')
const { boundedFetch } = require('./bounded-fetch.js')
const { MessageMeter } = require('./message-meter.js')

/** @typedef {import('@modelcontextprotocol/client').JSONRPCMessage} Message */
/** @typedef {import('@modelcontextprotocol/client').TransportSendOptions} SendOptions */
/**
 * @typedef {object} HttpOptions
 * @property {Pick<import('./types.js').SourceLimits, 'messageBytes' | 'unaskedPerSecond'>} limits
 * @property {() => string | undefined} [token] the bearer token of the next request
 */

/** How long the end of a session may take. */
const END_MS = 1000

/** @param {string} text which may have been a variable, and is not shown */
function checkedUrl(text) {
  if (!URL.canParse(text)) throw new Error('its `url` is not a URL')
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) throw new Error('its `url` begins with neither `http://` nor `https://`')
  if (url.username !== '' || url.password !== '')
    throw new Error('its `url` has a user name or a password: give them in `headers`, as `Authorization`')
  return url
}

class BoundedHttp {
  #inner
  #meter
  #limit
  /** Those on their way to the server. */
  #answers = 0
  #isClosed = false
  /** Requests whose streams may be open. @type {Map<unknown, AbortController>} */
  #open = new Map()
  /** The SDK cancels a request of 2026-07-28 by its stream. */
  hasPerRequestStream = true

  /** @type {((message: Message) => void) | undefined} */
  onmessage
  /** @type {((error: Error) => void) | undefined} */
  onerror
  /** @type {(() => void) | undefined} */
  onclose
  /** The bound that the server broke. @type {string | undefined} */
  fault

  /** @param {import('./types.js').HttpSettings} settings @param {HttpOptions} options */
  constructor({ url, headers = {} }, { limits, token = () => undefined }) {
    this.#limit = limits.unaskedPerSecond
    this.#meter = new MessageMeter(limits.unaskedPerSecond)
    this.#inner = new sdk.client.StreamableHTTPClientTransport(checkedUrl(url), {
      requestInit: { headers },
      fetch: boundedFetch({ messageBytes: limits.messageBytes, token, onFault: fault => this.#fail(fault) }),
    })
    this.#inner.onmessage = message => this.#received(message)
    this.#inner.onerror = error => this.onerror?.(error)
    this.#inner.onclose = () => this.#gone()
  }

  get sessionId() {
    return this.#inner.sessionId
  }

  /** @param {string} version */
  setProtocolVersion(version) {
    this.#inner.setProtocolVersion(version)
  }

  start() {
    return this.#inner.start()
  }

  /** @param {Message} message @param {SendOptions} [options] */
  async send(message, options) {
    this.#meter.sent(message)
    if (!('method' in message)) return this.#answer(message, options)
    if ('id' in message) return this.#request(message.id, message, options)
    await this.#inner.send(message, options)
    // A server may hold the stream of a cancelled request open.
    if (message.method === 'notifications/cancelled') this.#open.get(message.params?.requestId)?.abort()
  }

  /** A server that asks slowly and takes no answer would fill the memory. @param {Message} message @param {SendOptions} [options] */
  async #answer(message, options) {
    if (this.#answers >= this.#limit)
      return this.#fail(`more than ${this.#limit} unasked messages whose answers it does not take`)
    this.#answers += 1
    try {
      await this.#inner.send(message, options)
    } finally {
      this.#answers -= 1
    }
  }

  /** @param {unknown} id @param {Message} message @param {SendOptions} [options] */
  async #request(id, message, options) {
    const stream = new AbortController()
    this.#open.set(id, stream)
    stream.signal.addEventListener('abort', () => this.#ended(id), { once: true })
    const { requestSignal } = options ?? {}
    requestSignal?.addEventListener('abort', () => stream.abort(), { once: true })
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.()
      if (this.#meter.isPending(id)) this.#fail('a stream that ends without an answer')
    }
    await this.#inner.send(message, { ...options, requestSignal: stream.signal, onRequestStreamEnd })
  }

  /** @param {unknown} id */
  #ended(id) {
    this.#open.delete(id)
    this.#meter.forget(id)
  }

  async close() {
    if (this.#isClosed) return
    if (this.fault === undefined && this.#inner.sessionId !== undefined) {
      // The server can free what the session holds. It may be gone, or slow.
      const ended = this.#inner.terminateSession().catch(() => {})
      await Promise.race([ended, new Promise(resolve => setTimeout(resolve, END_MS).unref())])
    }
    await this.#inner.close()
  }

  /** @param {Message} received */
  #received(received) {
    if (this.#isClosed) return
    const { message, problem, ends } = this.#meter.received(received)
    if (ends) return this.#fail(/** @type {string} */ (problem))
    if (problem !== undefined) this.onerror?.(new Error(`the server sent ${problem}`))
    if (message === undefined) return
    if (!('method' in message)) this.#open.delete(message.id)
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.#fail(`a message that can't be read: ${messageOf(error)}`)
    }
  }

  /** @param {string} reason */
  #fail(reason) {
    if (this.#isClosed || this.fault !== undefined) return
    this.fault = reason
    this.onerror?.(new Error(`the connection is closed: ${reason}`))
    void this.close()
  }

  #gone() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}

module.exports = { BoundedHttp }
