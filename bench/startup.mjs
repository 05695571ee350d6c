// How long a process takes to have its tools ready, and the memory it then holds: a fresh child for each measurement, the
// contenders in turns.
import { measureFresh } from './fresh-process.mjs'
import { compileToolSet } from './tool-set.mjs'
import { manyTools } from './workload.mjs'

const CONTENDERS = ['bare', 'js', 'js-unchecked', 'toolgate']
/** How often each set is started: the largest takes Ajv many seconds. */
const SETS = [
  { toolCount: 20, times: 9 },
  { toolCount: 500, times: 11 },
  { toolCount: 5000, times: 1 },
]

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ toolCount: number, times: number, medians: Record<string, { readyMs: number, rssMb: number }> }[]>}
 *   by contender; `rssMb` of all but `bare` is what they hold beyond a bare process
 */
export async function measureStartup({ isQuick }) {
  const measured = []
  for (const { toolCount, times } of SETS) measured.push(await measureSet(toolCount, isQuick ? 1 : times))
  return measured
}

async function measureSet(toolCount, times) {
  const toolSet = await compileToolSet(manyTools(toolCount))
  try {
    const { bare, ...loaded } = await measureFresh({
      child: 'startup-child.mjs',
      contenders: CONTENDERS,
      args: [toolSet.path, String(toolCount)],
      times,
    })
    const beyondBare = ([name, { readyMs, rssMb }]) => [name, { readyMs, rssMb: rssMb - bare.rssMb }]
    return { toolCount, times, medians: { bare, ...Object.fromEntries(Object.entries(loaded).map(beyondBare)) } }
  } finally {
    toolSet.remove()
  }
}
