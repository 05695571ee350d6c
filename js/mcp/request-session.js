'use strict'

// The gate session of a request of 2026-07-28 over HTTP, where no connection holds one: a principal has one session, and a request
// without a principal has its own. A request that answers a question has the session of the call, in whatever process.

const { createHash, randomBytes } = require('node:crypto')

const { memberOf } = require('../values/foreign.js')
const { answersServers, callParams, capabilitiesOf, internal, logLevelOf, stateOf } = require('./connection-session.js')
const { PublishedTools } = require('./published-tools.js')
const { RequestStates, invalidState } = require('./request-state.js')
const { sourceClient } = require('./source-client.js')
const { ToolCalls } = require('./tool-calls.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 * @typedef {import('./mcp-server.js').ServerContext} ServerContext
 * @typedef {{ session: Session, calls: ToolCalls, isOwn: boolean }} Opened `isOwn`: no other request needs the session
 */

class RequestSession {
  #server
  #registry
  #options
  #rounds
  #elsewhere
  /** @type {Map<string, import('./progress-notifications.js').CallProgress>} */
  #progress = new Map()

  /**
   * @param {import('./mcp-server.js').Server} server @param {ToolRegistry} registry
   * @param {McpServerOptions} options with the request's principal and roles
   * @param {import('./rounds.js').Rounds} rounds of all requests
   * @param {import('./consent-elsewhere.js').ConsentElsewhere} elsewhere of all requests
   */
  constructor(server, registry, options, rounds, elsewhere) {
    this.#server = server
    this.#registry = registry
    this.#options = options
    this.#rounds = rounds
    this.#elsewhere = elsewhere
  }

  /** @type {import('./mcp-server.js').ServerSession['answer']} */
  async answer(method, params, context) {
    if (method === 'tools/list') return new PublishedTools(this.#registry, this.#options.session).listed
    const call = callParams(method, params)
    const states = new RequestStates(this.#registry, this.#options.session?.principal ?? undefined)
    const text = stateOf(context)
    const state = text === undefined ? null : await states.open(text, call)
    const client = this.#options.session?.principal ?? null
    const unheard = () => this.#elsewhere.sessionOf(client, call)
    const { session, calls, isOwn } = await this.#open(context, states, state?.sessionId, unheard())
    const detachClient = internal(this.#registry).mcpSources.attach(session.sessionId, this.#clientOf(context))
    /** @type {Promise<unknown> | null} */
    let waiting = null
    try {
      return await calls.call(call, context, state, ended => {
        waiting = ended
      })
    } finally {
      detachClient()
      // Whoever answers a question, or repeats the answer, needs the session.
      const leave = () =>
        isOwn && waiting === null && unheard() === undefined ? session.end('the request is answered') : session.detach()
      Promise.resolve(waiting)
        .then(leave)
        .catch(() => {})
    }
  }

  /** @type {import('./source-requests.js').Enter} */
  async enter(context, method) {
    const { principal } = this.#options.session ?? {}
    const shared = this.#options.session?.sessionId ?? this.#sessionOfPrincipal()
    // A list says nothing of its user, and a server of its own for each would be slow.
    const sessionId = shared ?? (method.endsWith('/list') ? undefined : newSessionId())
    const tools = new PublishedTools(this.#registry, this.#options.session)
    return {
      sessionId,
      ...(typeof principal === 'string' ? { principal } : {}),
      isAllowed: source => tools.hasSource(source),
      client: this.#clientOf(context),
      leave: () => {
        if (shared === undefined && sessionId !== undefined) internal(this.#registry).mcpSources.endSession(sessionId)
      },
    }
  }

  /** @param {ServerContext} context */
  #clientOf(context) {
    const { mcpReq } = context
    const level = logLevelOf(context)
    return sourceClient({
      capabilities: this.#elsewhere.reachable(capabilitiesOf(context)),
      // A request that names no level gets no messages.
      logLevel: () => level,
      owns: callId => this.#progress.has(callId ?? ''),
      notifier: () => async (method, params) => {
        if (level !== undefined) await mcpReq.notify(/** @type {any} */ ({ method, params }))
      },
      updated: () => {},
    })
  }

  /** A request joins and leaves its session by itself. Changes are reported by the handler's subscriptions. */
  join() {}
  leave() {}

  /**
   * @param {ServerContext} context @param {RequestStates} states @param {string} [asked] the session of the question
   * @param {string} [unheard] the session of the equal call whose outcome the client has not got
   * @returns {Promise<Opened>}
   */
  async #open(context, states, asked, unheard) {
    const { session: given = {}, turnGapMs, heartbeatMs, meta } = this.#options
    const tools = new PublishedTools(this.#registry, given)
    const declarations = () => tools
    const shared = given.sessionId ?? this.#sessionOfPrincipal()
    /** @type {ToolCalls | null} */
    let calls = null
    const opening = this.#registry.createSession({
      mode: 'text',
      turnPauseMs: turnGapMs,
      exclusive: false,
      canAsk:
        this.#elsewhere.canAsk(capabilitiesOf(context)) || answersServers(this.#registry, capabilitiesOf(context)),
      ...given,
      sessionId: asked ?? unheard ?? shared ?? newSessionId(),
      resumeOnly: asked !== undefined,
      onProgress: news => {
        this.#progress.get(news.callId ?? '')?.report(news.update)
        given.onProgress?.(news)
      },
      onNestedConfirmation: nested => {
        if (given.onNestedConfirmation !== undefined) given.onNestedConfirmation(nested)
        else calls?.askNested(nested).catch(() => {})
      },
    })
    const session = await opening.catch(error => {
      // The session of a question may have ended since.
      throw asked !== undefined && memberOf(error, 'type') === 'SESSION_INACTIVE' ? invalidState() : error
    })
    const parts = { session, declarations, server: this.#server, progress: this.#progress, heartbeatMs, meta }
    calls = new ToolCalls({
      ...parts,
      rounds: this.#rounds,
      states,
      elsewhere: this.#elsewhere,
      client: given.principal,
    })
    return { session, calls, isOwn: shared === undefined && asked === undefined }
  }

  /** Another tool set is another session: a session keeps the one that it began with. */
  #sessionOfPrincipal() {
    const { principal, mode = 'text' } = this.#options.session ?? {}
    if (principal === undefined || principal === null) return undefined
    const parts = JSON.stringify([principal, mode, this.#registry.getVersion()])
    return `mcp_${createHash('sha256').update(parts).digest('hex')}`
  }
}

const newSessionId = () => `mcp_${randomBytes(16).toString('hex')}`

module.exports = { RequestSession }
