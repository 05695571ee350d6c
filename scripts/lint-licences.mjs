// `npm run lint` runs this: the licences and sources of what is built into the addon, and of what is installed with the package, the
// voice server and the web app, by the lock files. Development dependencies of npm are not distributed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import satisfies from 'spdx-satisfies'

const root = fileURLToPath(new URL('..', import.meta.url))
const LOCK_FILES = ['package-lock.json', 'web/package-lock.json', 'site/package-lock.json']

const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0', 'ISC', 'MIT', 'MPL-2.0', 'OFL-1.1']
/** What crates have besides. */
const ALLOWED_CRATES = [...ALLOWED, 'Apache-2.0 WITH LLVM-exception', 'BSL-1.0', 'MIT-0', 'Unicode-3.0', 'Zlib']
/** Where each crate comes from that is not in this repository, as cargo writes it into its lock file. */
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'
/** Packages with another licence: their names begin so, and why they are taken. */
const EXCEPTIONS = [
  // LGPL: a library of its own, loaded at run time, which users can replace; Next installs it, and the app does not use it.
  '@img/sharp-',
]

/**
 * @param {{ packages: Record<string, { license?: string, dev?: boolean, link?: boolean }> }} lock
 * @returns {string[]} a line for each package whose licence is not allowed
 */
export function licenceFaults({ packages }) {
  const installed = Object.entries(packages).filter(
    ([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link,
  )
  return installed.flatMap(([place, { license }]) => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (EXCEPTIONS.some(beginning => name.startsWith(beginning)) || isAllowed(license)) return []
    return [`${name}: ${license ?? 'no licence'}`]
  })
}

/**
 * @param {{ packages: { name: string, version: string, license: string | null, source: string | null }[] }} metadata of `cargo metadata`
 * @returns {string[]} a line for each crate whose licence or source is not allowed
 */
export const crateFaults = ({ packages }) =>
  packages.flatMap(({ name, version, license, source }) => {
    const faults = []
    // Older manifests separate alternatives by a slash.
    if (!isAllowed(license?.replaceAll('/', ' OR '), ALLOWED_CRATES)) faults.push(license ?? 'no licence')
    if (source !== null && source !== CRATES_IO) faults.push(`from ${source}`)
    return faults.map(fault => `${name} ${version}: ${fault}`)
  })

/** @param {string | undefined} license an SPDX expression @param {string[]} [allowed] */
function isAllowed(license, allowed = ALLOWED) {
  if (license === undefined) return false
  try {
    return satisfies(license, allowed)
  } catch {
    // No SPDX expression, such as `SEE LICENSE IN LICENSE`.
    return false
  }
}

function cargoMetadata() {
  const args = ['metadata', '--format-version', '1', '--locked', '--all-features']
  const { status, stdout, stderr } = spawnSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`cargo metadata failed: ${stderr}`)
  return JSON.parse(stdout)
}

function main() {
  const faults = LOCK_FILES.flatMap(file => {
    const lock = JSON.parse(readFileSync(path.join(root, file), 'utf8'))
    return licenceFaults(lock).map(fault => `${file}: ${fault}`)
  })
  faults.push(...crateFaults(cargoMetadata()).map(fault => `Cargo.lock: ${fault}`))
  for (const fault of faults) console.error(fault)
  console.log(faults.length === 0 ? 'licences: no problem' : `licences: ${faults.length} not allowed`)
  if (faults.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
