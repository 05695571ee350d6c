'use strict'

// The path of the compiled tool set, and the import of its handlers.

const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

const { RegistryLoadError } = require('./errors.js')
const { findProjectArtifact } = require('./project-artifact.js')
const { TOOL_RESPONSE_SCHEMA_VERSION } = require('./tool-response.js')

/** @param {string | URL | undefined} location by default the project's tool set @returns {string} an absolute path */
function artifactPath(location) {
  if (location === undefined) return findProjectArtifact()
  const asUrl = location instanceof URL || String(location).startsWith('file:')
  return path.resolve(asUrl ? fileURLToPath(location) : String(location))
}

/**
 * @typedef {import('../index.js').HandlerModule} HandlerModule
 * @typedef {HandlerModule['execute']} Execute
 * @typedef {HandlerModule | Execute} GivenHandler
 * @typedef {Partial<HandlerModule> & { default?: Partial<HandlerModule> }} ImportedModule its unchecked exports
 * @typedef {{ file: string, given?: Record<string, GivenHandler>, fresh?: string }} HandlerSource `file`: the artifact;
 *   `given`: the host's handlers by tool; `fresh`: the tool set version whose modules are imported again
 */

/**
 * Imports each tool's handler unless `given` contains it.
 * @param {[toolId: string, handlerPath: string][]} paths
 * @param {HandlerSource} source
 * @returns {Promise<Map<string, Execute>>} toolId → execute
 */
async function loadHandlers(paths, { file, given = {}, fresh }) {
  /** @param {string} toolId */
  const isGiven = toolId => Object.hasOwn(given, toolId)
  const folder = path.dirname(file)
  /** @param {[toolId: string, handlerPath: string]} path @returns {Promise<[string, ImportedModule]>} */
  const load = async ([toolId, handlerPath]) => [
    toolId,
    await importHandler(toolId, path.resolve(folder, handlerPath), fresh),
  ]
  const imported = new Map(await Promise.all(paths.filter(([toolId]) => !isGiven(toolId)).map(load)))
  /** @param {string} toolId */
  const moduleOf = toolId => (isGiven(toolId) ? given[toolId] : imported.get(toolId))
  return new Map(paths.map(([toolId]) => [toolId, checkedHandler(toolId, moduleOf(toolId))]))
}

/**
 * `fresh`, a tool set version, is added to the URL to import the module again: Node caches modules by URL.
 * @param {string} toolId
 * @param {string} handler
 * @param {string | undefined} fresh
 * @returns {Promise<ImportedModule>}
 */
async function importHandler(toolId, handler, fresh) {
  const url = pathToFileURL(handler)
  if (fresh !== undefined) url.searchParams.set('v', fresh)
  try {
    return await import(url.href)
  } catch (cause) {
    const message = `the handler of \`${toolId}\` can't be imported: ${/** @type {Partial<Error> | null} */ (cause)?.message ?? cause}`
    throw new RegistryLoadError('HANDLER_INVALID', message, { cause })
  }
}

/** @param {string} toolId @param {GivenHandler | ImportedModule | undefined} module @returns {Execute} */
function checkedHandler(toolId, module) {
  const from = /** @type {ImportedModule | undefined} */ (typeof module === 'function' ? { execute: module } : module)
  const execute = from?.execute ?? from?.default?.execute
  if (typeof execute !== 'function') {
    throw new RegistryLoadError('HANDLER_INVALID', `the handler of \`${toolId}\` exports no function \`execute\``)
  }
  const version = from?.responseSchemaVersion ?? from?.default?.responseSchemaVersion
  if (version !== undefined && major(version) !== major(TOOL_RESPONSE_SCHEMA_VERSION)) {
    const message = `the handler of \`${toolId}\` returns ToolResponse ${version}, this gate requires ${TOOL_RESPONSE_SCHEMA_VERSION}`
    throw new RegistryLoadError('HANDLER_INVALID', message)
  }
  return context => execute.call(from, context)
}

/** @param {string} version */
const major = version => String(version).split('.')[0]

module.exports = { artifactPath, loadHandlers }
