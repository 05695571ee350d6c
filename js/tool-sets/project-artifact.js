'use strict'

// Finds the tools of the project that the process runs in: the compiled set, and the folder that it is built from.

const { existsSync, realpathSync } = require('node:fs')
const path = require('node:path')

const { RegistryLoadError } = require('../answers/errors.js')
const { INSTALL_SHIPPED_TOOLS, hasShippedTools, shippedTools } = require('./shipped-tools.js')

const ARTIFACT = 'tool_registry.json'
const DEFAULT_FOLDER = 'tools'
const DEFAULT_SOURCES = 'sources'

/**
 * The artifact that `toolgate build` writes: in the folder that `toolgate.out` (or `toolgate.tools`) of the nearest
 * package.json names, else in the nearest `tools` folder from `cwd` upwards.
 *
 * @param {string} [cwd]
 * @returns {string} an absolute path
 * @throws {RegistryLoadError} `ARTIFACT_MISSING` with all places that were searched
 */
function findProjectArtifact(cwd = process.cwd()) {
  const candidates = candidatesOf(cwd)
  const found = candidates.find(file => existsSync(file))
  if (found === undefined) throw missing(candidates)
  return found
}

/**
 * The project's artifact, else the shipped one.
 *
 * @param {string} [cwd]
 * @returns {{ file: string, searched: string[] | null }} `searched`: the places that have none, if the shipped one is used
 * @throws {RegistryLoadError} if the configuration of the project is wrong, or there is neither
 */
function projectArtifactOrShipped(cwd = process.cwd()) {
  const candidates = candidatesOf(cwd)
  const found = candidates.find(file => existsSync(file))
  if (found !== undefined) return { file: found, searched: null }
  if (!hasShippedTools) throw missing(candidates)
  return { file: shippedTools, searched: candidates }
}

/**
 * What `buildTools` takes for the project: its tools folder, and what the field `toolgate` of its package.json says.
 *
 * @param {string} [cwd]
 * @returns {import('./compile.js').BuildOptions & { toolsDir: string }}
 * @throws {TypeError} if there is no tools folder, or it belongs to an installed package
 */
function projectSources(cwd = process.cwd()) {
  const config = projectConfig(cwd)
  const candidates = config
    ? [path.resolve(config.home, config.tools ?? DEFAULT_FOLDER)]
    : foldersUpwards(cwd).map(home => path.join(home, DEFAULT_FOLDER))
  const toolsDir = candidates.find(folder => existsSync(folder))
  if (toolsDir === undefined) {
    const places = candidates.map(folder => `\`${folder}\``).join(', ')
    throw new TypeError(`no tools folder was found in ${places}; name it with \`buildTools({ toolsDir })\``)
  }
  if (isInstalled(toolsDir)) {
    throw new TypeError(`\`${toolsDir}\` belongs to an installed package; run the build in the folder of the project`)
  }
  if (config === null) return { toolsDir, sourcesDir: path.join(path.dirname(toolsDir), DEFAULT_SOURCES) }
  const { home, out, sources = DEFAULT_SOURCES, modes, providers, services } = config
  const outDir = out === undefined ? undefined : path.resolve(home, out)
  return { toolsDir, outDir, sourcesDir: path.resolve(home, sources), modes, providers, services }
}

/** The folder of the project's sources, which may not exist. @param {string} [cwd] */
function projectSourcesFolder(cwd = process.cwd()) {
  const config = projectConfig(cwd)
  return path.resolve(config?.home ?? cwd, config?.sources ?? DEFAULT_SOURCES)
}

/** The tools folder that package.json names; null if it says nothing of tools. @param {string} [cwd] */
function projectToolsFolder(cwd = process.cwd()) {
  const config = projectConfig(cwd)
  return config && path.resolve(config.home, config.tools ?? DEFAULT_FOLDER)
}

/** @param {string} folder */
const isInstalled = folder =>
  [path.resolve(folder), realpathSync(folder)].some(place => place.split(path.sep).includes('node_modules'))

/** @param {string} cwd */
function candidatesOf(cwd) {
  const config = projectConfig(cwd)
  return config
    ? [path.resolve(config.home, config.out ?? config.tools ?? DEFAULT_FOLDER, ARTIFACT)]
    : foldersUpwards(cwd).map(home => path.join(home, DEFAULT_FOLDER, ARTIFACT))
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
    hasShippedTools ? 'the shipped tools are `createRegistry({ artifact: shippedTools })`' : INSTALL_SHIPPED_TOOLS,
  ]
  return new RegistryLoadError('ARTIFACT_MISSING', `no tool set was found in ${places}; ${advice.join('; ')}`)
}

module.exports = {
  findProjectArtifact,
  projectArtifactOrShipped,
  projectSources,
  projectSourcesFolder,
  projectToolsFolder,
}
