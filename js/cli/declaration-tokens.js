'use strict'

// Estimated tokens of declarations: the bytes of the compact JSON divided by 4, rounded up. A provider's tokenizer and
// its own framing of tools differ from that; the estimate compares tools and sets, it does not predict a bill.

const BYTES_PER_TOKEN = 4

/** @param {object | null | undefined} declaration @returns {number | null} null if the provider gets no declaration */
const estimatedTokens = declaration =>
  declaration === undefined || declaration === null
    ? null
    : Math.ceil(Buffer.byteLength(JSON.stringify(declaration)) / BYTES_PER_TOKEN)

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
    Object.fromEntries(providers.map(provider => [provider, estimatedTokens(providerSchemas[provider])]))
  const byTool = new Map(tools.map(tool => [tool.toolId, tokensOf(tool)]))
  /** @param {string} provider */
  const sum = provider => [...byTool.values()].reduce((total, tokens) => total + (tokens[provider] ?? 0), 0)
  return { providers, byTool, sums: Object.fromEntries(providers.map(provider => [provider, sum(provider)])) }
}

module.exports = { declarationTokens, estimatedTokens }
