'use strict'

// The registry of a web app's process. Frameworks load the app's modules several times (for each route, and after each change), so
// no module of the app can hold it.

const { createRegistry } = require('../gate/registries.js')

const KEY = Symbol.for('toolgate.sharedRegistry')

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {{ [KEY]?: Promise<ToolRegistry> }} Holder
 */

/** @type {typeof import('./index.js').sharedRegistry} */
function sharedRegistry(options) {
  const holder = /** @type {Holder} */ (globalThis)
  return () =>
    (holder[KEY] ??= load(options).catch(error => {
      // The next request tries again, such as after the first build.
      delete holder[KEY]
      throw error
    }))
}

/** @param {import('toolgate').RegistryOptions} [options] @returns {Promise<ToolRegistry>} */
async function load(options) {
  // An error that a handler leaves uncaught is reported, and does not end the server.
  const registry = await createRegistry({ strayErrors: 'report', ...options }).load()
  if (process.env.NODE_ENV === 'development') registry.watch()
  return registry
}

module.exports = { sharedRegistry }
