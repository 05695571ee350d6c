'use strict'

// The providers that a project uses, by its dependencies: a build reports what the declarations for these lose.

const { manifestsAbove } = require('./manifests.js')

/**
 * Packages of a provider, or of a framework's part for it, by their names.
 * @type {Record<string, RegExp>}
 */
const PACKAGES = {
  openai: /openai|^@ai-sdk\/azure$|^toolgate-voice-server$/,
  gemini:
    /genai|gemini|generative-ai|vertex|^@ai-sdk\/google|^@google\/adk$|agents-plugin-google|^toolgate-voice-server$/,
  anthropic: /anthropic|claude/,
}
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/**
 * @param {string} folder of the tools
 * @returns {string[] | undefined} families of providers, with `mcp`, which Toolgate itself serves; undefined if no package.json
 *   was found from the folder upwards
 */
function usedProviders(folder) {
  const manifests = manifestsAbove(folder)
  if (manifests.length === 0) return undefined
  const names = manifests.flatMap(manifest => DEPENDENCIES.flatMap(field => Object.keys(manifest[field] ?? {})))
  const used = Object.keys(PACKAGES).filter(family => names.some(name => PACKAGES[family].test(name)))
  return ['mcp', ...used]
}

module.exports = { usedProviders }
