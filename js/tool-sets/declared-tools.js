'use strict'

// Which tools a model is declared: all, only those that lead to the others, or all with the provider's own deferral.

const { isStrict, toolOf } = require('./declarations.js')
const { BUILT_IN_SERVICE } = require('../gate/registry-service.js')

const TOOL_SEARCHES = ['off', 'gate', 'provider']
/** The earlier option `toolsets`, and what its values are called now. @type {Record<string, ToolSearch>} */
const EARLIER_NAMES = { all: 'off', search: 'gate', deferred: 'provider' }

/**
 * The search tools of providers that load deferred declarations themselves. Their sources: OpenAI's guide on tool search
 * (Responses, models from gpt-5.4), Anthropic's page on the tool search tool.
 * @type {Record<string, object>}
 */
const PROVIDER_SEARCH = {
  openaiResponses: { type: 'tool_search' },
  anthropic: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
}

/**
 * @typedef {import('./declarations.js').ProviderDeclaration} ProviderDeclaration
 * @typedef {import('./tool-set.js').ToolSet} ToolSet
 * @typedef {import('../../index.js').ToolSearch} ToolSearch
 * @typedef {{ mode?: string, services: string[], roles?: string[], toolSearch?: ToolSearch, found?: Iterable<string> }} Choice
 *   `services` with the built-in one; `found`: ids of the tools that were found so far, for `gate`
 */

/**
 * The declarations in a provider's form.
 * @param {ToolSet} set
 * @param {string} provider
 * @param {Choice} choice
 * @returns {object[]}
 * @throws {TypeError} for an unknown provider; for `provider` if the provider has no tool search; for `gate` if no
 *   tool that may be seen searches
 */
function declaredTools(set, provider, { mode, services, roles, toolSearch = 'off', found = [] }) {
  const only = toolSearch === 'gate' ? [...set.initiallyDeclared, ...found] : null
  const viewer = { mode, services, roles }
  const declared = set.declarations(provider, viewer, only)
  if (toolSearch === 'gate') checkSearch(set, declared, mode)
  const sent = toolSearch === 'provider' ? deferred(set, provider, declared) : declared
  set.native.declaredStrictly(declared.filter(isStrict).map(toolOf))
  // A mode that no tool knows is any text: it is not counted, so that the counts stay few.
  if (declared.length > 0) count(set, provider, viewer, toolSearch, declared)
  return sent
}

/** @param {ToolSet} set @param {string} provider @param {Choice} viewer @param {ToolSearch} toolSearch @param {ProviderDeclaration[]} declared */
function count(set, provider, viewer, toolSearch, declared) {
  if (toolSearch === 'off') return set.declarationCounts.addAll(provider, viewer, declared)
  const inContext = toolSearch === 'provider' ? declared.filter(one => !isDeferred(set, one)) : declared
  set.declarationCounts.addSome(provider, viewer, inContext)
}

/** Whether a declaration is not in the model's context from the start. @param {ToolSet} set @param {ProviderDeclaration} declaration */
const isDeferred = (set, declaration) => set.tool(toolOf(declaration))?.alwaysDeclared !== true

/**
 * The declarations with the provider's search tool, deferred unless they are marked `alwaysDeclared`.
 * @param {ToolSet} set
 * @param {string} provider
 * @param {ProviderDeclaration[]} declared
 */
function deferred(set, provider, declared) {
  if (!Object.hasOwn(PROVIDER_SEARCH, provider)) {
    const known = Object.keys(PROVIDER_SEARCH).map(name => `\`${name}\``)
    throw new TypeError(`\`${provider}\` has no tool search; \`toolSearch: 'provider'\` takes ${known.join(' and ')}`)
  }
  if (!declared.some(one => isDeferred(set, one))) return declared
  const marked = declared.map(one => (isDeferred(set, one) ? { ...one, defer_loading: true } : one))
  return [{ ...PROVIDER_SEARCH[provider] }, ...marked.map(withoutExamples)]
}

/**
 * Anthropic's tool search refuses a request whose tools have examples.
 * @param {ProviderDeclaration & { input_examples?: unknown }} declaration
 */
function withoutExamples({ input_examples: _, ...declaration }) {
  return declaration
}

/** @param {ToolSet} set @param {ProviderDeclaration[]} declared @param {string} [mode] */
function checkSearch(set, declared, mode) {
  if (declared.some(one => set.tool(toolOf(one))?.requires.includes(BUILT_IN_SERVICE))) return
  const where = mode === undefined ? '' : ` in mode \`${mode}\``
  throw new TypeError(
    `\`toolSearch: 'gate'\` needs a tool that requires the service \`${BUILT_IN_SERVICE}\`${where}, such as \`reg_search\``,
  )
}

/**
 * The choice among a host's options, by its present name or by its earlier one.
 * @param {{ toolSearch?: unknown, toolsets?: unknown }} options
 * @returns {ToolSearch}
 * @throws {TypeError} for an unknown value
 */
function toolSearchOf({ toolSearch, toolsets }) {
  if (toolSearch === undefined && typeof toolsets === 'string' && Object.hasOwn(EARLIER_NAMES, toolsets))
    return EARLIER_NAMES[toolsets]
  const chosen = toolSearch ?? toolsets ?? 'off'
  if (TOOL_SEARCHES.includes(/** @type {string} */ (chosen))) return /** @type {ToolSearch} */ (chosen)
  const known = TOOL_SEARCHES.map(one => `\`${one}\``)
  throw new TypeError(`unknown \`toolSearch\` \`${String(chosen)}\`; it must be ${known.join(', ')}`)
}

module.exports = { declaredTools, toolSearchOf }
