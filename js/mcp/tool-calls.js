'use strict'

// Executes the calls of one MCP client through one session of the gate, which makes all policy decisions.

const { createHash, randomBytes } = require('node:crypto')

const { UNKNOWN_TOOL, callTracing } = require('../observe/call-tracing.js')
const { parsedArgs } = require('../values/json-text.js')
const { CallProgress } = require('./call-progress.js')
const { toCallResult } = require('./call-result.js')
const { Consent } = require('./consent.js')

/** JSON-RPC's code for invalid parameters; MCP uses it for unknown tools too. */
const INVALID_PARAMS = -32602
/** The reason of a cancellation, in the answer and in the audit. The client's own reason is untrusted text. */
const CANCELLED_BY_CLIENT = 'the MCP client cancelled the request'

/**
 * @typedef {import('@modelcontextprotocol/sdk/shared/protocol.js').RequestHandlerExtra<
 *   import('@modelcontextprotocol/sdk/types.js').ServerRequest,
 *   import('@modelcontextprotocol/sdk/types.js').ServerNotification>} RequestExtra the SDK's extra argument of a request
 * @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult
 * @typedef {{ name: string, arguments?: unknown, _meta?: { progressToken?: string | number } }} CallParams
 * @typedef {import('toolgate').ToolCall & { id: string }} IdentifiedCall
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 */

class ToolCalls {
  #session
  #server
  #declarations
  #consent
  #heartbeatMs
  #meta
  #progress
  /** Call id → the request of it that is under way. @type {Map<string, import('./consent.js').AskingRequest>} */
  #requests = new Map()
  /** A random prefix of call ids, unique for each client and session. */
  #client = randomBytes(8).toString('hex')

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {Map<string, import('./call-result.js').McpTool>} options.declarations by name
   * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} options.server
   * @param {Map<string, CallProgress>} options.progress call id → receiver, for the session's listener
   * @param {number} [options.heartbeatMs]
   * @param {import('toolgate').ModelMeta} [options.meta]
   */
  constructor({ session, declarations, server, progress, heartbeatMs, meta = 'lean' }) {
    this.#session = session
    this.#server = server
    this.#declarations = declarations
    this.#consent = new Consent(session, server)
    this.#progress = progress
    this.#heartbeatMs = heartbeatMs
    this.#meta = meta
  }

  /**
   * @param {CallParams} params of `tools/call`
   * @param {RequestExtra} extra
   * @returns {Promise<CallToolResult | {}>} ignored if the request was cancelled
   * @throws an Error with a JSON-RPC code if the tool is unknown
   */
  async call(params, extra) {
    const { tracer } = callTracing
    if (tracer === null) return this.#serve(params, extra)
    const toolId = this.#declarations.has(params.name) ? params.name : UNKNOWN_TOOL
    const request = { toolId, requestId: this.#clientIdOf(extra.requestId), meta: params._meta }
    return tracer.serveMcp(request, () => this.#serve(params, extra))
  }

  /** @param {CallParams} params @param {RequestExtra} extra @returns {Promise<CallToolResult | {}>} */
  async #serve({ name, arguments: args, _meta }, extra) {
    const call = { id: this.#idOf(this.#clientIdOf(extra.requestId)), name, args: parsedArgs(args) }
    const progress = new CallProgress(_meta?.progressToken, extra.sendNotification, this.#heartbeatMs)
    this.#progress.set(call.id, progress)
    try {
      // Cancelled before admission: nothing is executed or recorded.
      return extra.signal.aborted ? {} : this.#resultOf(name, await this.#run(call, extra))
    } finally {
      // An equal request that was joined may have taken its place.
      if (this.#progress.get(call.id) === progress) this.#progress.delete(call.id)
      progress.stop()
    }
  }

  /** @param {IdentifiedCall} call @param {RequestExtra} extra @returns {Promise<ToolResponse>} */
  async #run(call, extra) {
    const { requestId, signal } = extra
    const request = { requestId, signal, reason: CANCELLED_BY_CLIENT }
    this.#requests.set(call.id, request)
    const response = await this.#session.execute(call, request).finally(() => this.#requests.delete(call.id))
    if (response.ok || response.error.type !== 'CONFIRMATION_REQUIRED') return response
    return this.#consent.resolve(call, /** @type {import('./consent.js').QuestionResponse} */ (response), request)
  }

  /** Asks the user about a call of a handler, which waits. @param {import('toolgate').NestedConfirmation} asked */
  askNested(asked) {
    return this.#consent.askNested(asked, this.#requests.get(asked.callId ?? ''))
  }

  /** @param {string} name @param {ToolResponse} response */
  #resultOf(name, response) {
    // The protocol requires an error for an unknown tool; the gate has audited the call.
    if (!response.ok && response.error.type === 'NOT_FOUND' && !this.#declarations.has(name))
      throw unknownTool(response.error)
    return toCallResult(response, this.#declarations.get(name), this.#meta)
  }

  /** The id that the client gave a request: over HTTP the server knows it by another. @param {string | number} requestId */
  #clientIdOf(requestId) {
    const transport = /** @type {Partial<import('./http-session.js').HttpSession> | undefined} */ (
      this.#server.transport
    )
    return transport?.clientRequestId?.(requestId) ?? requestId
  }

  /**
   * The gate's id of a call. An MCP request id is unique within a session, so a request that a proxy sends twice runs
   * once. The random prefix makes ids unique across sessions, which number their requests from the start; without it
   * the gate would not trust such short ids as idempotency keys. A string id is hashed, because it may have any length,
   * and may look like a placeholder.
   * @param {string | number} requestId
   */
  #idOf(requestId) {
    const own =
      typeof requestId === 'number'
        ? String(requestId)
        : createHash('sha256').update(requestId).digest('hex').slice(0, 32)
    return `mcp_${this.#client}_${own}`
  }
}

/** @param {string} message @param {object} [data] */
const invalidParams = (message, data) =>
  Object.assign(new Error(message), { code: INVALID_PARAMS, ...(data && { data }) })

/** @param {import('toolgate').ToolResponseError} error */
const unknownTool = ({ message, suggestion }) =>
  invalidParams(message, suggestion === undefined ? undefined : { suggestion })

module.exports = { ToolCalls, invalidParams }
