// The addon as a file: its size, what is left of it without symbols, how long Node takes to load it.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { measureFresh } from './fresh-process.mjs'
import './toolgate.mjs'

/** A release has no symbols to lose; what more than this goes with them is a build made for tests. */
const SYMBOLS = 0.02

/** @returns {string} the file that this process has loaded */
export function addonFile() {
  const file = Object.keys(createRequire(import.meta.url).cache).find(path => path.endsWith('.node'))
  if (file === undefined) throw new Error('the addon is not loaded from a file of its own')
  return file
}

/** @returns {Promise<{ id: string, bytes: number, strippedBytes: number | null, build: 'release' | 'development' | 'unknown' }>} */
export async function describeAddon() {
  const file = addonFile()
  const bytes = statSync(file).size
  const strippedBytes = await sizeStripped(file)
  const id = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)
  return { id, bytes, strippedBytes, build: buildOf(bytes, strippedBytes) }
}

/** @param {number} bytes @param {number | null} strippedBytes */
export function buildOf(bytes, strippedBytes) {
  if (strippedBytes === null) return 'unknown'
  return strippedBytes < bytes * (1 - SYMBOLS) ? 'development' : 'release'
}

/** @returns {Promise<number | null>} of a copy; null if there is no `strip` */
async function sizeStripped(file) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-strip-'))
  const copy = join(folder, 'addon.node')
  try {
    copyFileSync(file, copy)
    // macOS' strip takes no long options.
    await promisify(execFile)('strip', [process.platform === 'darwin' ? '-x' : '--strip-unneeded', copy], {
      timeout: 30_000,
    })
    return statSync(copy).size
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns {Promise<{ loadMs: number }>} */
export async function measureLoad({ isQuick }) {
  const { toolgate } = await measureFresh({
    child: 'load-child.mjs',
    contenders: ['toolgate'],
    args: [addonFile()],
    times: isQuick ? 1 : 9,
  })
  return toolgate
}
