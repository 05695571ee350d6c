'use strict'

// Checks of the Node version and of the native addon.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { engines, napi, version: packageVersion } = require('../../../package.json')
const { ok, problem } = require('./check-result.js')

const ROOT = path.join(__dirname, '..', '..', '..')

/** @param {string} version such as `20.11.0` */
function checkNode(version = process.versions.node) {
  const oldest = Number(/** @type {RegExpExecArray} */ (/\d+/.exec(engines.node))[0])
  if (Number(version.split('.')[0]) >= oldest) return ok('node', `Node ${version}`)
  return problem('node', `Node ${version} is too old`, `install Node ${oldest} or later`)
}

/**
 * @param {{ load?: () => { addonVersion?(): string }, platform?: string }} [options] `load` loads the addon; `platform` as in package names,
 *   such as `linux-x64-gnu`
 * @returns {import('./check-result.js').CheckResult[]}
 */
function checkAddon({ load = () => require('../../../native.js'), platform = platformName() } = {}) {
  let native
  try {
    native = load()
  } catch (cause) {
    return [missingAddon(platform, cause)]
  }
  const version = native.addonVersion?.() ?? 'another'
  if (version === packageVersion) return [ok('addon', `addon for ${platform}, version ${version}`)]
  const help = `install \`toolgate\` and \`toolgate-${platform}\` in one version, or build the addon again: \`npm run build:native\``
  return [problem('addon', `the addon has version ${version}, the package ${packageVersion}`, help)]
}

/** @param {string} platform @param {unknown} cause */
function missingAddon(platform, cause) {
  const file = path.join(ROOT, `toolgate.${platform}.node`)
  if (existsSync(file)) {
    return problem(
      'addon',
      `\`${file}\` does not load: ${reason(cause)}`,
      'it is for another system or a newer one; build it here, or install the package again',
    )
  }
  if (!isBuilt(platform)) {
    return problem(
      'addon',
      `there is no addon for ${platform}`,
      'build it from the sources with Rust: `npm run build:native`',
    )
  }
  const help = `install it: \`npm install toolgate-${platform}\`; npm leaves it out with --omit=optional, or if the lock file was made on another system`
  return problem('addon', `the package \`toolgate-${platform}\` is not installed`, help)
}

/** The loader's error has one cause per path that it tried; the innermost is the reason. @param {unknown} error */
function reason(error) {
  let cause = /** @type {Error | undefined} */ (error)
  while (cause?.cause instanceof Error) cause = cause.cause
  return String(cause?.message ?? cause).split('\n', 1)[0]
}

/** The end of the platform package's name: `linux-x64-gnu`. */
function platformName() {
  const { platform, arch } = process
  if (platform === 'win32') return `win32-${arch}-msvc`
  if (platform !== 'linux') return `${platform}-${arch}`
  const report = /** @type {{ header: { glibcVersionRuntime?: string } } | undefined} */ (process.report?.getReport())
  const isGlibc = report?.header.glibcVersionRuntime !== undefined
  return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`
}

/**
 * Whether a package is built for the platform: maps Rust's target triples to package names.
 * @param {string} platform
 */
const isBuilt = platform =>
  napi.targets.some(target => {
    const [arch, , system, abi] = target.split('-')
    /** @type {Record<string, string>} */
    const names = { x86_64: 'x64', aarch64: 'arm64' }
    /** @type {Record<string, string>} */
    const systems = { linux: 'linux', darwin: 'darwin', windows: 'win32' }
    return [systems[system], names[arch], abi].filter(Boolean).join('-') === platform
  })

module.exports = { checkAddon, checkNode }
