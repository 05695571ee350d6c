'use strict'

// An MCP server over a registry: the SDK's `Server`, so a host connects it to any transport. It is the factory of both generations:
// one for each client that keeps a connection, and one for each request of the revision 2026-07-28 over HTTP.

const { version } = require('../../package.json')
const { checkOptionNames, milliseconds } = require('../gate/option-checks.js')
const { checkModelMeta } = require('../answers/views.js')
const { ConnectionSession, internal } = require('./connection-session.js')
const { checkConsent } = require('./consent-elsewhere.js')
const { SourceRequests, capabilitiesOf } = require('./source-requests.js')
const { sdk } = require('./sdk.js')

const CONSENT_OPTIONS = ['consent', 'consentWaitMs', 'consentPlace']
const OPTIONS = ['session', 'info', 'instructions', 'turnGapMs', 'heartbeatMs', 'meta', ...CONSENT_OPTIONS]
const TIMES = /** @type {const} */ (['turnGapMs', 'heartbeatMs', 'consentWaitMs'])

/** Instructions for the model: how to read a ToolResponse. Declarations do not contain this. */
const INSTRUCTIONS = `Every result is a JSON object with \`ok\`. Only \`ok: true\` means that the call has happened. Where \`ok\` is false, \`error.message\` says \
what is wrong and \`error.suggestion\` what to do; call again only where \`error.retryable\` is true, or with corrected arguments after VALIDATION. Where \
\`error.partialSideEffects\` is true, a part may have happened: say so, and do not repeat the call. Some calls are put to the user before they run; only \
the user can confirm them.`

/**
 * @typedef {import('@modelcontextprotocol/server').Server} Server
 * @typedef {import('@modelcontextprotocol/server').ServerContext} ServerContext
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('./index.js').McpServerOptions} McpServerOptions
 * @typedef {object} ServerSession what answers a server's requests
 * @property {(method: string, params: Record<string, unknown>, context: ServerContext) => Promise<Record<string, unknown>>} answer
 * @property {() => void} join a client can be notified of changes from now on
 * @property {() => void} leave the client has gone
 * @property {import('./source-requests.js').Enter} enter where what is no call is sent from
 * @typedef {object} ServerParts
 * @property {ToolRegistry} registry
 * @property {(server: Server) => ServerSession} open
 * @property {boolean} isAlone whether the server answers one request only
 */

/**
 * The SDK's `Server`; a function, because the SDK is loaded only when needed.
 * @type {(new (options: McpServerOptions, parts: ServerParts) => Server) | undefined}
 */
let GateServer

/**
 * @param {ToolRegistry} registry loaded
 * @param {McpServerOptions} [options]
 * @returns {Server} not connected yet
 * @throws {TypeError} for an option that does not exist; {@link import('./sdk.js').McpSdkMissing}
 */
function createMcpServer(registry, options = {}) {
  checkOptionNames(options, OPTIONS, 'MCP server')
  for (const name of TIMES) if (options[name] !== undefined) milliseconds(options[name], name)
  if (options.meta !== undefined) checkModelMeta(options.meta)
  checkConsent(options)
  if (typeof registry?.getProviderSchemas !== 'function')
    throw new TypeError('`registry` must be a loaded ToolRegistry')
  const open = (/** @type {Server} */ server) => new ConnectionSession(server, registry, options)
  return serverOf(options, { registry, open, isAlone: false })
}

/** @param {McpServerOptions} options checked @param {ServerParts} parts @returns {Server} */
function serverOf(options, parts) {
  GateServer ??= gateServer(sdk.server.Server)
  return new GateServer(options, parts)
}

/** @param {typeof import('@modelcontextprotocol/server').Server} Server */
const gateServer = Server =>
  class extends Server {
    #session

    /** @param {McpServerOptions} options @param {ServerParts} parts */
    constructor({ info, instructions = INSTRUCTIONS }, { registry, open, isAlone }) {
      const { mcpSources } = internal(registry)
      const offered = capabilitiesOf(mcpSources.forwarded, isAlone)
      const capabilities = { tools: { listChanged: true }, ...offered }
      super({ name: 'toolgate', version, ...info }, { capabilities, instructions })
      this.#session = open(this)
      new SourceRequests(
        this,
        () => mcpSources.forwarded,
        (context, method) => this.#session.enter(context, method),
      ).serve(offered)
      // The SDK's schemas are bypassed: the gate must answer invalid arguments, so that the model can correct them.
      /** @param {import('@modelcontextprotocol/server').JSONRPCRequest} request @param {ServerContext} context */
      this.fallbackRequestHandler = ({ method, params }, context) => this.#session.answer(method, params ?? {}, context)
    }

    /** @param {import('@modelcontextprotocol/server').Transport} transport */
    async connect(transport) {
      await super.connect(transport)
      this.#session.join()
      const heard = transport.onclose
      transport.onclose = () => {
        // The SDK aborts the running requests first, so that their calls are cancelled; then the session ends.
        heard?.()
        this.#session.leave()
      }
    }
  }

module.exports = { OPTIONS, createMcpServer, serverOf }
