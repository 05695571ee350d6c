'use strict'

// What sources offer beside tools, for MCP clients: resources, prompts, completion and messages for the log. The requests pass no
// gate; a session gets them of the sources whose tools it is declared.

const { UnaskableQuestion } = require('../sources/asked-question.js')
const { offered } = require('../sources/call-handler.js')
const { formOf } = require('../sources/forwarded-question.js')
const { answersMethod } = require('../sources/client-methods.js')
const { LISTS } = require('../sources/list-pages.js')
const { isInstance, memberOf, messageOf } = require('../values/foreign.js')
const { invalidParams } = require('./protocol-error.js')
const { sdk } = require('./sdk.js')

/**
 * @typedef {import('@modelcontextprotocol/server').Server} Server
 * @typedef {import('@modelcontextprotocol/server').ServerContext} ServerContext
 * @typedef {import('@modelcontextprotocol/server').RequestMethod} RequestMethod
 * @typedef {import('../sources/forwarded.js').Forwarded} Forwarded
 * @typedef {import('../sources/types.js').ForwardOptions} ForwardOptions
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 *
 * @typedef {object} RequestSender who sends a request
 * @property {string | undefined} sessionId whose connections to sources it uses; undefined: of no session
 * @property {string} [principal]
 * @property {(source: string) => boolean} isAllowed
 * @property {import('../sources/types.js').SourceClient} client
 * @property {() => void} leave the request is answered
 *
 * @typedef {(context: ServerContext, method: string) => Promise<RequestSender>} Enter
 */

/** A request of a client that does not end it. */
const MAX_REQUEST_MS = 5 * 60_000
const INTERNAL = -32_603
/** What a server has beside tools, as capabilities. @param {Forwarded | null} forwarded @param {boolean} isAlone whether each request has a server of its own */
function capabilitiesOf(forwarded, isAlone) {
  const offers = forwarded?.offers ?? new Set()
  return {
    ...(offers.has('prompts') && { prompts: { listChanged: true } }),
    ...(offers.has('resources') && { resources: { listChanged: true, ...(!isAlone && { subscribe: true }) } }),
    ...(offers.has('completions') && { completions: {} }),
    ...(offers.has('logging') && { logging: {} }),
  }
}

class SourceRequests {
  #server
  #forwarded
  #enter

  /** @param {Server} server @param {() => Forwarded | null} forwarded those of now @param {Enter} enter */
  constructor(server, forwarded, enter) {
    this.#server = server
    this.#forwarded = forwarded
    this.#enter = enter
  }

  /** Has the server answer what its capabilities say. @param {ReturnType<typeof capabilitiesOf>} capabilities */
  serve({ prompts, resources, completions }) {
    for (const { method, offer } of Object.values(LISTS)) {
      if (offer === 'prompts' ? prompts : resources)
        this.#on(/** @type {RequestMethod} */ (method), (_, ...given) => this.#now.list(method, ...given))
    }
    if (prompts) this.#on('prompts/get', (...given) => this.#now.prompt(...given))
    if (resources) this.#on('resources/read', (...given) => this.#now.read(...given))
    if (completions) this.#on('completion/complete', (...given) => this.#now.complete(...given))
    // Clients of 2026-07-28 listen instead.
    if (resources && 'subscribe' in resources) {
      this.#on('resources/subscribe', ({ uri }, ...given) => this.#now.subscribe(uri, true, ...given))
      this.#on('resources/unsubscribe', ({ uri }, ...given) => this.#now.subscribe(uri, false, ...given))
    }
  }

  get #now() {
    const forwarded = this.#forwarded()
    if (forwarded === null) throw unknown()
    return forwarded
  }

  /**
   * @param {RequestMethod} method
   * @param {(params: JsonObject, isAllowed: RequestSender['isAllowed'], optionsFor: import('../sources/forwarded.js').OptionsFor) =>
   *   Promise<JsonObject | null>} answer null: no source offers it
   */
  #on(method, answer) {
    this.#server.setRequestHandler(
      method,
      /** @param {{ params?: JsonObject }} request @param {ServerContext} context @returns {Promise<any>} */
      async ({ params = {} }, context) => {
        const sender = await this.#enter(context, method)
        try {
          const { requestState, inputResponses } = context.mcpReq
          const state = requestState()
          const given = {
            ...withoutMeta(params),
            ...(inputResponses !== undefined && { inputResponses }),
            ...(typeof state === 'string' && { requestState: state }),
          }
          const result = await answer(given, sender.isAllowed, server => optionsFor(server, sender, context, params))
          if (result === null) throw unknown(params)
          return ownResult(result)
        } catch (error) {
          throw protocolError(error, params)
        } finally {
          sender.leave()
        }
      },
    )
  }
}

/**
 * @param {import('../sources/forwarded.js').Server} server @param {RequestSender} sender @param {ServerContext} context @param {JsonObject} params
 * @returns {ForwardOptions}
 */
function optionsFor({ source: { name, config } }, { sessionId, principal, client }, { mcpReq }, params) {
  const capabilities = offered(config, client)
  const { progressToken } = params._meta ?? {}
  const isAlone = mcpReq.envelope !== undefined
  const notify = (/** @type {string} */ method, /** @type {JsonObject} */ said) =>
    mcpReq.notify(/** @type {any} */ ({ method, params: said })).catch(() => {})
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(principal === undefined ? {} : { principal }),
    signal: AbortSignal.any([mcpReq.signal, AbortSignal.timeout(MAX_REQUEST_MS)]),
    capabilities,
    ...(client.logLevel === undefined ? {} : { logLevel: client.logLevel }),
    onLog: said => client.log(name, said),
    ...(progressToken === undefined
      ? {}
      : { progress: news => void notify('notifications/progress', { progressToken, ...news }) }),
    // A client of 2026-07-28 is asked by results only.
    ...(isAlone ? {} : questionsTo(name, capabilities, mcpReq)),
  }
}

/** What the server asks while a request runs is put to the client of it. @param {string} source @param {JsonObject} capabilities @param {ServerContext['mcpReq']} request @returns {Pick<ForwardOptions, 'onQuestion' | 'onClientRequest'>} */
function questionsTo(source, capabilities, { send, signal }) {
  const ask = (/** @type {string} */ method, /** @type {JsonObject} */ params) =>
    send(/** @type {any} */ ({ method, params }), { signal, timeout: MAX_REQUEST_MS })
  return {
    onQuestion: async params => {
      if (capabilities.elicitation === undefined) return { action: 'decline' }
      try {
        return /** @type {any} */ (await ask('elicitation/create', formOf(source, params)))
      } catch (error) {
        return { action: isInstance(error, UnaskableQuestion) ? 'decline' : 'cancel' }
      }
    },
    onClientRequest: async (method, params) => {
      if (!answersMethod(capabilities, method)) return undefined
      return /** @type {any} */ (await ask(method, params))
    },
  }
}

/** @param {JsonObject} params */
const withoutMeta = ({ _meta, ...params }) => params

/** Without what belongs to the connection to the source. @param {JsonObject} result @returns {JsonObject} */
function ownResult({ resultType, ttlMs, cacheScope, _meta, ...result }) {
  return resultType === 'input_required' ? { resultType, ...result } : result
}

/** @param {JsonObject} [params] */
const unknown = (params = {}) =>
  invalidParams('no source offers it', typeof params.uri === 'string' ? { uri: params.uri } : undefined)

/** What a server answered as an error is the client's error; any other is ours. @param {unknown} error @param {JsonObject} params */
function protocolError(error, { uri }) {
  const { ProtocolError } = sdk.server
  const [code, message] = [memberOf(error, 'code'), messageOf(error).slice(0, 500)]
  if (!Number.isInteger(code)) return new ProtocolError(INTERNAL, message)
  const data = memberOf(error, 'data')
  // The client knows the resource by another URI than the server.
  const isNamed = typeof uri === 'string' && typeof memberOf(data, 'uri') === 'string'
  return new ProtocolError(Number(code), message, isNamed ? { ...Object(data), uri } : data)
}

module.exports = { SourceRequests, capabilitiesOf }
