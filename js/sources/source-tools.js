'use strict'

// The tools of sources in one tool set: their handlers, what is known of their servers, and their end.

const { statSync } = require('node:fs')
const { fileURLToPath } = require('node:url')

const { RegistryLoadError } = require('../answers/errors.js')
const { sdk } = require('../mcp/sdk.js')
const { FIRST_MODERN_VERSION } = require('./connection.js')
const { callHandler } = require('./call-handler.js')
const { Forwarded } = require('./forwarded.js')
const { projectSourcesFolder } = require('../tool-sets/project-artifact.js')
const { givenConfig, readSourceConfigs, requireVariables } = require('./source-config.js')
const { Source } = require('./source.js')

/**
 * @typedef {import('../../index.js').ToolMetadata & { source: import('../../index.js').ToolOrigin }} SourceTool
 * @typedef {import('./types.js').SourceConfig} SourceConfig
 * @typedef {import('./types.js').DriftReason} DriftReason
 * @typedef {object} SourceToolsParts
 * @property {import('./types.js').PublishedTool[]} published the tools' definitions, under their ids
 * @property {import('../../index.js').RegistryOptions['sources']} given as the host gives them
 * @property {import('../../index.js').RegistryOptions['tokens']} tokens
 * @property {(toolId: string, reason: DriftReason | null) => void} onAvailability
 * @property {(sessionId: string, idempotencyKey: string, blocks: import('../shared-types.js').JsonObject[]) => void} onBlocks gets what a result has beside its data
 * @property {import('./call-handler.js').CallHandlerParts['clientOf']} clientOf
 * @property {(source: string, news: import('./types.js').SourceNews) => void} onNews
 * @property {import('./source.js').SourceOptions['rootsOf']} rootsOf
 * @property {import('./types.js').SourceLog} log
 */

class SourceTools {
  #parts
  /** By name @type {Map<string, Source>} */
  #sources = new Map()
  /** By source @type {Map<string, SourceTool[]>} */
  #tools

  /** @param {import('../../index.js').ToolMetadata[]} tools those of sources @param {SourceToolsParts} parts @throws {RegistryLoadError} */
  constructor(tools, parts) {
    this.#parts = parts
    this.#tools = grouped(/** @type {SourceTool[]} */ (tools))
    const configs = configsOf(parts)
    requireClient()
    for (const [name, own] of this.#tools) this.#sources.set(name, this.#source(name, own, configs.get(name)))
    this.forwarded = new Forwarded(
      [...this.#sources].map(([name, source]) => ({ source, offers: this.#tools.get(name)?.[0].source.offers ?? [] })),
      parts.log,
    )
  }

  /** The handlers of the tools, by tool. @returns {Record<string, (context: any) => Promise<unknown>>} */
  get handlers() {
    const all = [...this.#tools].flatMap(([name, tools]) =>
      tools.map(tool => [tool.toolId, this.#handler(/** @type {Source} */ (this.#sources.get(name)), tool)]),
    )
    return Object.fromEntries(all)
  }

  /** What is known of each server. @returns {import('../../index.js').SourceStatus[]} */
  get status() {
    return [...this.#sources].map(([name, source]) => ({
      name,
      state: source.state,
      tools: (this.#tools.get(name) ?? []).map(tool => tool.toolId),
      unavailable: Object.fromEntries(
        (this.#tools.get(name) ?? []).flatMap(({ toolId, source: { tool } }) => {
          const reason = source.unavailable.get(tool)
          return reason === undefined ? [] : [[toolId, reason]]
        }),
      ),
    }))
  }

  /** Lists what the servers publish. A server that is down is tried again at the first call. */
  async watch() {
    await Promise.allSettled([...this.#sources.values()].map(source => source.watch()))
  }

  /** Another tool set is the newest. */
  stopWatching() {
    for (const source of this.#sources.values()) source.stopWatching()
  }

  /** Closes the connections that a session has to itself. @param {string} sessionId */
  endSession(sessionId) {
    for (const source of this.#sources.values()) void source.endSession(sessionId)
  }

  async close() {
    await Promise.all([...this.#sources.values()].map(source => source.close()))
  }

  /** @param {string} name @param {SourceTool[]} tools @param {SourceConfig | undefined} config */
  #source(name, tools, config) {
    if (config === undefined) {
      const hint = `write \`sources/${name}.json\`, or give its settings: \`createRegistry({ sources })\`, docs/sources.md`
      throw new RegistryLoadError(
        'SOURCE_MISSING',
        `\`${tools[0].toolId}\` is a tool of the source \`${name}\`; ${hint}`,
      )
    }
    const unset = requireVariables(config)
    if (unset.length > 0) {
      const names = unset.map(variable => `\`${variable}\``).join(', ')
      throw new RegistryLoadError(
        'SOURCE_INVALID',
        `the source \`${name}\` needs ${names}, which the environment does not set`,
      )
    }
    const { tokens, log } = this.#parts
    if (tokens !== undefined && typeof tokens !== 'function')
      throw new RegistryLoadError('SOURCE_INVALID', '`tokens` must be a function')
    const { protocolVersion } = tools[0].source
    const locked = {
      era: protocolVersion < FIRST_MODERN_VERSION ? /** @type {const} */ ('legacy') : /** @type {const} */ ('modern'),
      protocolVersion,
      tools: Object.fromEntries(tools.map(({ source: { tool, sha256 } }) => [tool, { sha256 }])),
    }
    const onChange = (/** @type {Source} */ source) => this.#changed(source, tools)
    const onNews = (/** @type {import('./types.js').SourceNews} */ news) => this.#parts.onNews(name, news)
    const { rootsOf } = this.#parts
    return new Source(name, config, {
      locked,
      onChange,
      onNews,
      rootsOf,
      log,
      ...(tokens === undefined ? {} : { tokens }),
    })
  }

  /** @param {Source} source @param {SourceTool[]} tools */
  #changed(source, tools) {
    for (const { toolId, source: origin } of tools)
      this.#parts.onAvailability(toolId, source.unavailable.get(origin.tool) ?? null)
  }

  /** @param {Source} source @param {SourceTool} tool */
  #handler(source, tool) {
    const { published, clientOf, onBlocks, log } = this.#parts
    const definition = published.find(({ name }) => name === tool.toolId) ?? { name: tool.source.tool }
    const warn = (/** @type {string} */ reason) => log({ source: source.name, error: reason })
    return callHandler({ source, tool, definition, clientOf, onBlocks, warn })
  }
}

/** A missing package is said at the load, and not by each call. @throws {RegistryLoadError} */
function requireClient() {
  try {
    void sdk.client
  } catch (cause) {
    throw new RegistryLoadError('SOURCE_INVALID', /** @type {Error} */ (cause).message, { cause })
  }
}

/** @param {SourceTool[]} tools */
function grouped(tools) {
  /** @type {Map<string, SourceTool[]>} */
  const groups = new Map()
  for (const tool of tools) groups.set(tool.source.name, [...(groups.get(tool.source.name) ?? []), tool])
  return groups
}

/** @param {SourceToolsParts} parts @returns {Map<string, SourceConfig>} by name @throws {RegistryLoadError} */
function configsOf({ given }) {
  const { configs, problems } = read(given)
  if (problems.length === 0) return configs
  const lines = problems.map(({ file, pointer, message }) => `${file}${pointer}: ${message}`)
  throw new RegistryLoadError('SOURCE_INVALID', lines.join('\n'))
}

/** @param {unknown} given @returns {ReturnType<typeof readSourceConfigs>} */
function read(given) {
  if (given === undefined) return readSourceConfigs(projectSourcesFolder())
  if (typeof given === 'string' || given instanceof URL) return readSourceConfigs(folderOf(given))
  if (typeof given !== 'object' || given === null || Array.isArray(given) || given instanceof Map)
    throw new RegistryLoadError(
      'SOURCE_INVALID',
      '`sources` must be a folder, or an object with the settings of each source',
    )
  /** @type {ReturnType<typeof readSourceConfigs>} */
  const all = { configs: new Map(), problems: [] }
  for (const [name, value] of Object.entries(given)) {
    const { config, problems } = givenConfig(name, value)
    if (config !== undefined) all.configs.set(name, config)
    all.problems.push(...problems)
  }
  return all
}

/** @param {string | URL} given @throws {RegistryLoadError} if it is not a folder */
function folderOf(given) {
  const folder = given instanceof URL ? fileURLToPath(given) : given
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new RegistryLoadError('SOURCE_MISSING', `there is no folder \`${folder}\`, which \`sources\` names`)
}

module.exports = { SourceTools }
