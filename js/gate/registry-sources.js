'use strict'

// The MCP servers whose tools a registry has. What connects to them is loaded only for a tool set that has such tools.

const { isInstance, messageOf } = require('../values/foreign.js')
const { SERVER_QUESTION } = require('./server-question-form.js')

/**
 * @typedef {import('../tool-sets/tool-set.js').ToolSet} ToolSet
 * @typedef {import('../sources/source-tools.js').SourceTools} SourceTools
 * @typedef {import('../sources/types.js').SourceClient} SourceClient
 * @typedef {(list: import('../sources/types.js').ForwardedList) => void} ListListener
 */

class RegistrySources {
  #listeners
  #gate
  #onChange
  /** Those of the tool set that new sessions get, and of earlier ones. @type {SourceTools[]} */
  #opened = []
  /** What results have beside their data; null without sources. @type {import('../sources/kept-blocks.js').KeptBlocks | null} */
  #blocks = null
  /** The MCP clients of each session. @type {Map<string, Set<SourceClient>>} */
  #clients = new Map()
  /** Who hears of changed lists. @type {Set<ListListener>} */
  #listListeners = new Set()

  /**
   * @param {import('./host-listeners.js').HostListeners} listeners
   * @param {{ gate: () => import('../../native.js').NativeGate | null, onChange: () => void }} registry `gate`: null until it is
   *   loaded; `onChange`: a tool became available or unavailable
   */
  constructor(listeners, { gate, onChange }) {
    this.#listeners = listeners
    this.#gate = gate
    this.#onChange = onChange
  }

  /**
   * The handlers of a set's tools that are not modules: the host's, and those of tools of sources.
   * @param {ToolSet} set
   * @returns {Record<string, import('../tool-sets/artifact.js').GivenHandler>}
   * @throws {import('../answers/errors.js').RegistryLoadError} if a source is missing or its settings are wrong
   */
  handlers(set) {
    const { sources, tokens, limits } = this.#listeners.options
    const handlers = { ...this.#listeners.options.handlers, ...builtInHandlers(set) }
    const tools = set.sourceTools.filter(({ toolId }) => !Object.hasOwn(handlers, toolId))
    if (tools.length === 0) return handlers
    const { SourceTools } = require('../sources/source-tools.js')
    const { KeptBlocks } = require('../sources/kept-blocks.js')
    const kept = (this.#blocks ??= new KeptBlocks(limits?.fullResultBytes))
    const ids = tools.map(tool => tool.toolId)
    const published = JSON.parse(set.providerSchemas('mcp', null, [], ids) ?? '[]')
    const opened = new SourceTools(tools, {
      published,
      given: sources,
      tokens,
      onAvailability: (toolId, reason) => {
        if (this.#gate()?.setAvailability(set.native, toolId, reason)) this.#onChange()
      },
      onBlocks: (...given) => kept.put(...given),
      clientOf: (sessionId, callId) => this.#clientOf(sessionId, callId),
      onNews: (source, news) => this.#heard(source, news),
      rootsOf: async sessionId =>
        this.#clientsOf(sessionId)
          .find(({ roots }) => roots !== undefined)
          ?.roots?.(),
      log: ({ source, ...entry }) => this.#log(source, entry),
    })
    // A session has the new set from its next turn, so that only the set before is still used.
    this.#opened[0]?.stopWatching()
    for (const old of this.#opened.splice(1)) void old.close()
    this.#opened.unshift(opened)
    return { ...opened.handlers, ...handlers }
  }

  /** Looks at the servers of the newest tool set, so that what is unlike the lock is known before a user is asked. */
  watch() {
    void this.#opened[0]?.watch()
  }

  get status() {
    return this.#opened[0]?.status ?? []
  }

  /** What the servers offer beside tools; null without sources. */
  get forwarded() {
    return this.#opened[0]?.forwarded ?? null
  }

  /** From now on an MCP client has what servers send to the session beside results. @param {string} sessionId @param {SourceClient} client @returns {() => void} ends that */
  attach(sessionId, client) {
    const clients = this.#clients.get(sessionId) ?? new Set()
    this.#clients.set(sessionId, clients.add(client))
    return () => {
      clients.delete(client)
      if (clients.size === 0 && this.#clients.get(sessionId) === clients) this.#clients.delete(sessionId)
    }
  }

  /** @param {ListListener} listener @returns {() => void} ends that */
  onListChanged(listener) {
    this.#listListeners.add(listener)
    return () => void this.#listListeners.delete(listener)
  }

  /** The content blocks of an answer beside its data. @param {string} sessionId @param {import('../../index.js').ToolResponseMeta} meta */
  blocks(sessionId, { idempotencyKey = '' }) {
    return this.#blocks?.get(sessionId, idempotencyKey) ?? []
  }

  /** @param {string} sessionId */
  endSession(sessionId) {
    this.#blocks?.forget(sessionId)
    for (const opened of this.#opened) opened.endSession(sessionId)
  }

  async close() {
    await Promise.all(this.#opened.map(opened => opened.close()))
  }

  /** @param {string} sessionId @param {string | null} callId */
  #clientOf(sessionId, callId) {
    return this.#clientsOf(sessionId).find(client => client.owns(callId))
  }

  /** @param {string} sessionId */
  #clientsOf(sessionId) {
    return [...(this.#clients.get(sessionId) ?? [])]
  }

  /** @param {string} source @param {import('../sources/types.js').SourceNews} news */
  #heard(source, news) {
    if ('list' in news) {
      for (const listener of this.#listListeners) listener(news.list)
      return
    }
    const clients = news.sessions.flatMap(sessionId => this.#clientsOf(sessionId))
    for (const client of clients) {
      if ('updated' in news) client.updated(this.forwarded?.publicUri(source, news.updated) ?? news.updated)
      else client.log(source, news.log)
    }
  }

  /** @param {string} source @param {{ error?: unknown, stderr?: string }} entry */
  #log(source, { error }) {
    // What a server writes to its stderr may be anything, also secrets.
    if (error === undefined) return
    const text = isInstance(error, Error) ? messageOf(error) : String(error)
    const message = `the source \`${source}\`: ${text}`
    this.#listeners.warn({ at: new Date().toISOString(), level: 'warn', message })
  }
}

/** Those of the tools that only handlers call, which the build adds. @param {ToolSet} set @returns {Record<string, import('../tool-sets/artifact.js').GivenHandler>} */
function builtInHandlers(set) {
  if (set.tool(SERVER_QUESTION)?.nestedOnly !== true) return {}
  const { execute } = require('../sources/server-question.js')
  return { [SERVER_QUESTION]: execute }
}

module.exports = { RegistrySources }
