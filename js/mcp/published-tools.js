'use strict'

// The tools that an MCP client sees. A source's tool has the name and the definition that its server publishes, the name with the
// source's prefix; any other is called by its id.

const { published } = require('./client-schema.js')
const { isCompilable } = require('./output-schema.js')

/**
 * @typedef {import('./call-result.js').McpTool} McpTool
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 */

class PublishedTools {
  /** Published name → the tool. @type {Map<string, { toolId: string, tool: McpTool, isForeign: boolean }>} */
  #tools = new Map()
  /** Published name → id, also of tools that are not declared: the gate says why. @type {Map<string, string>} */
  #ids = new Map()

  /** @param {ToolRegistry} registry @param {import('./index.js').McpServerOptions['session']} [session] */
  constructor(registry, { mode = 'text', roles } = {}) {
    /** @type {McpTool[]} */
    const declared = registry.getProviderSchemas('mcp', { mode, roles })
    for (const { toolId, source } of registry.tools.values())
      if (source !== undefined) this.#ids.set(source.publishedAs, toolId)
    for (const tool of declared) {
      const source = registry.getToolMetadata(tool.name)?.source
      const name = source?.publishedAs ?? tool.name
      this.#tools.set(name, { toolId: tool.name, tool: { ...tool, name }, isForeign: source !== undefined })
    }
  }

  /** The result of `tools/list`. */
  get listed() {
    return { tools: [...this.#tools.values()].map(({ tool, isForeign }) => published(isForeign ? usable(tool) : tool)) }
  }

  /** @param {string} name */
  has(name) {
    return this.#tools.has(name)
  }

  /** @param {string} name */
  get(name) {
    return this.#tools.get(name)?.tool
  }

  /** The tool's id; the name itself if there is no such tool, which the gate answers. @param {string} name */
  toolId(name) {
    return this.#tools.get(name)?.toolId ?? this.#ids.get(name) ?? name
  }
}

/** Without an output schema that can't be compiled: clients would refuse every result. @param {McpTool} tool @returns {McpTool} */
function usable(tool) {
  if (isCompilable(tool)) return tool
  const { outputSchema: _broken, ...rest } = tool
  return rest
}

module.exports = { PublishedTools }
