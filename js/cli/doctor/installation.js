'use strict'

// Node, and the native part of the package.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { engines, napi, version: packageVersion } = require('../../../package.json')
const { ok, problem } = require('./verdict.js')

const ROOT = path.join(__dirname, '..', '..', '..')

/** @param {string} version such as `20.11.0` */
function checkNode(version = process.versions.node) {
  const oldest = Number(/\d+/.exec(engines.node)[0])
  if (Number(version.split('.')[0]) >= oldest) return ok('node', `Node ${version}`)
  return problem('node', `Node ${version} is too old`, `install Node ${oldest} or later`)
}

/**
 * @param {{ load?: () => object, platform?: string }} [options] what loads the addon, and the platform's name in packages
 * @returns {import('./verdict.js').Verdict[]}
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
  const help = `install it: \`npm install toolgate-${platform}\`; npm leaves it out with --omit=optional, or where the lock file was made on another system`
  return problem('addon', `the package \`toolgate-${platform}\` is not installed`, help)
}

/** The loader lists every place that it tried; the last one is why. */
function reason(error) {
  let cause = error
  while (cause?.cause instanceof Error) cause = cause.cause
  return String(cause?.message ?? cause).split('\n', 1)[0]
}

/** The end of the platform package's name: `linux-x64-gnu`. */
function platformName() {
  const { platform, arch } = process
  if (platform === 'win32') return `win32-${arch}-msvc`
  if (platform !== 'linux') return `${platform}-${arch}`
  const isGlibc = process.report?.getReport().header.glibcVersionRuntime !== undefined
  return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`
}

/** Rust's names of the targets that packages are built for, in the words of package names. */
const isBuilt = platform =>
  napi.targets.some(target => {
    const [arch, , system, abi] = target.split('-')
    const names = { x86_64: 'x64', aarch64: 'arm64' }
    const systems = { linux: 'linux', darwin: 'darwin', windows: 'win32' }
    return [systems[system], names[arch], abi].filter(Boolean).join('-') === platform
  })

module.exports = { checkAddon, checkNode }
