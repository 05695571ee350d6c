'use strict'

// A tool set as it was loaded: compiled in the core, its handlers here. A session that outlives a reload keeps its own.

const native = require('../native.js')
const { artifactPath, loadHandlers, readArtifact } = require('./artifact.js')
const { RegistryLoadError } = require('./errors.js')
const { misused } = require('./misuse.js')

class ToolSet {
  #tools = new Map()
  #all = null

  constructor(artifact) {
    /** The core's side of it. */
    this.native = compiled(artifact)
    this.version = this.native.version
    this.gitCommit = this.native.gitCommit
    /** toolId → execute */
    this.handlers = new Map()
  }

  /** A tool's metadata, read from the core when it is first asked for. Undefined for an unknown tool. */
  tool(toolId) {
    if (!this.#tools.has(toolId)) {
      const text = typeof toolId === 'string' ? this.native.describe(toolId) : null
      if (text === null) return undefined
      this.#tools.set(toolId, Object.freeze(JSON.parse(text)))
    }
    return this.#tools.get(toolId)
  }

  /** toolId → metadata, of all tools. */
  get tools() {
    this.#all ??= new Map(this.#paths().map(([toolId]) => [toolId, this.tool(toolId)]))
    return this.#all
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

/** The core's complaint, `CODE: message`, as the error it stands for. */
function compiled(artifact) {
  try {
    return new native.NativeToolSet(artifact)
  } catch (cause) {
    const [, code, message] = /^([A-Z_]+): ([^]*)$/.exec(cause.message) ?? []
    if (code === undefined) throw misused(cause)
    throw new RegistryLoadError(code, message)
  }
}

/** Reads the artifact at a place and compiles its tools. @returns {{ set: ToolSet, file: string }} */
function readToolSet(location) {
  const file = artifactPath(location)
  return { set: new ToolSet(readArtifact(file)), file }
}

module.exports = { ToolSet, readToolSet }
