'use strict'

// A loaded tool set: the compiled tools (native) and their handlers. A session that outlives a reload keeps its own.

const native = require('../../native.js')
const { loadHandlers } = require('./artifact.js')
const { DeclarationCounts } = require('./declaration-counts.js')
const { toolOf } = require('./declarations.js')
const { RegistryLoadError } = require('../answers/errors.js')
const { BUILT_IN_SERVICE } = require('../gate/registry-service.js')
const { PROVIDERS, providerHint } = require('./provider-forms.js')
const { typeErrorOf } = require('../gate/type-errors.js')

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {{ mode?: string, services?: string[], roles?: string[] }} Visibility
 * @typedef {import('./declaration-counts.js').Viewer} Viewer
 * @typedef {Visibility & { category?: string, limit?: number }} SearchOptions
 * @typedef {{ toolId: string, title: string, summary: string, category: string, sideEffects: string, score: number }}
 *   FoundTool
 * @typedef {{ tool?: import('../shared-types.js').JsonObject, nearest?: string[] }} LookupResult
 */

class ToolSet {
  /** @type {Map<string, ToolMetadata>} */
  #tools = new Map()
  /** @type {Map<string, ToolMetadata> | null} */
  #all = null
  /** @type {string[] | null} */
  #initiallyDeclared = null

  /** @param {string} file path of the artifact */
  constructor(file) {
    /** The native tool set. */
    this.native = withLoadErrors(() => new native.NativeToolSet(file))
    this.version = this.native.version
    this.gitCommit = this.native.gitCommit
    /** What was declared to models. */
    this.declarationCounts = new DeclarationCounts((provider, viewer) => this.declarations(provider, viewer))
    /** By tool @type {Map<string, import('./artifact.js').LoadedHandler>} */
    this.handlers = new Map()
  }

  /** A tool's metadata, read from the core on first use. Undefined for an unknown tool. @param {string} toolId */
  tool(toolId) {
    if (!this.#tools.has(toolId)) {
      const text = typeof toolId === 'string' ? withLoadErrors(() => this.native.describe(toolId)) : null
      if (text === null) return undefined
      this.#tools.set(toolId, Object.freeze(this.#withLazyMembers(JSON.parse(text))))
    }
    return this.#tools.get(toolId)
  }

  /** True if `roles` contain all that the tool requires. @param {string} toolId @param {string[]} [roles] */
  allows(toolId, roles = []) {
    return (this.tool(toolId)?.requiredRoles ?? []).every(role => roles.includes(role))
  }

  /**
   * Adds what is large and rarely needed as lazy members: the lowering receipts, the guide, the declarations by provider.
   * @param {ToolMetadata} tool
   */
  #withLazyMembers(tool) {
    const { toolId, requires } = tool
    lazy(tool, 'lowering', () => JSON.parse(String(withLoadErrors(() => this.native.lowering(toolId)))))
    // Not enumerable: a listing of all tools as JSON would contain all guides and declarations.
    lazy(tool, 'documentation', () => this.native.documentation(toolId), false)
    lazy(tool, 'providerSchemas', () => this.#declarationsOf(toolId, requires), false)
    return tool
  }

  /** A tool's declaration by provider; absent for a provider that can't take it. @param {string} toolId @param {string[]} services */
  #declarationsOf(toolId, services) {
    const found = PROVIDERS.map(provider => {
      const declared = JSON.parse(String(this.providerSchemas(provider, null, [...services, BUILT_IN_SERVICE])))
      return [
        provider,
        declared.find((/** @type {import('./declarations.js').ProviderDeclaration} */ one) => toolOf(one) === toolId),
      ]
    })
    return Object.fromEntries(found.filter(([, declaration]) => declaration !== undefined))
  }

  /** toolId → metadata, of all tools but those that only handlers call. */
  get tools() {
    const all = () => this.#paths().map(([toolId]) => /** @type {ToolMetadata} */ (this.tool(toolId)))
    this.#all ??= new Map(
      all()
        .filter(tool => tool.nestedOnly !== true)
        .map(tool => [tool.toolId, tool]),
    )
    return this.#all
  }

  /** The tools of sources: those without a module of a handler, which a load need not describe all tools to find. */
  get sourceTools() {
    const withoutModule = this.#paths().filter(([, handlerPath]) => handlerPath === '')
    const described = withoutModule.map(([toolId]) => /** @type {ToolMetadata} */ (this.tool(toolId)))
    return described.filter(tool => tool.source !== undefined)
  }

  /**
   * Declarations in a provider's form, as JSON text of a list; null for an unknown provider.
   * @param {string} provider
   * @param {string | null} mode
   * @param {string[]} services
   * @param {string[] | null} [only] ids of the tools to declare; null for all
   */
  providerSchemas(provider, mode, services, only = null) {
    return withLoadErrors(() => this.native.providerSchemas(provider, mode, services, only))
  }

  /** The ids of the tools that are declared before a search. */
  get initiallyDeclared() {
    this.#initiallyDeclared ??= this.native.initiallyDeclared(BUILT_IN_SERVICE)
    return this.#initiallyDeclared
  }

  /**
   * The declarations of the tools that a viewer may use.
   * @param {string} provider
   * @param {Viewer} viewer
   * @param {string[] | null} [only] ids of the tools to declare; null for all
   * @returns {import('./declarations.js').ProviderDeclaration[]}
   * @throws {TypeError} for an unknown provider
   */
  declarations(provider, { mode, services, roles }, only = null) {
    const text = typeof provider === 'string' ? this.providerSchemas(provider, mode ?? null, services, only) : null
    if (text === null)
      throw new TypeError(`unknown provider \`${String(provider)}\`: ${providerHint(String(provider))}`)
    /** @type {import('./declarations.js').ProviderDeclaration[]} */
    const parsed = JSON.parse(text)
    return parsed.filter(declaration => this.allows(toolOf(declaration), roles))
  }

  /**
   * `**id** (category): summary` of the tools that `viewer` may use, a blank line between tools.
   * @param {Viewer} viewer
   */
  summaries({ mode, services, roles }) {
    return this.native
      .visible(mode ?? null, services)
      .filter(id => this.allows(id, roles))
      .map(id => /** @type {ToolMetadata} */ (this.tool(id)))
      .map(tool => `**${tool.toolId}** (${tool.category}): ${tool.summary}`)
      .join('\n\n')
  }

  /**
   * The tools found by words among those that `options` (`{ mode, services, roles, category, limit }`) lets through.
   * @param {string} query
   * @param {SearchOptions} options
   * @returns {FoundTool[]}
   */
  search(query, options) {
    return JSON.parse(withLoadErrors(() => this.native.search(query, JSON.stringify(options))))
  }

  /**
   * `{ tool }`, or `{ nearest }` if no tool with this id is visible under `{ mode, services, roles }`.
   * @param {string} toolId
   * @param {Visibility} options
   * @returns {LookupResult}
   */
  lookUp(toolId, options) {
    return JSON.parse(withLoadErrors(() => this.native.lookUp(toolId, JSON.stringify(options))))
  }

  /**
   * Imports the handlers. `fresh` is the tool set version whose modules are imported again.
   * @param {import('./artifact.js').HandlerSource} source
   */
  async loadHandlers({ file, given, fresh }) {
    this.handlers = await loadHandlers(this.#paths(), { file, given, fresh })
    const withPart = (/** @type {'reconcile' | 'schema'} */ part) =>
      [...this.handlers].filter(([, handler]) => handler[part] !== undefined).map(([toolId]) => toolId)
    this.native.reconciled(withPart('reconcile'))
    this.native.haveSchemaCode(withPart('schema'))
  }

  /** What the set is. */
  snapshot() {
    const tools = [...this.tools.values()].map(({ toolId, version, category }) => ({ toolId, version, category }))
    return { version: this.version, gitCommit: this.gitCommit, tools }
  }

  /** `[toolId, handlerPath]` of every tool. @returns {[toolId: string, handlerPath: string][]} */
  #paths() {
    const flat = this.native.handlerPaths()
    return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]])
  }
}

/**
 * Adds a member that is computed on first use.
 * @param {object} target
 * @param {string} name
 * @param {() => unknown} compute
 */
function lazy(target, name, compute, enumerable = true) {
  /** @type {unknown} */
  let value
  const get = () => (value ??= compute())
  Object.defineProperty(target, name, { get, enumerable })
}

/**
 * Calls a native function; throws its `CODE: message` exception as a RegistryLoadError, any other as a TypeError.
 * @template T
 * @param {() => T} call
 */
function withLoadErrors(call) {
  try {
    return call()
  } catch (cause) {
    const [, code, message] = /^([A-Z_]+): ([^]*)$/.exec(/** @type {Error} */ (cause).message) ?? []
    if (code === undefined) throw typeErrorOf(cause)
    throw new RegistryLoadError(/** @type {RegistryLoadError['code']} */ (code), message)
  }
}

/**
 * Reads an artifact and compiles its tools.
 * @param {string} file
 * @param {Pick<import('../../index.js').RegistryOptions, 'strictNulls'>} options
 * @returns {ToolSet}
 */
function readToolSet(file, { strictNulls }) {
  const set = new ToolSet(file)
  if (strictNulls !== undefined) set.native.decideStrictNulls(strictNulls)
  return set
}

module.exports = { ToolSet, readToolSet }
