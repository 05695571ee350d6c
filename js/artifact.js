'use strict'

// The path of the compiled tool set, and the import of its handlers.

const { existsSync } = require('node:fs')
const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

const { MODULE_NAMES } = require('./authoring/schema-modules.js')
const { RegistryLoadError } = require('./errors.js')
const { findProjectArtifact } = require('./project-artifact.js')
const { runnableSchema } = require('./schema-code.js')
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
 * @typedef {{ execute: Execute, schema?: import('./schema-code.js').RunnableSchema, hasParameters: boolean }} LoadedHandler
 *   `schema`: the library schema whose code runs on the arguments
 * @typedef {Partial<HandlerModule> & { default?: Partial<HandlerModule> }} ImportedModule its unchecked exports
 * @typedef {{ file: string, given?: Record<string, GivenHandler>, fresh?: string }} HandlerSource `file`: the artifact;
 *   `given`: the host's handlers by tool; `fresh`: the tool set version whose modules are imported again
 */

/**
 * Imports each tool's handler unless `given` contains it. One after another: the module loaders of test runners (Jest,
 * Vitest's `vmThreads`) fail if two imports that share modules overlap.
 * @param {[toolId: string, handlerPath: string][]} paths
 * @param {HandlerSource} source
 * @returns {Promise<Map<string, LoadedHandler>>} by tool
 */
async function loadHandlers(paths, { file, given = {}, fresh }) {
  const folder = path.dirname(file)
  /** @type {Map<string, LoadedHandler>} */
  const loaded = new Map()
  for (const [toolId, handlerPath] of paths) {
    const handler = path.resolve(folder, handlerPath)
    loaded.set(
      toolId,
      Object.hasOwn(given, toolId)
        ? checkedHandler(toolId, given[toolId])
        : await importedHandler(toolId, handler, fresh),
    )
  }
  return loaded
}

/** @param {string} toolId @param {string} file @param {string | undefined} fresh @returns {Promise<LoadedHandler>} */
async function importedHandler(toolId, file, fresh) {
  const handler = checkedHandler(toolId, await importFresh(`the handler of \`${toolId}\``, file, fresh))
  if (handler.hasParameters) return handler
  return { ...handler, schema: await siblingSchema(toolId, path.dirname(file), fresh) }
}

/**
 * The library schema of a schema module beside a handler that exports no `parameters`.
 * @param {string} toolId
 * @param {string} folder
 * @param {string | undefined} fresh
 */
async function siblingSchema(toolId, folder, fresh) {
  const name = MODULE_NAMES.find(name => existsSync(path.join(folder, name)))
  if (name === undefined) return undefined
  const module = await importFresh(`\`${name}\` of \`${toolId}\``, path.join(folder, name), fresh)
  const { default: exported } = /** @type {{ default?: { default?: any, parameters?: unknown } }} */ (module)
  return runnableSchema(exported?.parameters ?? exported?.default?.parameters)
}

/**
 * `fresh`, a tool set version, is added to the URL to import the module again: Node caches modules by URL.
 * @param {string} what
 * @param {string} file
 * @param {string | undefined} fresh
 * @returns {Promise<ImportedModule>}
 */
async function importFresh(what, file, fresh) {
  const url = pathToFileURL(file)
  if (fresh !== undefined) url.searchParams.set('v', fresh)
  try {
    return await import(url.href)
  } catch (cause) {
    const reason = /** @type {Partial<Error> | null} */ (cause)?.message ?? cause
    throw new RegistryLoadError('HANDLER_INVALID', `${what} can't be imported: ${reason}`, { cause })
  }
}

/** @param {string} toolId @param {GivenHandler | ImportedModule | undefined} module @returns {LoadedHandler} */
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
  const parameters = from?.parameters ?? from?.default?.parameters
  return {
    execute: context => execute.call(from, context),
    schema: runnableSchema(parameters),
    hasParameters: parameters !== undefined,
  }
}

/** @param {string} version */
const major = version => String(version).split('.')[0]

module.exports = { artifactPath, loadHandlers }
