// The packages that others use for the same: in a folder of their own, installed when they are asked for.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { callMaker, makeCase, series } from './cases.mjs'
import { median, pairedDifference, spread, pairedRatio } from './statistics.mjs'

const folder = fileURLToPath(new URL('./peers/', import.meta.url))
const INSTALL_MS = 300_000

/** @returns {import('./cases.mjs').Case} the same small calls for all */
export function peersCase() {
  const make = callMaker({})
  return makeCase('peers', 'peers', 'peers: 100 B, text, provider id', {
    extent: [2, 20, 8],
    makeTurn: (from, count) => ({ calls: series(make, from, count) }),
    contenders: ['js', 'toolgate', 'floor'],
  })
}

/** Whether what the lock names is there. */
export function arePeersInstalled() {
  const installed = `${folder}node_modules/.package-lock.json`
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${folder}package-lock.json`).mtimeMs
}

/** @returns {Promise<string | null>} why they could not be installed, null if they are there */
export async function installPeers() {
  if (arePeersInstalled()) return null
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    // `npm ci` refuses a lock that lacks a package of another platform, as a registry that serves this one alone makes it.
    await promisify(execFile)(npm, ['install', '--no-save', '--ignore-scripts'], {
      cwd: folder,
      timeout: INSTALL_MS,
      shell: process.platform === 'win32',
    })
    return null
  } catch (problem) {
    const said = (problem.stderr || problem.message)
      .split('\n')
      .filter(line => line.startsWith('npm error'))
      .slice(0, 2)
      .join('; ')
    return `npm install in bench/peers failed: ${said || problem.message}`
  }
}

/** The peers as contenders, loaded from their own folder. */
export async function openPeers(setting) {
  const { peerContender, peerNames } = await import('./peers/contenders.mjs')
  return Promise.all(peerNames.map(name => peerContender(name, setting)))
}

export function peerVersions() {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const installed = name => JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8')).version
  return Object.fromEntries(Object.keys(dependencies).map(name => [name, installed(name)]))
}

/**
 * How many times Toolgate's time each takes. Of the AI SDK the same run without a tool is taken off.
 * @param {Record<string, { us: number[] }>} rounds
 * @returns {{ us: Record<string, number>, times: Record<string, import('./statistics.mjs').Spread> }}
 */
export function comparePeers({ toolgate, js, floor, ...peers }) {
  const { 'ai-sdk': withTool, 'ai-sdk-without': without, ...whole } = peers
  const samples = {
    ...Object.fromEntries(Object.entries(whole).map(([name, { us }]) => [name, us])),
    'ai-sdk': pairedDifference(withTool.us, without.us),
  }
  return {
    us: mapValues({ floor: floor.us, js: js.us, toolgate: toolgate.us, ...samples }, median),
    times: mapValues({ js: js.us, ...samples }, us => pairedRatio(us, toolgate.us)),
    wholeUs: { 'ai-sdk': spread(withTool.us).median, 'ai-sdk-without': spread(without.us).median },
  }
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))
}
