'use strict'

// The tools that come with the package, as a package to install beside it: `toolgate-tools`.

const path = require('node:path')

const ARTIFACT = 'tool_registry.json'

/** What to do if they are not installed. */
const INSTALL_SHIPPED_TOOLS =
  'the tools that come with Toolgate are a separate package: run `npm install toolgate-tools`'

const installed = installedFolder()

/** Their artifact; if they are not installed, the place that npm would give it. */
const shippedTools = path.join(installed ?? path.join(__dirname, '..', '..', '..', 'toolgate-tools'), ARTIFACT)

/** What a prompt with them says first: they work for one studio. No other tools have it. */
const shippedPrompt = path.join(path.dirname(shippedTools), '_prompts', 'studio.md')

const hasShippedTools = installed !== null

/** The names of the embedded services, for what is said before they are made. */
const EMBEDDED_SERVICES = ['kb', 'calendar', 'search', 'llm', 'vision', 'dashboard']

/** The embedded services, by the name that tools require. @param {Parameters<typeof import('toolgate-tools/_services/embedded.js').embeddedServices>[0]} [options] */
async function shippedServices(options) {
  const { embeddedServices } = await import('toolgate-tools/_services/embedded.js')
  return embeddedServices(options)
}

/** @returns {string | null} */
function installedFolder() {
  try {
    return path.dirname(require.resolve('toolgate-tools/package.json'))
  } catch {
    return null
  }
}

module.exports = {
  EMBEDDED_SERVICES,
  INSTALL_SHIPPED_TOOLS,
  hasShippedTools,
  shippedPrompt,
  shippedServices,
  shippedTools,
}
