'use strict'

// Finds the tool set of the project that the process runs in.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { RegistryLoadError } = require('../answers/errors.js')

const ARTIFACT = 'tool_registry.json'
const DEFAULT_FOLDER = 'tools'

/** The tool set that the package ships. */
const shippedTools = path.join(__dirname, '..', '..', DEFAULT_FOLDER, ARTIFACT)

/**
 * The artifact that `toolgate build` writes: in the folder that `toolgate.out` (or `toolgate.tools`) of the nearest
 * package.json names, else in the nearest `tools` folder from `cwd` upwards.
 *
 * @param {string} [cwd]
 * @returns {string} an absolute path
 * @throws {RegistryLoadError} `ARTIFACT_MISSING` with all places that were searched
 */
function findProjectArtifact(cwd = process.cwd()) {
  const config = projectConfig(cwd)
  const configured = config && path.resolve(config.home, config.out ?? config.tools ?? DEFAULT_FOLDER, ARTIFACT)
  const candidates = configured
    ? [configured]
    : foldersUpwards(cwd).map(home => path.join(home, DEFAULT_FOLDER, ARTIFACT))
  const found = candidates.find(file => existsSync(file))
  if (found === undefined) throw missing(candidates)
  return found
}

/** @param {string} cwd */
function projectConfig(cwd) {
  try {
    // Loaded here: a registry with an explicit artifact does not need it.
    return require('../cli/config.js').readConfig(cwd)
  } catch (cause) {
    throw new RegistryLoadError('ARTIFACT_MISSING', /** @type {Error} */ (cause).message, { cause })
  }
}

/** @param {string} folder @returns {string[]} the folder, then its parents */
function foldersUpwards(folder) {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpwards(parent)]
}

/** @param {string[]} candidates */
function missing(candidates) {
  const places = candidates.map(file => `\`${file}\``).join(', ')
  const advice = [
    'run `npx toolgate build` (`npx toolgate init` writes a first tool), or name the file with `createRegistry({ artifact })`',
    'a bundler or a container image may have left it out: copy it with the handlers that it names',
    'the tools that the package ships are `createRegistry({ artifact: shippedTools })`',
  ]
  return new RegistryLoadError('ARTIFACT_MISSING', `no tool set was found in ${places}; ${advice.join('; ')}`)
}

module.exports = { findProjectArtifact, shippedTools }
