'use strict'

// What sources offer beside tools: resources, prompts and completion, under each source's prefix. A request is no call: it has no
// policy and no record, and is answered or fails as the server says.

const { memberOf, messageOf } = require('../values/foreign.js')
const { askableResult } = require('./forwarded-question.js')
const { LISTS, listItems } = require('./list-pages.js')
const { isOfWeb, prefixOf, uriPrefix, withPublicUri, withPublicUris } = require('./source-prefix.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {(source: string) => boolean} IsAllowed whether a session gets what a source offers */
/** @typedef {{ source: import('./source.js').Source, offers: string[], prefix: string, uriPrefix: string }} Server */
/** @typedef {{ server: Server, rest: string }} Candidate `rest`: the name or URI as the server knows it */
/** @typedef {(server: Server) => ForwardOptions} OptionsFor */

const METHOD_NOT_FOUND = -32601
/** What is not there: -32002 before 2026-07-28. */
const UNKNOWN = new Set([-32602, -32002])

class Forwarded {
  #servers
  #log

  /** @param {{ source: Server['source'], offers: string[] }[]} servers @param {import('./types.js').SourceLog} log */
  constructor(servers, log) {
    this.#servers = servers.map(({ source, offers }) => ({
      source,
      offers,
      prefix: prefixOf(source.name, source.config),
      uriPrefix: uriPrefix(source.name, source.config),
    }))
    this.#log = log
  }

  /** What at least one server offers. @returns {Set<string>} */
  get offers() {
    return new Set(this.#servers.flatMap(({ offers }) => offers))
  }

  /** Whether a server may ask MCP clients for completions or folders. */
  get asksClients() {
    return this.#servers.some(({ source: { config } }) => config.sampling || config.roots)
  }

  /**
   * What all servers list. One that can't be reached does not take the others' away.
   * @param {string} method @param {IsAllowed} isAllowed @param {OptionsFor} optionsFor
   * @returns {Promise<JsonObject>}
   */
  async list(method, isAllowed, optionsFor) {
    const kind = LISTS[method]
    const servers = this.#offering(kind.offer, isAllowed)
    const lists = await Promise.allSettled(servers.map(server => this.#items(kind, server, optionsFor(server))))
    const failed = lists.flatMap(list => (list.status === 'rejected' ? [list.reason] : []))
    if (failed.length > 0 && failed.length === lists.length) throw failed[0]
    lists.forEach((list, place) => {
      if (list.status === 'rejected')
        this.#log({
          source: servers[place].source.name,
          error: `its ${kind.of} can't be listed: ${messageOf(list.reason)}`,
        })
    })
    return { [kind.member]: lists.flatMap(list => (list.status === 'fulfilled' ? list.value : [])) }
  }

  /**
   * @param {JsonObject} params of `resources/read` @param {IsAllowed} isAllowed @param {OptionsFor} optionsFor
   * @returns {Promise<JsonObject | null>} null: no server has it
   */
  read(params, isAllowed, optionsFor) {
    const candidates = this.#byUri(params.uri, isAllowed)
    return firstKnown(candidates, async ({ server, rest }) => {
      const result = await requested(server, 'resources/read', { ...params, uri: rest }, optionsFor(server))
      const { contents } = result
      return Array.isArray(contents) ? { ...result, contents: withPublicUris(contents, server.uriPrefix) } : result
    })
  }

  /** @param {JsonObject} params of `prompts/get` @param {IsAllowed} isAllowed @param {OptionsFor} optionsFor @returns {Promise<JsonObject | null>} */
  prompt(params, isAllowed, optionsFor) {
    return firstKnown(this.#byName(params.name, isAllowed), async ({ server, rest }) => {
      const result = await requested(server, 'prompts/get', { ...params, name: rest }, optionsFor(server))
      const { messages } = result
      if (!Array.isArray(messages)) return result
      const content = (/** @type {JsonObject} */ message) => withPublicUri(Object(message.content), server.uriPrefix)
      return { ...result, messages: messages.map(message => ({ ...message, content: content(message) })) }
    })
  }

  /** @param {JsonObject} params of `completion/complete` @param {IsAllowed} isAllowed @param {OptionsFor} optionsFor @returns {Promise<JsonObject | null>} */
  complete(params, isAllowed, optionsFor) {
    const { ref } = params
    const isPrompt = ref?.type === 'ref/prompt'
    const candidates = isPrompt ? this.#byName(ref.name, isAllowed) : this.#byUri(ref?.uri, isAllowed)
    const able = candidates.filter(({ server }) => server.offers.includes('completions'))
    return firstKnown(able, ({ server, rest }) => {
      const own = { ...params, ref: { ...ref, [isPrompt ? 'name' : 'uri']: rest } }
      return server.source.request('completion/complete', own, optionsFor(server))
    })
  }

  /**
   * @param {unknown} uri @param {boolean} isWanted @param {IsAllowed} isAllowed @param {OptionsFor} optionsFor
   * @returns {Promise<JsonObject | null>}
   */
  subscribe(uri, isWanted, isAllowed, optionsFor) {
    return firstKnown(this.#byUri(uri, isAllowed), async ({ server, rest }) => {
      await server.source.subscribe(rest, isWanted, optionsFor(server))
      return {}
    })
  }

  /** A resource's URI as clients know it. @param {string} source @param {string} uri */
  publicUri(source, uri) {
    return `${this.#servers.find(server => server.source.name === source)?.uriPrefix ?? ''}${uri}`
  }

  /** @param {import('./list-pages.js').ListKind} kind @param {Server} server @param {ForwardOptions} options @returns {Promise<JsonObject[]>} */
  async #items(kind, { source, prefix, uriPrefix: scheme }, options) {
    const { connectMs } = source.config.limits
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(connectMs)])
    const request = (/** @type {string} */ method, /** @type {JsonObject} */ params) =>
      source.request(method, params, { ...options, signal }).catch(error => {
        // Who offers resources need not have templates.
        if (memberOf(error, 'code') === METHOD_NOT_FOUND) return { [kind.member]: [] }
        throw error
      })
    const items = await listItems(kind, request, source.config.limits)
    const before = kind.key === 'name' ? prefix : scheme
    return items.map(item => ({ ...item, [kind.key]: before + item[kind.key] }))
  }

  /** @param {string} offer @param {IsAllowed} isAllowed */
  #offering(offer, isAllowed) {
    return this.#servers.filter(({ source, offers }) => offers.includes(offer) && isAllowed(source.name))
  }

  /** @param {unknown} uri @param {IsAllowed} isAllowed */
  #byUri(uri, isAllowed) {
    const servers = this.#offering('resources', isAllowed)
    const candidates = candidatesOf(servers, uri, server => server.uriPrefix)
    if (typeof uri !== 'string' || !isOfWeb(uri)) return candidates
    // Results have such links as they are.
    const others = servers.filter(server => candidates.every(candidate => candidate.server !== server))
    return [...candidates, ...others.map(server => ({ server, rest: uri }))]
  }

  /** @param {unknown} name @param {IsAllowed} isAllowed */
  #byName(name, isAllowed) {
    return candidatesOf(this.#offering('prompts', isAllowed), name, server => server.prefix)
  }
}

/** What may ask the client before it is answered. @param {Server} server @param {string} method @param {JsonObject} params @param {ForwardOptions} options */
async function requested({ source }, method, params, options) {
  return askableResult(await source.request(method, params, options), source.name, options.capabilities)
}

/** Those whose name or URI it may be; that with the longest prefix first. @param {Server[]} servers @param {unknown} text @param {(server: Server) => string} before @returns {Candidate[]} */
function candidatesOf(servers, text, before) {
  if (typeof text !== 'string') return []
  return servers
    .filter(server => text.startsWith(before(server)))
    .sort((one, other) => before(other).length - before(one).length)
    .map(server => ({ server, rest: text.slice(before(server).length) }))
}

/** @param {Candidate[]} candidates @param {(candidate: Candidate) => Promise<JsonObject>} request @returns {Promise<JsonObject | null>} */
async function firstKnown(candidates, request) {
  const [candidate, ...others] = candidates
  if (candidate === undefined) return null
  try {
    return await request(candidate)
  } catch (error) {
    if (others.length === 0 || !UNKNOWN.has(Number(memberOf(error, 'code')))) throw error
    return firstKnown(others, request)
  }
}

module.exports = { Forwarded }
