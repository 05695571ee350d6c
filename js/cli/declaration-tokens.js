'use strict'

// Estimated tokens of the declarations of a tool set.

const { estimatedTokens } = require('../tool-sets/declarations.js')

/**
 * @param {{ toolId: string, providerSchemas?: Record<string, object | null>, lowering?: Record<string, object[]> }[]}
 *   tools as in tool_registry.json
 * @returns {{ providers: string[], byTool: Map<string, Record<string, number | null>>, sums: Record<string, number> }}
 */
function declarationTokens(tools) {
  const named = tools.flatMap(({ providerSchemas = {}, lowering = {} }) => [
    ...Object.keys(providerSchemas),
    ...Object.keys(lowering),
  ])
  const providers = [...new Set(named)].sort()
  /** @param {(typeof tools)[number]} tool @returns {Record<string, number | null>} */
  const tokensOf = ({ providerSchemas = {} }) =>
    Object.fromEntries(providers.map(provider => [provider, tokensOrNull(providerSchemas[provider])]))
  const byTool = new Map(tools.map(tool => [tool.toolId, tokensOf(tool)]))
  /** @param {string} provider */
  const sum = provider => [...byTool.values()].reduce((total, tokens) => total + (tokens[provider] ?? 0), 0)
  return { providers, byTool, sums: Object.fromEntries(providers.map(provider => [provider, sum(provider)])) }
}

/** @param {object | null | undefined} declaration null if the provider gets none */
const tokensOrNull = declaration => (declaration ? estimatedTokens(declaration) : null)

module.exports = { declarationTokens }
