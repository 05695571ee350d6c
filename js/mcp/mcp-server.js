'use strict'

// An MCP server over a registry: one for each client. It is the SDK's `Server`, so a host connects it to any transport; what
// stands here answers `tools/list` and `tools/call`, by one session of the gate that ends with its client.

const { version } = require('../../package.json')
const { checkNames, milliseconds } = require('../options.js')
const { sdk } = require('./sdk.js')
const { ToolCalls, invalidParams } = require('./tool-calls.js')

const OPTIONS = ['session', 'info', 'instructions', 'turnGapMs', 'heartbeatMs']
const TIMES = ['turnGapMs', 'heartbeatMs']

const METHOD_NOT_FOUND = -32601

/** What no declaration says, for a model that has met no ToolResponse yet. */
const INSTRUCTIONS = `Every result is a JSON object with \`ok\`. Only \`ok: true\` means that the call has happened. Where \`ok\` is false, \`error.message\` says \
what is wrong and \`error.suggestion\` what to do; call again only where \`error.retryable\` is true, or with corrected arguments after VALIDATION. Where \
\`error.partialSideEffects\` is true, a part may have happened: say so, and do not repeat the call. Some calls are put to the user before they run; only \
the user can confirm them.`

/** The SDK's `Server`, which never is a class of ours before the SDK is there. */
let GateServer

/**
 * @param {import('toolgate').ToolRegistry} registry loaded
 * @param {import('./index').McpServerOptions} [options]
 * @returns {import('@modelcontextprotocol/sdk/server/index.js').Server} not connected yet
 * @throws {TypeError} for an option that does not exist; {@link import('./sdk.js').McpSdkMissing}
 */
function createMcpServer(registry, options = {}) {
  checkNames(options, OPTIONS, 'MCP server')
  for (const name of TIMES) if (options[name] !== undefined) milliseconds(options[name], name)
  if (typeof registry?.getProviderSchemas !== 'function')
    throw new TypeError('`registry` must be a loaded ToolRegistry')
  GateServer ??= gateServer(sdk.Server)
  return new GateServer(registry, options)
}

const gateServer = Server =>
  class extends Server {
    #client

    constructor(registry, options) {
      const { info, instructions = INSTRUCTIONS } = options
      super({ name: 'toolgate', version, ...info }, { capabilities: { tools: {} }, instructions })
      this.#client = new ClientSession(this, registry, options)
      // Not by the SDK's schemas: what is wrong with a call's arguments is data, for the gate to answer and the model to correct.
      this.fallbackRequestHandler = ({ method, params }, extra) => this.#client.answer(method, params ?? {}, extra)
    }

    async connect(transport) {
      await super.connect(transport)
      const heard = transport.onclose
      transport.onclose = () => {
        // The SDK notifies the running requests first, so that they are cancelled, then the session ends.
        heard?.()
        this.#client.leave()
      }
    }
  }

/** What one client has of the registry. */
class ClientSession {
  #server
  #registry
  #options
  #declarations = null
  /** The calls of its session, which is made when the first one comes. */
  #calls = null
  #session = null
  /** Who hears of a call's progress, by the gate's id of it. */
  #progress = new Map()

  constructor(server, registry, options) {
    this.#server = server
    this.#registry = registry
    this.#options = options
  }

  async answer(method, params, extra) {
    if (method === 'tools/list') return { tools: [...this.#declared().values()] }
    if (method !== 'tools/call') throw Object.assign(new Error('Method not found'), { code: METHOD_NOT_FOUND })
    if (typeof params.name !== 'string') throw invalidParams('`name` must be the name of a tool')
    this.#calls ??= this.#open()
    // A store that fails now may work for the next call.
    this.#calls.catch(() => {
      this.#calls = null
    })
    return (await this.#calls).call(params, extra)
  }

  /** Nothing of it is left for another client: a new one gets a session of its own, unless the host has named it. */
  leave() {
    const session = this.#session
    this.#session = null
    this.#calls = null
    if (session === null) return
    const left =
      this.#options.session?.sessionId === undefined ? session.end('the MCP client has gone') : session.detach()
    left.catch(() => {})
  }

  /** As they were at first, also after a reload: the session keeps the tool set that it started with. */
  #declared() {
    const mode = this.#options.session?.mode ?? 'text'
    this.#declarations ??= new Map(this.#registry.getProviderSchemas('mcp', { mode }).map(tool => [tool.name, tool]))
    return this.#declarations
  }

  async #open() {
    const { session: given, turnGapMs, heartbeatMs } = this.#options
    const declarations = this.#declared()
    const session = await this.#registry.createSession({
      mode: 'text',
      ...given,
      onProgress: news => this.#heard(news),
    })
    this.#session = session
    // It may have gone while the store was asked.
    if (this.#server.transport === undefined) this.leave()
    return new ToolCalls({
      session,
      declarations,
      server: this.#server,
      progress: this.#progress,
      turnGapMs,
      heartbeatMs,
    })
  }

  /** A call that a handler makes has no id, and no request of its own. */
  #heard(news) {
    this.#progress.get(news.callId)?.news(news.update)
    this.#options.session?.onProgress?.(news)
  }
}

module.exports = { OPTIONS, createMcpServer }
