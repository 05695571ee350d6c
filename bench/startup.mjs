// How long a process takes to have its tools ready: a fresh child for each measurement, the contenders in turns.
import { measureFresh } from './fresh-process.mjs'
import { compileToolSet } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const CONTENDERS = ['js', 'js-unchecked', 'toolgate']

/**
 * @param {{ toolCount: number, times: number }} options
 * @returns {Promise<{ toolCount: number, times: number, medians: Record<string, { readyMs: number, rssMb: number }> }>}
 */
export async function measureStartup({ toolCount, times }) {
  const toolSet = await compileToolSet(manyTools(toolCount))
  try {
    const args = [toolSet.path, String(toolCount)]
    return { toolCount, times, medians: await measureFresh({ child: 'startup-child.mjs', contenders: CONTENDERS, args, times }) }
  } finally {
    toolSet.remove()
  }
}
