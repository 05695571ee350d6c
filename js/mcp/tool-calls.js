'use strict'

// Executes the calls of one MCP client through one session of the gate, which makes all policy decisions.

const { createHash, randomBytes } = require('node:crypto')

const { UNKNOWN_TOOL, callTracing } = require('../observe/call-tracing.js')
const { memberOf } = require('../values/foreign.js')
const { parsedArgs } = require('../values/json-text.js')
const { CallProgress } = require('./progress-notifications.js')
const { toCallResult } = require('./call-result.js')
const { Consent } = require('./consent.js')
const { readableBlocks } = require('./content-blocks.js')
const { invalidParams } = require('./protocol-error.js')
const { canBeAsked, requestsOf } = require('./question.js')
const { sdk } = require('./sdk.js')

/** The reason of a cancellation, in the answer and in the audit. The client's own reason is untrusted text. */
const CANCELLED_BY_CLIENT = 'the MCP client cancelled the request'
/** Progress of a call that waits. */
const ASKED_ELSEWHERE = "waits for the user's confirmation"

/**
 * @typedef {import('@modelcontextprotocol/server').ServerContext} ServerContext the SDK's context of a request
 * @typedef {import('@modelcontextprotocol/server').CallToolResult} CallToolResult
 * @typedef {import('@modelcontextprotocol/server').InputRequiredResult} InputRequiredResult
 * @typedef {{ name: string, arguments?: unknown, _meta?: { progressToken?: string | number } }} CallParams
 * @typedef {import('../adapters/gate-call.js').IdentifiedCall} IdentifiedCall
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./request-state.js').RequestState} RequestState
 *
 * @typedef {object} ToolCallsParts
 * @property {import('toolgate').Session} session
 * @property {() => import('./published-tools.js').PublishedTools} declarations those of now
 * @property {import('@modelcontextprotocol/server').Server} server
 * @property {Map<string, CallProgress>} progress call id → receiver, for the session's listener
 * @property {import('./rounds.js').Rounds} rounds
 * @property {import('./request-state.js').RequestStates} states
 * @property {import('./consent-elsewhere.js').ConsentElsewhere} elsewhere
 * @property {string | null} [client] the principal, where several clients share `elsewhere`
 * @property {number} [heartbeatMs]
 * @property {import('toolgate').ModelMeta} [meta]
 */

class ToolCalls {
  #parts
  #consent
  /** Call id → the requests that wait for it. @type {Map<string, Set<import('./consent.js').AskingRequest>>} */
  #requests = new Map()
  /** A random prefix of call ids, unique for each client and session. */
  #client = randomBytes(8).toString('hex')

  /** @param {ToolCallsParts} parts */
  constructor(parts) {
    this.#parts = parts
    this.#consent = new Consent(parts.session, parts.server)
  }

  /**
   * @param {CallParams} params of `tools/call`
   * @param {ServerContext} context
   * @param {RequestState | null} state what the request answers
   * @param {(ended: Promise<unknown>) => void} [onWait] gets the end of a call that outlives its request
   * @returns {Promise<CallToolResult | InputRequiredResult | {}>} ignored if the request was cancelled
   * @throws an Error with a JSON-RPC code if the tool is unknown
   */
  async call(params, context, state, onWait = () => {}) {
    const { tracer } = callTracing
    const serve = () => this.#serve(params, context, state, onWait)
    if (tracer === null) return serve()
    const declarations = this.#parts.declarations()
    const toolId = declarations.has(params.name) ? declarations.toolId(params.name) : UNKNOWN_TOOL
    const requestId = this.#clientIdOf(context.mcpReq.id)
    return tracer.serveMcp({ toolId, requestId, meta: params._meta }, serve)
  }

  /** Asks the user about a call of a handler, which waits. @param {import('toolgate').NestedConfirmation} asked */
  async askNested(asked) {
    const isAsked = this.#parts.elsewhere.ask(asked) || this.#parts.rounds.ask(asked)
    const requests = [...(this.#requests.get(asked.callId ?? '') ?? [])]
    if (!isAsked)
      await this.#consent.askNested(
        asked,
        requests.find(({ signal }) => !signal.aborted),
      )
  }

  /**
   * @param {CallParams} params @param {ServerContext} context @param {RequestState | null} state
   * @param {(ended: Promise<unknown>) => void} onWait
   */
  async #serve(params, context, state, onWait) {
    const { id, signal, notify, envelope } = context.mcpReq
    const { progress: receivers, heartbeatMs, session } = this.#parts
    const version = session.registry.getVersion()
    const key = state === null ? this.#keyElsewhere(params, context) : null
    const unheard = key === null ? undefined : this.#parts.elsewhere.unheard(key)
    const call = {
      id: state?.callId ?? unheard?.callId ?? this.#idOf(this.#clientIdOf(id)),
      name: this.#parts.declarations().toolId(params.name),
      args: parsedArgs(params.arguments),
      // The session gets a reloaded tool set, of which the client was notified, with its next turn.
      ...(session.toolsVersion === version ? {} : { message: { id: version } }),
    }
    const progress = new CallProgress(params._meta?.progressToken, notify, heartbeatMs)
    receivers.set(call.id, progress)
    try {
      // Cancelled before admission: nothing is executed or recorded.
      if (signal.aborted) return {}
      if (key !== null) {
        const onAsk = () => progress.report(ASKED_ELSEWHERE)
        const request = { key, signal, reason: CANCELLED_BY_CLIENT, onAsk, onWait }
        return this.#resultOf(params.name, await this.#parts.elsewhere.answer(session, call, request))
      }
      if (envelope !== undefined) return await this.#round(call, params, context, state, onWait)
      return this.#resultOf(params.name, await this.#run(call, context))
    } finally {
      // An equal request that was joined may have taken its place.
      if (receivers.get(call.id) === progress) receivers.delete(call.id)
      progress.stop()
    }
  }

  /**
   * The key of a call whose user is asked elsewhere; null if the client asks.
   * @param {CallParams} params @param {ServerContext} context
   */
  #keyElsewhere(params, { mcpReq: { envelope } }) {
    const { elsewhere, server, client = null } = this.#parts
    const own = /** @type {Record<string, any> | undefined} */ (envelope)?.[sdk.server.CLIENT_CAPABILITIES_META_KEY]
    return elsewhere.isFor(own ?? server.getClientCapabilities()) ? elsewhere.keyOf(client, params) : null
  }

  /** A request of a client that is asked while its request waits. @param {IdentifiedCall} call @param {ServerContext} context */
  async #run(call, { mcpReq: { send, signal } }) {
    const request = { send, signal, reason: CANCELLED_BY_CLIENT }
    const { session } = this.#parts
    const done = [this.#serves(call.id, request)]
    try {
      const response = await session.execute(call, request)
      if (response.ok || response.error.type !== 'CONFIRMATION_REQUIRED') return response
      const asked = /** @type {import('./question.js').QuestionResponse} */ (response)
      // Its handler may ask, too. An equal call that asked first is the one that then runs.
      const token = asked.error.confirmation_request?.token
      const first = (await session.listPending().catch(() => [])).find(pending => pending.token === token)
      done.push(this.#serves(first?.callId ?? call.id, request))
      return await this.#consent.resolve(call, asked, request)
    } finally {
      for (const end of done) end()
    }
  }

  /** The questions of a call's handler go to the client over this request, too. @param {string} id @param {import('./consent.js').AskingRequest} request */
  #serves(id, request) {
    const requests = this.#requests.get(id) ?? new Set()
    this.#requests.set(id, requests.add(request))
    return () => {
      requests.delete(request)
      if (requests.size === 0 && this.#requests.get(id) === requests) this.#requests.delete(id)
    }
  }

  /**
   * A request of a client that is asked by its result.
   * @param {IdentifiedCall} call @param {CallParams} params @param {ServerContext} context @param {RequestState | null} state
   * @param {(ended: Promise<unknown>) => void} onWait
   */
  async #round(call, params, { mcpReq: { envelope, inputResponses, signal } }, state, onWait) {
    const { session, rounds } = this.#parts
    const { [sdk.server.CLIENT_CAPABILITIES_META_KEY]: capabilities } = /** @type {Record<string, any>} */ (envelope)
    const asking = {
      asked: state,
      responses: inputResponses,
      canAsk: (/** @type {import('./question.js').TokenRequest} */ question) => canBeAsked(question, capabilities),
      signal,
      reason: CANCELLED_BY_CLIENT,
    }
    const round = await rounds.round(session, call, asking)
    if ('response' in round) {
      const missing = missingCapability(round.response)
      if (missing !== null) throw missing
      return this.#resultOf(params.name, round.response)
    }
    onWait(round.ended)
    return this.#inputRequired(call, params, round.ask)
  }

  /** @param {IdentifiedCall} call @param {CallParams} params @param {import('./rounds.js').Ask} ask */
  async #inputRequired({ id }, params, { question, isNested, shown, refused }) {
    const { session, states } = this.#parts
    const { inputRequired } = sdk.server
    const state = { sessionId: session.sessionId, callId: id, token: question.token, isNested, shown }
    return inputRequired({
      inputRequests: /** @type {any} */ (requestsOf(session, question, refused)),
      requestState: await states.seal(state, question.expires, params),
    })
  }

  /** @param {string} name @param {ToolResponse} response */
  #resultOf(name, response) {
    const { meta = 'lean', session, server } = this.#parts
    const declarations = this.#parts.declarations()
    // The protocol requires an error for an unknown tool; the gate has audited the call.
    if (!response.ok && isUnknown(response.error) && !declarations.has(name)) throw unknownTool(response.error)
    const { origin } = /** @type {import('../gate/session.js').Session} */ (/** @type {unknown} */ (session))
    const blocks = readableBlocks(origin.blocks(response.meta ?? {}), server.getNegotiatedProtocolVersion())
    return toCallResult(response, declarations.get(name), { meta, blocks })
  }

  /** The id that the client gave a request: over HTTP the server knows it by another. @param {string | number} requestId */
  #clientIdOf(requestId) {
    const transport = /** @type {Partial<import('./http-session.js').HttpSession> | undefined} */ (
      this.#parts.server.transport
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

/** Whether there is no such tool. One that has become unavailable has a reason. @param {import('toolgate').ToolResponseError} error */
const isUnknown = ({ type, details }) => type === 'NOT_FOUND' && memberOf(details, 'reason') === undefined

/** A source's server needs what the request's client does not offer: the protocol has an error of its own for that. @param {ToolResponse} response */
function missingCapability(response) {
  const names = response.ok ? undefined : memberOf(response.error.details, 'requiredCapabilities')
  if (response.ok || !Array.isArray(names)) return null
  const requiredCapabilities = Object.fromEntries(names.map(name => [name, {}]))
  return new sdk.server.MissingRequiredClientCapabilityError({ requiredCapabilities }, response.error.message)
}

/** @param {import('toolgate').ToolResponseError} error */
const unknownTool = ({ message, suggestion }) =>
  invalidParams(message, suggestion === undefined ? undefined : { suggestion })

module.exports = { ToolCalls }
