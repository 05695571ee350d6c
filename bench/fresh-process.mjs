// Measurements that need a process of their own: nothing loaded, nothing warm, nothing left behind by another.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from './statistics.mjs'

const run = promisify(execFile)
const LIMIT_MS = 120_000

/**
 * @param {string} child a module beside this one, which prints numbers by name as JSON
 * @param {string[]} args
 * @param {{ limitMs?: number }} [options]
 * @returns {Promise<Record<string, number> | null>} null if it was ended because its time was up
 */
export async function runFresh(child, args, { limitMs = LIMIT_MS } = {}) {
  const path = fileURLToPath(new URL(child, import.meta.url))
  try {
    const { stdout } = await run(process.execPath, ['--expose-gc', path, ...args], {
      timeout: limitMs,
      killSignal: 'SIGKILL',
    })
    return JSON.parse(stdout)
  } catch (problem) {
    if (problem.killed) return null
    throw problem
  }
}

/**
 * Runs each contender in fresh processes, in turns.
 * @param {{ child: string, contenders: string[], args: string[], times: number }} options `child` is started with the
 *   contender's name and `args`
 * @returns {Promise<Record<string, Record<string, number>>>} contender → number → median
 */
export async function measureFresh({ child, contenders, args, times }) {
  const results = Object.fromEntries(contenders.map(name => [name, []]))
  for (let round = 0; round < times; round++) {
    for (const name of contenders) {
      const numbers = await runFresh(child, [name, ...args])
      if (numbers === null) throw new Error(`${child} ${name} was not done within ${LIMIT_MS / 1000} s`)
      results[name].push(numbers)
    }
  }
  return Object.fromEntries(contenders.map(name => [name, medians(results[name])]))
}

function medians(results) {
  return Object.fromEntries(Object.keys(results[0]).map(field => [field, median(results.map(result => result[field]))]))
}
