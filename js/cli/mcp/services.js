'use strict'

// Loads the services for handlers: from the module of --services, or the embedded ones for the shipped tools.

const path = require('node:path')
const { pathToFileURL } = require('node:url')

const { shippedServices, shippedTools } = require('../../tool-sets/shipped-tools.js')
const { messageOf } = require('../../values/foreign.js')
const { CommandFailure } = require('../exit.js')

/**
 * @param {string | undefined} file its default export is an object of services by name, or a function that creates it
 * @param {string} artifact path of the served tool set
 * @returns {Promise<Record<string, unknown>>}
 * @throws {CommandFailure}
 */
async function loadServices(file, artifact) {
  if (file !== undefined) return servicesOf(file)
  // Only the shipped tools get the embedded services: these contain sample data.
  return artifact === shippedTools ? shippedServices() : {}
}

/** @param {string} file @returns {Promise<Record<string, unknown>>} */
async function servicesOf(file) {
  let services
  try {
    const given = (await import(pathToFileURL(path.resolve(file)).href)).default
    services = typeof given === 'function' ? await given() : given
  } catch (cause) {
    throw new CommandFailure(`the services of \`${file}\` can't be loaded: ${messageOf(cause).split('\n', 1)[0]}`)
  }
  if (typeof services === 'object' && services !== null && !Array.isArray(services)) return services
  throw new CommandFailure(
    `\`${file}\` has no services`,
    'export them as default: `export default { kb: … }`, or a function that makes them',
  )
}

module.exports = { loadServices }
