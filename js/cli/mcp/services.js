'use strict'

// What handlers may use: the services of the module that the command names. The shipped tools bring their own along.

const path = require('node:path')
const { pathToFileURL } = require('node:url')

const { CommandFailure } = require('../exit.js')

const ROOT = path.join(__dirname, '..', '..', '..')
const SHIPPED_TOOLS = path.join(ROOT, 'tools')

/**
 * @param {string | undefined} file exports the services by name, or a function that makes them, as its default
 * @param {string} artifact whose tools are served
 * @returns {Promise<Record<string, unknown>>}
 * @throws {CommandFailure}
 */
async function loadServices(file, artifact) {
  if (file !== undefined) return servicesOf(file)
  // Tools of a project never meet an invented studio.
  return path.dirname(artifact) === SHIPPED_TOOLS ? shippedServices() : {}
}

async function servicesOf(file) {
  let services
  try {
    const given = (await import(pathToFileURL(path.resolve(file)).href)).default
    services = typeof given === 'function' ? await given() : given
  } catch (cause) {
    throw new CommandFailure(
      `the services of \`${file}\` can't be loaded: ${String(cause?.message ?? cause).split('\n', 1)[0]}`,
    )
  }
  if (typeof services === 'object' && services !== null && !Array.isArray(services)) return services
  throw new CommandFailure(
    `\`${file}\` has no services`,
    'export them as default: `export default { kb: … }`, or a function that makes them',
  )
}

async function shippedServices() {
  const { embeddedServices } = await import(pathToFileURL(path.join(SHIPPED_TOOLS, '_services', 'embedded.js')).href)
  return embeddedServices()
}

module.exports = { loadServices }
