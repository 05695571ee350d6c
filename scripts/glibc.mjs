// The versions of the GNU C library that an addon needs: `node scripts/glibc.mjs <addon>...` fails above the floor.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The oldest version that is supported: Debian 10, Ubuntu 18.10, RHEL 8, and the base images of the usual hosts. */
export const GLIBC_FLOOR = '2.28'

/**
 * The newest version of the GNU C library that an ELF file refers to; `null` if it refers to none.
 *
 * @param {string} file
 */
export function requiredGlibc(file) {
  const text = execFileSync('readelf', ['--version-info', '--wide', file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const versions = [...text.matchAll(/Name: GLIBC_([\d.]+)/g)].map(([, version]) => version)
  return versions.sort(compareVersions).at(-1) ?? null
}

/** @param {string} one @param {string} other @returns {number} negative if `one` is older */
export function compareVersions(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}

function main() {
  for (const file of process.argv.slice(2)) {
    const required = requiredGlibc(file)
    const isTooNew = required !== null && compareVersions(required, GLIBC_FLOOR) > 0
    console.log(
      `${file}: ${required === null ? 'no GNU C library' : `glibc ${required}`}${isTooNew ? `, above ${GLIBC_FLOOR}` : ''}`,
    )
    if (isTooNew) process.exitCode = 1
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
