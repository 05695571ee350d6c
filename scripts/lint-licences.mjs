// `npm run lint` runs this: the licences of what is installed with the package, the voice server and the web app, by their
// lock files. Development dependencies are not distributed. Crates are checked by cargo-deny.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import satisfies from 'spdx-satisfies'

const root = fileURLToPath(new URL('..', import.meta.url))
const LOCK_FILES = ['package-lock.json', 'web/package-lock.json']

const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0', 'ISC', 'MIT', 'MPL-2.0', 'OFL-1.1']
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

/** @param {string | undefined} license an SPDX expression */
function isAllowed(license) {
  if (license === undefined) return false
  try {
    return satisfies(license, ALLOWED)
  } catch {
    // No SPDX expression, such as `SEE LICENSE IN LICENSE`.
    return false
  }
}

function main() {
  const faults = LOCK_FILES.flatMap(file => {
    const lock = JSON.parse(readFileSync(path.join(root, file), 'utf8'))
    return licenceFaults(lock).map(fault => `${file}: ${fault}`)
  })
  for (const fault of faults) console.error(fault)
  console.log(faults.length === 0 ? 'licences: no problem' : `licences: ${faults.length} not allowed`)
  if (faults.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
