// Other versions of the SDKs that the adapters are for, each set in a folder that stays for the next run.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const cache = path.join(root, '.toolgate', 'peers')
const { peerDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
const OUTPUT_BYTES = 2 ** 26
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
/** Newest versions are looked up again after this time. */
const NEWEST_MS = 24 * 60 * 60 * 1000

/**
 * The versions of SDKs at the ends of their declared ranges.
 *
 * @param {string[]} names of peer dependencies
 * @param {number} [alternative] which part of a range that has `||`: its lowest, and its newest
 * @returns {{ lowest: Record<string, string>, newest: Record<string, string> }}
 */
export function endsOf(names, alternative = 0) {
  const partOf = name => {
    const parts = peerDependencies[name].split('||').map(part => part.trim())
    return parts[alternative] ?? parts[0]
  }
  const lowestOf = name => /\d+\.\d+\.\d+/.exec(partOf(name))[0]
  return {
    lowest: Object.fromEntries(names.map(name => [name, lowestOf(name)])),
    newest: Object.fromEntries(names.map(name => [name, partOf(name)])),
  }
}

/**
 * @param {Record<string, string>} dependencies
 * @returns {Promise<string>} a folder whose `node_modules` has them
 */
export async function installPeers(dependencies) {
  const wanted = JSON.stringify([dependencies, process.platform, process.arch])
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 16)
  const key = isExact(dependencies) ? 'exact' : `day-${Math.floor(Date.now() / NEWEST_MS)}`
  const folder = path.join(cache, `${hash}-${key}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const made = await mkdtemp(path.join(cache, 'new-'))
  try {
    await writeFile(path.join(made, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await promisify(execFile)('npm', ['install', ...FLAGS], { cwd: made, maxBuffer: OUTPUT_BYTES })
    await rename(made, folder)
    const older = (await readdir(cache)).filter(name => name.startsWith(hash) && name !== path.basename(folder))
    for (const name of older) await rm(path.join(cache, name), { recursive: true, force: true })
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    // Another process may have installed the same.
    if (!existsSync(folder)) throw error
  }
  return folder
}

const isExact = dependencies => Object.values(dependencies).every(version => /^(npm:.*@)?\d+\.\d+\.\d+$/.test(version))
