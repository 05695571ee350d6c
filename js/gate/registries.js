'use strict'

// The registry of the process, and those that hosts create.

const { ToolRegistry } = require('./registry.js')
const { shippedServices } = require('../tool-sets/shipped-tools.js')

/** The process-wide registry of the project's tool set; without one, of the shipped set with the embedded services. */
const toolRegistry = new ToolRegistry({}, registry => shippedServices({ registry: () => registry }))
/** @param {import('../../index.js').RegistryOptions} [options] */
const createRegistry = options => new ToolRegistry(options)

module.exports = { createRegistry, toolRegistry }
