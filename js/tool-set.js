'use strict'

// A tool set as it was loaded: compiled in the core, its handlers here. A session that outlives a reload keeps its own.

const native = require('../native.js')
const { artifactPath, loadHandlers } = require('./artifact.js')
const { RegistryLoadError } = require('./errors.js')
const { misused } = require('./misuse.js')

class ToolSet {
  #tools = new Map()
  #all = null

  /** @param {string} file where the artifact is */
  constructor(file) {
    /** The core's side of it. */
    this.native = asked(() => new native.NativeToolSet(file))
    this.version = this.native.version
    this.gitCommit = this.native.gitCommit
    /** toolId → execute */
    this.handlers = new Map()
  }

  /** A tool's metadata, read from the core when it is first asked for. Undefined for an unknown tool. */
  tool(toolId) {
    if (!this.#tools.has(toolId)) {
      const text = typeof toolId === 'string' ? asked(() => this.native.describe(toolId)) : null
      if (text === null) return undefined
      this.#tools.set(toolId, Object.freeze(this.#withLowering(JSON.parse(text))))
    }
    return this.#tools.get(toolId)
  }

  /** The receipts are many and rarely needed: they are read on first use. */
  #withLowering(tool) {
    let lowering
    const get = () => (lowering ??= JSON.parse(asked(() => this.native.lowering(tool.toolId))))
    return Object.defineProperty(tool, 'lowering', { get, enumerable: true })
  }

  /** toolId → metadata, of all tools. */
  get tools() {
    this.#all ??= new Map(this.#paths().map(([toolId]) => [toolId, this.tool(toolId)]))
    return this.#all
  }

  /** Declarations in a provider's form, as JSON text of a list; null for an unknown provider. */
  providerSchemas(provider, mode, services) {
    return asked(() => this.native.providerSchemas(provider, mode, services))
  }

  /** The tools found by words among those that `options` (`{ mode, services, roles, category, limit }`) lets through. */
  search(query, options) {
    return JSON.parse(asked(() => this.native.search(query, JSON.stringify(options))))
  }

  /** `{ tool }`, or `{ nearest }` if no tool with this id is visible under `{ mode, services, roles }`. */
  lookUp(toolId, options) {
    return JSON.parse(asked(() => this.native.lookUp(toolId, JSON.stringify(options))))
  }

  /** Imports the handlers. `fresh` names the version to import anew. */
  async loadHandlers({ file, given, fresh }) {
    this.handlers = await loadHandlers(this.#paths(), { file, given, fresh })
  }

  /** `[toolId, handlerPath]` of every tool. */
  #paths() {
    const flat = this.native.handlerPaths()
    return Array.from({ length: flat.length / 2 }, (_, place) => [flat[2 * place], flat[2 * place + 1]])
  }
}

/** What the core gives, or its complaint, `CODE: message`, as the error it stands for. */
function asked(ask) {
  try {
    return ask()
  } catch (cause) {
    const [, code, message] = /^([A-Z_]+): ([^]*)$/.exec(cause.message) ?? []
    if (code === undefined) throw misused(cause)
    throw new RegistryLoadError(code, message)
  }
}

/** Reads the artifact at a place and compiles its tools. @returns {{ set: ToolSet, file: string }} */
function readToolSet(location) {
  const file = artifactPath(location)
  return { set: new ToolSet(file), file }
}

module.exports = { ToolSet, readToolSet }
