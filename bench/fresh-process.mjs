// Measurements that need a process of their own: nothing loaded, nothing warm, nothing left behind by another.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from './statistics.mjs'

const run = promisify(execFile)

/**
 * Runs each contender in fresh processes, in turns.
 * @param {{ child: string, contenders: string[], args: string[], times: number }} options `child`, a module beside this
 *   one, is started with the contender's name and `args`, and prints numbers by name as JSON
 * @returns {Promise<Record<string, Record<string, number>>>} contender → number → median
 */
export async function measureFresh({ child, contenders, args, times }) {
  const path = fileURLToPath(new URL(child, import.meta.url))
  const results = Object.fromEntries(contenders.map((name) => [name, []]))
  for (let round = 0; round < times; round++) {
    for (const name of contenders) {
      const { stdout } = await run(process.execPath, [path, name, ...args], { timeout: 120_000 })
      results[name].push(JSON.parse(stdout))
    }
  }
  return Object.fromEntries(contenders.map((name) => [name, medians(results[name])]))
}

function medians(results) {
  return Object.fromEntries(Object.keys(results[0]).map((field) => [field, median(results.map((result) => result[field]))]))
}
