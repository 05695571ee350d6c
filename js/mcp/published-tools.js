'use strict'

// The tools that an MCP client sees. A source's tool has the name and the definition that its server publishes, the name with the
// source's prefix; any other is called by its id.

const { memberOf } = require('../values/foreign.js')
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
  /** The sources of declared tools. @type {Set<string>} */
  #declaredSources = new Set()

  /** @param {ToolRegistry} registry @param {import('./index.js').McpServerOptions['session']} [session] */
  constructor(registry, { mode = 'text', roles } = {}) {
    const { forwarded } = /** @type {import('../gate/registry.js').ToolRegistry} */ (/** @type {unknown} */ (registry))
      .mcpSources
    /** @type {McpTool[]} */
    const declared = registry.getProviderSchemas('mcp', { mode, roles })
    for (const { toolId, source } of registry.tools.values())
      if (source !== undefined) this.#ids.set(source.publishedAs, toolId)
    for (const tool of declared) {
      const source = registry.getToolMetadata(tool.name)?.source
      if (source !== undefined) this.#declaredSources.add(source.name)
      const name = source?.publishedAs ?? tool.name
      const own =
        source === undefined ? tool : withPublicPage(tool, uri => forwarded?.publicUri(source.name, uri) ?? uri)
      this.#tools.set(name, { toolId: tool.name, tool: { ...own, name }, isForeign: source !== undefined })
    }
  }

  /** The result of `tools/list`. */
  get listed() {
    return { tools: [...this.#tools.values()].map(({ tool, isForeign }) => published(isForeign ? usable(tool) : tool)) }
  }

  /** Whether a tool of a source is declared. @param {string} name */
  hasSource(name) {
    return this.#declaredSources.has(name)
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

/** The page that a client shows for the tool (MCP Apps) is a resource, read under its public URI. @param {McpTool} tool @param {(uri: string) => string} publicUri @returns {McpTool} */
function withPublicPage(tool, publicUri) {
  const uri = memberOf(memberOf(tool._meta, 'ui'), 'resourceUri')
  if (typeof uri !== 'string') return tool
  const meta = /** @type {Record<string, any>} */ (tool._meta)
  return { ...tool, _meta: { ...meta, ui: { ...meta.ui, resourceUri: publicUri(uri) } } }
}

/** Without an output schema that can't be compiled: clients would refuse every result. @param {McpTool} tool @returns {McpTool} */
function usable(tool) {
  if (isCompilable(tool)) return tool
  const { outputSchema: _broken, ...rest } = tool
  return rest
}

module.exports = { PublishedTools }
