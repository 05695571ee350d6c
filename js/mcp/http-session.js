'use strict'

// One MCP client over HTTP, of a revision before 2026-07-28: a session with one server, and an SDK transport for each request
// that sends messages. The SDK's transport finds the stream of an answer by the request's id, so two requests with one id on one
// transport leave a stream open for ever. Here each request gets an id of the session's own while it runs.

const { randomBytes } = require('node:crypto')

const { sdk } = require('./sdk.js')

/** JSON-RPC's code for a message that is no valid request. */
const INVALID_REQUEST = -32600
const BEGUN = 'this session has begun: begin another without `Mcp-Session-Id`'
const REPEATED = 'two requests of one message have the same `id`: nothing of it was called'

/**
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('@modelcontextprotocol/server').JSONRPCMessage} Message
 * @typedef {import('@modelcontextprotocol/server').RequestId} RequestId
 * @typedef {import('@modelcontextprotocol/server').MessageExtraInfo} MessageExtra
 * @typedef {import('@modelcontextprotocol/server').TransportSendOptions} SendOptions
 * @typedef {import('@modelcontextprotocol/server').WebStandardStreamableHTTPServerTransport} SdkTransport
 * @typedef {{ transport: SdkTransport, id: RequestId }} RequestOrigin where a request came from, and its id there
 */

/** A transport of the SDK's `Server` that takes HTTP requests. */
class HttpSession {
  /** Takes `initialize`, the stream of server messages (GET), and the end of the session (DELETE). @type {SdkTransport} */
  #first
  /** Requests that are not answered yet, by the id that the server knows. @type {Map<number, RequestOrigin>} */
  #pending = new Map()
  /** The number of requests that each transport with an open stream has yet to answer. @type {Map<SdkTransport, number>} */
  #open = new Map()
  #lastId = 0
  #exchanges = 0
  #lastSeen = performance.now()
  #isClosed = false

  /** @type {((message: Message, extra?: MessageExtra) => void) | undefined} */
  onmessage
  /** @type {(() => void) | undefined} */
  onclose
  /** @type {((error: Error) => void) | undefined} */
  onerror
  /** `Mcp-Session-Id`, once the session has begun. @type {string | undefined} */
  sessionId

  /**
   * @param {string | undefined} principal the only one whose requests it takes
   * @param {(id: string) => void} onBegun
   */
  constructor(principal, onBegun) {
    this.principal = principal
    this.#first = this.#transport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized: id => {
        this.sessionId = id
        onBegun(id)
      },
    })
  }

  /**
   * @param {Request} request
   * @param {unknown} parsedBody its body
   * @param {ServerResponse} response of Node, that the answer is written to
   * @returns {Promise<Response>}
   */
  async handle(request, parsedBody, response) {
    this.#exchanges += 1
    response.once('close', () => {
      this.#exchanges -= 1
      this.#lastSeen = performance.now()
    })
    const options = { parsedBody }
    if (this.sessionId === undefined || request.method !== 'POST') return this.#first.handleRequest(request, options)
    response.setHeader('mcp-session-id', this.sessionId)
    return this.#transport({ sessionIdGenerator: undefined }).handleRequest(request, options)
  }

  /** @param {number} moment */
  isIdleSince(moment) {
    return this.#exchanges === 0 && this.#lastSeen <= moment
  }

  // The SDK's `Transport`

  async start() {}

  /** @param {Message} message @param {SendOptions} [options] */
  async send(message, options) {
    if ('method' in message) {
      const origin = this.#pending.get(/** @type {number} */ (options?.relatedRequestId))
      // The request that this belongs to has been answered or cancelled.
      if (origin === undefined && options?.relatedRequestId !== undefined) return
      await (origin?.transport ?? this.#first).send(message, { ...options, relatedRequestId: origin?.id })
    } else {
      const origin = this.#taken(/** @type {number} */ (message.id))
      if (origin === undefined) return
      try {
        await origin.transport.send({ ...message, id: origin.id })
      } finally {
        this.#answered(origin.transport)
      }
    }
  }

  async close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#pending.clear()
    await Promise.all([...this.#open.keys(), this.#first].map(transport => transport.close()))
    this.#open.clear()
    this.onclose?.()
  }

  /** The id that the client gave a request which is not answered yet. @param {RequestId} id the server's */
  clientRequestId(id) {
    return this.#pending.get(/** @type {number} */ (id))?.id ?? id
  }

  /** @param {import('@modelcontextprotocol/server').WebStandardStreamableHTTPServerTransportOptions} options */
  #transport(options) {
    const transport = new sdk.server.WebStandardStreamableHTTPServerTransport(options)
    /** @type {{ message: Message, extra?: MessageExtra }[]} */
    let received = []
    // The SDK hands over the messages of a batch one by one, without a pause.
    transport.onmessage = (message, extra) => {
      if (received.push({ message, extra }) > 1) return
      queueMicrotask(() => {
        const all = received
        received = []
        this.#receive(transport, all)
      })
    }
    transport.onerror = error => this.onerror?.(error)
    if (options.sessionIdGenerator !== undefined) transport.onclose = () => void this.close()
    return transport
  }

  /** @param {SdkTransport} transport @param {{ message: Message, extra?: MessageExtra }[]} received */
  #receive(transport, received) {
    const ids = received.flatMap(({ message }) => ('method' in message && 'id' in message ? [message.id] : []))
    if (new Set(ids).size !== ids.length) return this.#refuse(transport, ids, REPEATED)
    const begins = received.some(({ message }) => 'method' in message && message.method === 'initialize')
    if (transport !== this.#first && begins) return this.#refuse(transport, ids, BEGUN)
    if (ids.length > 0) this.#open.set(transport, ids.length)
    for (const { message, extra } of received) this.#deliver(transport, message, extra)
  }

  /** @param {SdkTransport} transport @param {Message} message @param {MessageExtra} [extra] */
  #deliver(transport, message, extra) {
    if ('method' in message && 'id' in message) {
      const id = (this.#lastId += 1)
      this.#pending.set(id, { transport, id: message.id })
      this.onmessage?.({ ...message, id }, extra)
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#cancel(message, extra)
    } else {
      this.onmessage?.(message, extra)
    }
  }

  /**
   * Cancels every request with the client's id. The server answers none of them, so their streams end without an answer.
   * @param {import('@modelcontextprotocol/server').JSONRPCNotification} message
   * @param {MessageExtra} [extra]
   */
  #cancel(message, extra) {
    for (const [requestId, origin] of this.#pending) {
      if (origin.id !== message.params?.requestId) continue
      this.onmessage?.({ ...message, params: { ...message.params, requestId } }, extra)
      this.#pending.delete(requestId)
      this.#answered(origin.transport)
    }
  }

  /** Answers each id once, and closes the stream. @param {SdkTransport} transport @param {RequestId[]} ids @param {string} message */
  #refuse(transport, ids, message) {
    for (const id of new Set(ids))
      transport
        .send({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } })
        .catch(error => this.onerror?.(error))
  }

  /** @param {number} id @returns {RequestOrigin | undefined} */
  #taken(id) {
    const origin = this.#pending.get(id)
    this.#pending.delete(id)
    return origin
  }

  /** One request less to answer. After the last the stream ends, also where some were cancelled. @param {SdkTransport} transport */
  #answered(transport) {
    const left = (this.#open.get(transport) ?? 0) - 1
    if (left > 0) return void this.#open.set(transport, left)
    this.#open.delete(transport)
    if (transport !== this.#first) transport.close().catch(error => this.onerror?.(error))
  }
}

module.exports = { HttpSession }
