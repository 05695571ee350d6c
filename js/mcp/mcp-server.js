'use strict'

// An MCP server over a registry, one for each client. It is the SDK's `Server`, so a host connects it to any transport.
// It answers `tools/list` and `tools/call` through one session of the gate, which ends with its client.

const { version } = require('../../package.json')
const { checkOptionNames, milliseconds } = require('../gate/option-checks.js')
const { checkModelMeta } = require('../answers/views.js')
const { clientSchema } = require('./client-schema.js')
const { sdk } = require('./sdk.js')
const { ToolCalls, invalidParams } = require('./tool-calls.js')

const OPTIONS = ['session', 'info', 'instructions', 'turnGapMs', 'heartbeatMs', 'meta']
const TIMES = /** @type {const} */ (['turnGapMs', 'heartbeatMs'])

const METHOD_NOT_FOUND = -32601

/** Instructions for the model: how to read a ToolResponse. Declarations do not contain this. */
const INSTRUCTIONS = `Every result is a JSON object with \`ok\`. Only \`ok: true\` means that the call has happened. Where \`ok\` is false, \`error.message\` says \
what is wrong and \`error.suggestion\` what to do; call again only where \`error.retryable\` is true, or with corrected arguments after VALIDATION. Where \
\`error.partialSideEffects\` is true, a part may have happened: say so, and do not repeat the call. Some calls are put to the user before they run; only \
the user can confirm them.`

/**
 * @typedef {import('@modelcontextprotocol/sdk/server/index.js').Server} Server
 * @typedef {import('@modelcontextprotocol/sdk/types.js').ServerResult} ServerResult
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 * @typedef {import('./tool-calls.js').RequestExtra} RequestExtra
 */

/**
 * The SDK's `Server`; a function, because the SDK is loaded only when needed.
 * @type {(new (registry: ToolRegistry, options: McpServerOptions) => Server) | undefined}
 */
let GateServer

/**
 * @param {import('toolgate').ToolRegistry} registry loaded
 * @param {import('./index').McpServerOptions} [options]
 * @returns {import('@modelcontextprotocol/sdk/server/index.js').Server} not connected yet
 * @throws {TypeError} for an option that does not exist; {@link import('./sdk.js').McpSdkMissing}
 */
function createMcpServer(registry, options = {}) {
  checkOptionNames(options, OPTIONS, 'MCP server')
  for (const name of TIMES) if (options[name] !== undefined) milliseconds(options[name], name)
  if (options.meta !== undefined) checkModelMeta(options.meta)
  if (typeof registry?.getProviderSchemas !== 'function')
    throw new TypeError('`registry` must be a loaded ToolRegistry')
  GateServer ??= gateServer(sdk.Server)
  return new GateServer(registry, options)
}

/** @param {typeof import('@modelcontextprotocol/sdk/server/index.js').Server} Server */
const gateServer = Server =>
  class extends Server {
    #client

    /** @param {ToolRegistry} registry @param {McpServerOptions} options */
    constructor(registry, options) {
      const { info, instructions = INSTRUCTIONS } = options
      super({ name: 'toolgate', version, ...info }, { capabilities: { tools: {} }, instructions })
      this.#client = new ClientSession(this, registry, options)
      // The SDK's schemas are bypassed: the gate must answer invalid arguments, so that the model can correct them.
      /** @param {import('@modelcontextprotocol/sdk/types.js').JSONRPCRequest} request @param {RequestExtra} extra */
      this.fallbackRequestHandler = ({ method, params }, extra) => this.#client.answer(method, params ?? {}, extra)
    }

    /** @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport */
    async connect(transport) {
      await super.connect(transport)
      const heard = transport.onclose
      transport.onclose = () => {
        // The SDK aborts the running requests first, so that their calls are cancelled; then the session ends.
        heard?.()
        this.#client.leave()
      }
    }
  }

/** The gate session and the declarations of one client. */
class ClientSession {
  #server
  #registry
  #options
  /** @type {Map<string, import('./call-result.js').McpTool> | null} */
  #declarations = null
  /** The calls of the session, which is created at the first call. @type {Promise<ToolCalls> | null} */
  #calls = null
  /** @type {import('toolgate').Session | null} */
  #session = null
  /**
   * Call id (of the gate) → receiver of its progress.
   * @type {Map<string, import('./call-progress.js').CallProgress>}
   */
  #progress = new Map()

  /** @param {Server} server @param {ToolRegistry} registry @param {McpServerOptions} options */
  constructor(server, registry, options) {
    this.#server = server
    this.#registry = registry
    this.#options = options
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {RequestExtra} extra
   * @returns {Promise<ServerResult>}
   */
  async answer(method, params, extra) {
    if (method === 'tools/list') return { tools: [...this.#declared().values()] }
    if (method !== 'tools/call') throw Object.assign(new Error('Method not found'), { code: METHOD_NOT_FOUND })
    if (typeof params.name !== 'string') throw invalidParams('`name` must be the name of a tool')
    this.#calls ??= this.#open()
    // The next call tries again: a store failure may be transient.
    this.#calls.catch(() => {
      this.#calls = null
    })
    return (await this.#calls).call(/** @type {import('./tool-calls.js').CallParams} */ (params), extra)
  }

  /** Ends the session, so that the next client gets a new one. A session with an id of the host is only detached. */
  leave() {
    const session = this.#session
    this.#session = null
    this.#calls = null
    if (session === null) return
    const left =
      this.#options.session?.sessionId === undefined ? session.end('the MCP client has gone') : session.detach()
    left.catch(() => {})
  }

  /** The declarations at the first request, also after a reload: the session keeps its tool set. */
  #declared() {
    const { mode = 'text', roles } = this.#options.session ?? {}
    const declared = () =>
      this.#registry
        .getProviderSchemas('mcp', { mode, roles })
        .map(tool => /** @type {const} */ ([tool.name, published(tool)]))
    this.#declarations ??= new Map(declared())
    return this.#declarations
  }

  async #open() {
    const { session: given, turnGapMs, heartbeatMs, meta } = this.#options
    const declarations = this.#declared()
    const session = await this.#registry.createSession({
      mode: 'text',
      turnPauseMs: turnGapMs,
      // Without elicitation its user can't be asked.
      canAsk: this.#server.getClientCapabilities()?.elicitation?.form !== undefined,
      ...given,
      onProgress: news => this.#onProgress(news),
      onNestedConfirmation: asked => this.#onNestedConfirmation(asked),
    })
    this.#session = session
    // The client may have disconnected while the session was created.
    if (this.#server.transport === undefined) this.leave()
    return new ToolCalls({
      session,
      declarations,
      server: this.#server,
      progress: this.#progress,
      heartbeatMs,
      meta,
    })
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

/** A declaration whose schemas every client reads alike. @param {import('./call-result.js').McpTool} tool */
function published({ inputSchema, outputSchema, ...tool }) {
  const given = outputSchema === undefined ? {} : { outputSchema: clientSchema(outputSchema) }
  return /** @type {import('./call-result.js').McpTool} */ ({
    ...tool,
    inputSchema: clientSchema(inputSchema),
    ...given,
  })
}

module.exports = { OPTIONS, createMcpServer }
