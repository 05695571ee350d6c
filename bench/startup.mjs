// How long a process takes to have its tools ready: a fresh child for each measurement, the contenders in turns.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from './statistics.mjs'
import { compileToolSet } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const CHILD = fileURLToPath(new URL('startup-child.mjs', import.meta.url))
const CONTENDERS = ['js', 'js-unchecked', 'toolgate']
const run = promisify(execFile)

/**
 * @param {{ toolCount: number, times: number }} options
 * @returns {Promise<{ toolCount: number, times: number, readyMs: Record<string, number>, rssMb: Record<string, number> }>}
 *   medians
 */
export async function measureStartup({ toolCount, times }) {
  const toolSet = await compileToolSet(manyTools(toolCount))
  try {
    const results = Object.fromEntries(CONTENDERS.map((name) => [name, []]))
    for (let round = 0; round < times; round++) {
      for (const name of CONTENDERS) {
        const { stdout } = await run(process.execPath, [CHILD, name, toolSet.path], { timeout: 60_000 })
        results[name].push(JSON.parse(stdout))
      }
    }
    const medians = (field) => Object.fromEntries(CONTENDERS.map((name) => [name, median(results[name].map((result) => result[field]))]))
    return { toolCount, times, readyMs: medians('readyMs'), rssMb: medians('rssMb') }
  } finally {
    toolSet.remove()
  }
}
