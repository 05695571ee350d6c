'use strict'

// Checks at load that the package can run: Node, the native addon and its version, and other versions in the process.

const { version } = require('../../package.json')

/** The copies of the package that the process has loaded: version → folder. */
const LOADED = Symbol.for('toolgate.loadedVersions')

/**
 * @throws {Error} with `code` `TOOLGATE_INSTALLATION`: what is missing, and how it is installed
 */
function checkInstallation() {
  // The addon is loaded here first, so that its absence has one message.
  const load = () => require('../../native.js')
  if (!isUsable(load)) throw installationError(load)
  noteVersion()
}

/** @param {() => { addonVersion?(): string }} load */
function isUsable(load) {
  try {
    return Number(process.versions.node.split('.')[0]) >= 20 && load().addonVersion?.() === version
  } catch {
    return false
  }
}

/** @param {() => { addonVersion?(): string }} load */
function installationError(load) {
  // Loaded only for the message.
  const { checkAddon, checkNode } = require('../cli/doctor/check-installation.js')
  const [{ message, help }] = [checkNode(), ...checkAddon({ load })].filter(({ status }) => status === 'problem')
  return Object.assign(new Error(`toolgate can't be loaded: ${message}; ${help}`), { code: 'TOOLGATE_INSTALLATION' })
}

/** Warns if the process has loaded another version: their registries and errors are separate. */
function noteVersion() {
  const folder = require('node:path').join(__dirname, '..', '..')
  /** @type {Map<string, string>} */
  const loaded = Reflect.get(globalThis, LOADED) ?? new Map()
  const other = [...loaded].find(([one]) => one !== version)
  if (other !== undefined && !loaded.has(version)) {
    process.emitWarning(
      `toolgate ${version} (${folder}) and ${other[0]} (${other[1]}) are loaded in one process, and share no registry; ` +
        'install one version, see `npm ls toolgate`',
      { type: 'ToolgateWarning', code: 'TOOLGATE_TWO_VERSIONS' },
    )
  }
  loaded.set(version, folder)
  Reflect.set(globalThis, LOADED, loaded)
}

module.exports = { checkInstallation }
