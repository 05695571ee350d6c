'use strict'

// The services of the shipped tools, for the process-wide registry if its host gives none.

const path = require('node:path')
const { pathToFileURL } = require('node:url')

const FILE = path.join(__dirname, '..', '..', 'tools', '_services', 'embedded.js')

/**
 * @param {import('../../index.js').ToolRegistry} registry
 * @returns {Promise<Record<string, object>>} by the name that tools require
 */
async function shippedServices(registry) {
  const { embeddedServices } = await import(pathToFileURL(FILE).href)
  return embeddedServices({ registry: () => registry })
}

module.exports = { shippedServices }
