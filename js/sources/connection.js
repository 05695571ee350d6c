'use strict'

// One connection to one server: the SDK's client on a bounded transport.

const { sdk } = require('../mcp/sdk.js')
const { memberOf, messageOf } = require('../values/foreign.js')
const { version } = require('../../package.json')
const { BoundedHttp } = require('./http-transport.js')
const { BoundedStdio } = require('./bounded-stdio.js')
const { ChangeStreams } = require('./change-streams.js')
const { listTools } = require('./list-pages.js')
const { Redaction } = require('./redaction.js')
const { expandedTransport, programEnvironment, secretsOf } = require('./variables.js')

/** @typedef {import('./types.js').SourceConfig} SourceConfig */
/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/**
 * @typedef {object} ConnectionOptions
 * @property {import('./types.js').Variables} [env] whose variables the configuration names. Default: the process's
 * @property {import('./types.js').Era | 'auto'} [era] what the server speaks. Default: `legacy` for a program, because a probe
 *   ends some of them; `auto` for a URL
 * @property {string} [protocolVersion] of the era `modern`
 * @property {import('./types.js').QuestionHandler} [onQuestion] answers an elicitation. Default: it is declined
 * @property {import('./types.js').ClientRequestHandler} [onClientRequest] answers what only an MCP client can. Default: it is refused
 * @property {() => string | undefined} [token] the bearer token of the next HTTP request
 * @property {import('./types.js').SourceLog} [log]
 */

/** The largest delay of a timer. The caller's signal is the deadline: the SDK's timeout does not stop while a user is asked. */
const NO_TIMEOUT = 2 ** 31 - 1
/** How long a program may be silent about `server/discover` before it counts as one of an older era. */
const PROBE_MS = 3000
const FIRST_MODERN_VERSION = '2026-07-28'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** The name of the announcements that are of no single resource. */
const LISTS = 'lists'
/** Members of a report that a server may fill with any text. */
const MAX_PROGRESS_TEXT = 1000
const LATE_REPORT = 'Received a progress notification for an unknown token'
/** More different errors of one connection are not logged. */
const MAX_ERRORS = 100
const MAX_ERROR_TEXT = 500

/** Accepts any object: whoever uses a result checks its shape. @type {import('@modelcontextprotocol/client').StandardSchemaV1<unknown, JsonObject>} */
const AS_SENT = {
  '~standard': {
    version: 1,
    vendor: 'toolgate',
    validate: value => ({ value: /** @type {JsonObject} */ (value) }),
  },
}

class Connection {
  #name
  #config
  #options
  /** @type {import('@modelcontextprotocol/client').Client | undefined} */
  #client
  /** @type {BoundedStdio | BoundedHttp | undefined} */
  #transport

  /** The errors that were logged. @type {Set<string>} */
  #said = new Set()
  /** The level that the server was last given. @type {string | undefined} */
  #logLevel
  /** Of a server of 2026-07-28. @type {ChangeStreams | undefined} */
  #streams

  /** @type {(() => void) | undefined} */
  onclose
  /** The server says that its tools changed. @type {(() => void) | undefined} */
  ontoolschanged
  /** Any other news of the server. @type {((method: string, params: JsonObject) => void) | undefined} */
  onnews

  /** @param {string} name of the source @param {SourceConfig} config @param {ConnectionOptions} [options] */
  constructor(name, config, options = {}) {
    this.#name = name
    this.#config = config
    this.#options = options
  }

  /** The bound that the server broke. */
  get fault() {
    return this.#transport?.fault
  }

  /** The process id of the program. */
  get pid() {
    return this.#transport instanceof BoundedStdio ? this.#transport.pid : null
  }

  /** @returns {Promise<import('./types.js').ServerFacts>} */
  async open() {
    const { connectMs } = this.#config.limits
    const client = this.#newClient()
    /** @type {BoundedStdio | BoundedHttp | undefined} */
    let transport
    try {
      transport = this.#newTransport()
      this.#transport = transport
      this.#client = client
      await within(connectMs, client.connect(transport, { timeout: connectMs }))
      await this.#subscribe(client)
    } catch (error) {
      await this.close()
      throw this.#redaction.error(transport?.fault === undefined ? error : new Error(transport.fault, { cause: error }))
    }
    return facts(client)
  }

  /** @returns {Promise<Map<string, import('./types.js').PublishedTool>>} the tools by name, as published */
  async list() {
    const { limits } = this.#config
    const options = { timeout: NO_TIMEOUT, signal: AbortSignal.timeout(limits.connectMs) }
    return listTools((method, params) => this.#request(method, params, options), limits)
  }

  /**
   * The server's answer as it is. An `input_required` result of 2026-07-28 is answered by the same call with `round`.
   * @param {string} tool its published name
   * @param {JsonObject} args
   * @param {import('./types.js').RequestOptions} options
   * @returns {Promise<import('./types.js').CallResult>}
   */
  async call(tool, args, { meta, round, ...options }) {
    const params = { name: tool, arguments: args, ...round, ...(meta === undefined ? {} : { _meta: meta }) }
    const result = await this.request('tools/call', params, options)
    if (result.isError === true) return this.#redacted(result)
    const { resultType, inputRequests } = result
    if (resultType !== 'input_required' || typeof inputRequests !== 'object' || inputRequests === null) return result
    const asked = Object.entries(inputRequests).map(([name, one]) => [name, this.#askedText(one)])
    return { ...result, inputRequests: Object.fromEntries(asked) }
  }

  /** A question whose text has no secret; its form goes back to the server as it is. @param {JsonObject} request */
  #askedText(request) {
    const message = memberOf(memberOf(request, 'params'), 'message')
    if (typeof message !== 'string') return request
    return { ...request, params: { ...request.params, message: this.#redaction.text(message) } }
  }

  /**
   * @param {string} method @param {JsonObject} params @param {import('./types.js').RequestOptions} options
   * @returns {Promise<JsonObject>} as the server sent it
   */
  async request(method, params, { signal, onprogress, logLevel, capabilities }) {
    await this.#useLogLevel(logLevel)
    this.#streams?.renew()
    const meta = this.#isModern
      ? {
          ...(logLevel === undefined ? {} : { [LOG_LEVEL]: logLevel }),
          ...(capabilities === undefined ? {} : { [CLIENT_CAPABILITIES]: capabilities }),
        }
      : {}
    const own = Object.keys(meta).length === 0 ? {} : { _meta: { ...params._meta, ...meta } }
    return this.#request(
      method,
      { ...params, ...own },
      {
        signal,
        timeout: NO_TIMEOUT,
        allowInputRequired: true,
        ...(onprogress === undefined ? {} : { onprogress: report => onprogress(progressOf(this.#redacted(report))) }),
      },
    )
  }

  /** Hears of changes of a resource, or no more. @param {string} uri @param {boolean} isWanted @param {AbortSignal} signal */
  async subscribeTo(uri, isWanted, signal) {
    const options = { signal, timeout: this.#config.limits.connectMs }
    const streams = this.#streams
    if (streams === undefined) await this.#request(`resources/${isWanted ? '' : 'un'}subscribe`, { uri }, options)
    else await this.#hiding(isWanted ? streams.begin(uri, { resourceSubscriptions: [uri] }) : streams.end(uri))
  }

  async close() {
    await this.#client?.close().catch(() => {})
    // A client that is not connected does not know its transport.
    await this.#transport?.close().catch(() => {})
  }

  /** @param {string} method @param {JsonObject} params @param {import('@modelcontextprotocol/client').RequestOptions} options */
  async #request(method, params, options) {
    const client = this.#client
    if (client === undefined) throw new Error('the connection is not open')
    return this.#hiding(client.request({ method, params }, AS_SENT, options))
  }

  /** Without secrets in its error. @template T @param {Promise<T>} answer @returns {Promise<T>} */
  #hiding(answer) {
    return answer.catch(error => {
      throw this.#redaction.error(error)
    })
  }

  /** What a server logs is read by others; the names of resources stay as they are. @param {string} method @param {JsonObject} params */
  #shown(method, params) {
    return method === 'notifications/message' ? this.#redacted(params) : params
  }

  /** @template {object} T @param {T} said @returns {T} */
  #redacted(said) {
    return /** @type {T} */ (this.#redaction.value(said))
  }

  /** What must not be said: the values of the configuration's variables, and the token. */
  get #redaction() {
    const { env = process.env, token } = this.#options
    return new Redaction([...secretsOf(this.#config, env), token?.()])
  }

  get #isModern() {
    return this.#client?.getProtocolEra() === 'modern'
  }

  /** A server before 2026-07-28 keeps the level. @param {string | undefined} level */
  async #useLogLevel(level) {
    if (level === undefined || level === this.#logLevel || this.#isModern) return
    if (this.#client?.getServerCapabilities()?.logging === undefined) return
    this.#logLevel = level
    const options = { timeout: this.#config.limits.connectMs }
    await this.#request('logging/setLevel', { level }, options).catch(error => this.#log({ error: messageOf(error) }))
  }

  #newClient() {
    const capabilities = offeredCapabilities(this.#config)
    const client = new sdk.client.Client(
      { name: 'toolgate', version },
      {
        capabilities,
        versionNegotiation: { mode: this.#mode(), ...(this.#isProgram ? { probe: { timeoutMs: PROBE_MS } } : {}) },
        inputRequired: { autoFulfill: false },
      },
    )
    if (capabilities.elicitation) client.setRequestHandler('elicitation/create', ({ params }) => this.#answer(params))
    if (capabilities.sampling)
      client.setRequestHandler('sampling/createMessage', ({ method, params }) => this.#asked(method, params))
    if (capabilities.roots)
      client.setRequestHandler('roots/list', ({ method, params }) => this.#asked(method, params ?? {}))
    client.fallbackNotificationHandler = async ({ method, params = {} }) =>
      this.onnews?.(method, this.#shown(method, params))
    client.setNotificationHandler('notifications/tools/list_changed', () => this.ontoolschanged?.())
    client.onclose = () => this.onclose?.()
    client.onerror = error => {
      const said = messageOf(error)
      // The last report comes with the answer, after which the SDK does not know its token.
      if (!said.startsWith(LATE_REPORT)) this.#log({ error: said })
    }
    return client
  }

  /** @param {JsonObject} params @returns {Promise<{ action: 'accept' | 'decline' | 'cancel' }>} */
  async #answer(params) {
    try {
      const { params: asked } = this.#askedText({ params })
      return { ...((await this.#options.onQuestion?.(asked)) ?? { action: 'decline' }) }
    } catch (error) {
      // The SDK would send the text of the error to the server.
      this.#log({ error: messageOf(error) })
      return { action: 'cancel' }
    }
  }

  /** @param {import('./types.js').ClientMethod} method @param {JsonObject} params @returns {Promise<any>} */
  async #asked(method, params) {
    const { ProtocolError, ProtocolErrorCode } = sdk.client
    try {
      const answer = await this.#options.onClientRequest?.(method, params)
      if (answer !== undefined) return answer
    } catch (error) {
      // The SDK would send the text of the error to the server.
      this.#log({ error: messageOf(error) })
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'this client does not answer it')
  }

  get #isProgram() {
    return 'command' in this.#config.transport
  }

  #mode() {
    const { era = this.#isProgram ? 'legacy' : 'auto', protocolVersion = FIRST_MODERN_VERSION } = this.#options
    return era === 'modern' ? { pin: protocolVersion } : era
  }

  #newTransport() {
    const { env = process.env, token } = this.#options
    const { limits } = this.#config
    const transport = expandedTransport(this.#name, this.#config, env)
    if ('url' in transport) return new BoundedHttp(transport, { limits, ...(token === undefined ? {} : { token }) })
    return new BoundedStdio(
      { ...transport, env: programEnvironment(transport.env ?? {}, env) },
      { limits, onStderr: text => this.#log({ stderr: text }) },
    )
  }

  /** From 2026-07-28 on a server announces changes only to those who listen. @param {import('@modelcontextprotocol/client').Client} client */
  async #subscribe(client) {
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
    const wanted = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
    }
    if (client.getProtocolEra() !== 'modern') return
    const unheard = (/** @type {unknown} */ error) =>
      this.#log({ error: `no announcements of changes: ${messageOf(error)}` })
    this.#streams = new ChangeStreams(client, this.#config.limits.connectMs, unheard)
    // Without them, the list that comes every few minutes finds changes of tools.
    if (Object.keys(wanted).length > 0) await this.#streams.begin(LISTS, wanted).catch(unheard)
  }

  /** @param {{ error?: string, stderr?: string }} entry */
  #log({ error, stderr }) {
    const log = this.#options.log
    if (stderr !== undefined) log?.({ source: this.#name, stderr: this.#redaction.text(stderr) })
    if (error === undefined) return
    const shown = this.#redaction.text(error).slice(0, MAX_ERROR_TEXT)
    // A program that prints what is no message does it at each call.
    if (this.#said.has(shown) || this.#said.size >= MAX_ERRORS) return
    this.#said.add(shown)
    log?.({ source: this.#name, error: shown })
  }
}

/** What the gate can do for a server. @param {SourceConfig} config @returns {import('@modelcontextprotocol/client').ClientCapabilities} */
const offeredCapabilities = ({ elicitation, sampling, roots }) => ({
  ...(elicitation === 'ask' && { elicitation: { form: {} } }),
  ...(sampling && { sampling: {} }),
  ...(roots && { roots: {} }),
})

/** @template T @param {number} ms @param {Promise<T>} promise @returns {Promise<T>} */
async function within(ms, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error(`the server did not connect within ${ms} ms`), { code: 'CONNECT_TIMEOUT' })),
      ms,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** @param {import('@modelcontextprotocol/client').Client} client @returns {import('./types.js').ServerFacts} */
function facts(client) {
  const [serverInfo, instructions] = [client.getServerVersion(), client.getInstructions()]
  return {
    era: client.getProtocolEra() ?? 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    capabilities: client.getServerCapabilities() ?? {},
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}

/** @param {import('@modelcontextprotocol/client').Progress} report @returns {import('./types.js').Progress} */
function progressOf({ progress, total, message }) {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: message.slice(0, MAX_PROGRESS_TEXT) }),
  }
}

module.exports = { Connection, FIRST_MODERN_VERSION, offeredCapabilities }
