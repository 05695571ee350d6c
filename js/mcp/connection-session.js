'use strict'

// The gate session of a client that keeps a connection: created at its first call, ended when it has gone.

const { ConsentElsewhere } = require('./consent-elsewhere.js')
const { PublishedTools } = require('./published-tools.js')
const { invalidParams, methodNotFound } = require('./protocol-error.js')
const { sourceClient } = require('./source-client.js')
const { RequestStates, invalidState } = require('./request-state.js')
const { Rounds } = require('./rounds.js')
const { sdk } = require('./sdk.js')
const { ToolCalls } = require('./tool-calls.js')

/**
 * @typedef {import('./mcp-server.js').Server} Server
 * @typedef {import('./mcp-server.js').ServerContext} ServerContext
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 */

class ConnectionSession {
  #server
  #registry
  #options
  #states
  #elsewhere
  /** Those of now, once they are asked for. @type {PublishedTools | null} */
  #declarations = null
  /** Ends the news of changes. */
  #unhear = () => {}
  /** The calls of the session, which is created at the first call. @type {Promise<ToolCalls> | null} */
  #calls = null
  /** @type {import('toolgate').Session | null} */
  #session = null
  /** Ends what sources send to the session's client. */
  #detachClient = () => {}
  /** Set by the client before 2026-07-28. @type {string | undefined} */
  #logLevel
  /** Call id (of the gate) → receiver of its progress. @type {Map<string, import('./progress-notifications.js').CallProgress>} */
  #progress = new Map()

  /** @param {Server} server @param {ToolRegistry} registry @param {McpServerOptions} options */
  constructor(server, registry, options) {
    this.#server = server
    this.#registry = registry
    this.#options = options
    this.#elsewhere = new ConsentElsewhere(options)
    this.#states = new RequestStates(registry, options.session?.principal ?? undefined)
  }

  /** @type {import('./mcp-server.js').ServerSession['answer']} */
  async answer(method, params, context) {
    if (method === 'tools/list') return this.#declared().listed
    const call = callParams(method, params)
    const text = stateOf(context)
    const state = text === undefined ? null : await this.#states.open(text, call)
    const calls = await this.#opened(context)
    if (state !== null && state.sessionId !== this.#session?.sessionId) throw invalidState()
    return calls.call(call, context, state)
  }

  /** What is no call has the session's connections to sources. @type {import('./source-requests.js').Enter} */
  async enter(context) {
    await this.#opened(context)
    const { sessionId = '' } = this.#session ?? {}
    const { principal } = this.#options.session ?? {}
    const tools = this.#declared()
    return {
      sessionId,
      ...(typeof principal === 'string' ? { principal } : {}),
      isAllowed: source => tools.hasSource(source),
      client: this.#clientOf(context),
      leave: () => {},
    }
  }

  /** From now on the client hears of changes. */
  join() {
    this.#unhear()
    const server = this.#server
    const tell = (/** @type {() => Promise<void>} */ send) => {
      // Before the handshake a client expects none.
      if (server.getNegotiatedProtocolVersion() !== undefined) send().catch(() => {})
    }
    const registry = internal(this.#registry)
    const unhearTools = registry.onToolsChanged(() => {
      this.#declarations = null
      tell(() => server.sendToolListChanged())
    })
    const unhearLists = registry.mcpSources.onListChanged(list =>
      tell(() => (list === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged())),
    )
    this.#unhear = () => {
      unhearTools()
      unhearLists()
    }
    this.#hearLogLevel()
  }

  /** Ends the session, so that the next client gets a new one. A session with an id of the host is only detached. */
  leave() {
    this.#unhear()
    this.#detachClient()
    const session = this.#session
    this.#session = null
    this.#calls = null
    if (session === null) return
    const left =
      this.#options.session?.sessionId === undefined ? session.end('the MCP client has gone') : session.detach()
    left.catch(() => {})
  }

  /** @param {ServerContext} context @returns {Promise<ToolCalls>} */
  #opened(context) {
    this.#calls ??= this.#open(context)
    // The next request tries again: a store failure may be transient.
    this.#calls.catch(() => {
      this.#calls = null
    })
    return this.#calls
  }

  /** The SDK keeps the level for its own messages. */
  #hearLogLevel() {
    if (internal(this.#registry).mcpSources.forwarded?.offers.has('logging') !== true) return
    this.#server.setRequestHandler('logging/setLevel', ({ params }) => {
      this.#logLevel = params.level
      return {}
    })
  }

  /** @param {ServerContext} context of a request */
  #clientOf(context) {
    const server = this.#server
    const { envelope } = context.mcpReq
    return sourceClient({
      capabilities: this.#elsewhere.reachable(capabilitiesOf(context) ?? server.getClientCapabilities()),
      logLevel: () => (envelope === undefined ? this.#logLevel : logLevelOf(context)),
      owns: () => true,
      notifier: callId => (method, params) => {
        const call = this.#progress.get(callId ?? '')
        if (call !== undefined) return call.notify(method, params)
        return server.notification(/** @type {any} */ ({ method, params }))
      },
      ...(envelope === undefined ? { roots: () => server.listRoots() } : {}),
      updated: uri => void server.sendResourceUpdated({ uri }).catch(() => {}),
    })
  }

  /** @param {Record<string, any> | undefined} capabilities */
  #canAsk(capabilities) {
    return this.#elsewhere.canAsk(capabilities) || answersServers(this.#registry, capabilities)
  }

  #declared() {
    this.#declarations ??= new PublishedTools(this.#registry, this.#options.session)
    return this.#declarations
  }

  /** @param {ServerContext} context */
  async #open(context) {
    const { session: given, turnGapMs, heartbeatMs, meta } = this.#options
    const declarations = () => this.#declared()
    const session = await this.#registry.createSession({
      mode: 'text',
      turnPauseMs: turnGapMs,
      // Without elicitation its user can't be asked, unless elsewhere.
      canAsk: this.#canAsk(capabilitiesOf(context) ?? this.#server.getClientCapabilities()),
      ...given,
      onProgress: news => this.#onProgress(news),
      onNestedConfirmation: asked => this.#onNestedConfirmation(asked),
    })
    this.#session = session
    this.#detachClient()
    this.#detachClient = internal(this.#registry).mcpSources.attach(session.sessionId, this.#clientOf(context))
    // The client may have disconnected while the session was created.
    if (this.#server.transport === undefined) this.leave()
    const parts = { session, declarations, server: this.#server, progress: this.#progress, heartbeatMs, meta }
    return new ToolCalls({ ...parts, rounds: new Rounds(), states: this.#states, elsewhere: this.#elsewhere })
  }

  /**
   * Passes progress on. A nested call has no id and no request, so its progress goes only to the host's listener.
   * @param {import('toolgate').ProgressNews} news
   */
  #onProgress(news) {
    this.#progress.get(news.callId ?? '')?.report(news.update)
    this.#options.session?.onProgress?.(news)
  }

  /** @param {import('toolgate').NestedConfirmation} asked */
  #onNestedConfirmation(asked) {
    const { onNestedConfirmation } = this.#options.session ?? {}
    if (onNestedConfirmation !== undefined) onNestedConfirmation(asked)
    else this.#calls?.then(calls => calls.askNested(asked)).catch(() => {})
  }
}

/** With its internal methods. @param {ToolRegistry} registry */
const internal = registry =>
  /** @type {import('../gate/registry.js').ToolRegistry} */ (/** @type {unknown} */ (registry))

/** The parameters of `tools/call`. @param {string} method @param {Record<string, unknown>} params */
function callParams(method, params) {
  if (method !== 'tools/call') throw methodNotFound()
  if (typeof params.name !== 'string') throw invalidParams('`name` must be the name of a tool')
  return /** @type {import('./tool-calls.js').CallParams} */ (params)
}

/** The `requestState` of a request that answers a question; older revisions have none. @param {ServerContext} context */
const stateOf = ({ mcpReq }) => (mcpReq.envelope === undefined ? undefined : mcpReq.requestState())

/** Whether a server of a source may ask the client itself. @param {ToolRegistry} registry @param {Record<string, any> | undefined} capabilities */
const answersServers = (registry, capabilities) =>
  internal(registry).mcpSources.forwarded?.asksClients === true &&
  (capabilities?.sampling !== undefined || capabilities?.roots !== undefined)

/** From which level on a request of 2026-07-28 wants messages. @param {ServerContext} context @returns {string | undefined} */
const logLevelOf = ({ mcpReq }) =>
  /** @type {Record<string, any> | undefined} */ (mcpReq.envelope)?.[sdk.server.LOG_LEVEL_META_KEY]

/** The client's capabilities, as a request of 2026-07-28 has them. @param {ServerContext} context */
const capabilitiesOf = ({ mcpReq }) =>
  /** @type {Record<string, any> | undefined} */ (mcpReq.envelope)?.[sdk.server.CLIENT_CAPABILITIES_META_KEY]

module.exports = { ConnectionSession, answersServers, callParams, capabilitiesOf, internal, logLevelOf, stateOf }
