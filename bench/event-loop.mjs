// How long everything else in a process waits while calls with 2 MB of arguments come in: a heartbeat every 5 ms, and how
// late it was. A fresh child for each measurement, the contenders in turns.
import { measureFresh } from './fresh-process.mjs'
import { compileToolSet } from './tool-set.mjs'
import { tools } from './workload.mjs'

const CONTENDERS = ['idle', 'naive', 'js', 'toolgate']

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Record<'id' | 'hash', Record<string, { maxMs: number, callMs: number } & import('./statistics.mjs').Latencies>>>} by how calls are
 *   known and by contender; `idle` is the machine's own noise
 */
export async function measureEventLoop({ isQuick }) {
  const toolSet = await compileToolSet(tools)
  const measureKey = key =>
    measureFresh({
      child: 'event-loop-child.mjs',
      contenders: CONTENDERS,
      args: [toolSet.path, key],
      times: isQuick ? 1 : 3,
    })
  try {
    return { id: await measureKey('id'), hash: await measureKey('hash') }
  } finally {
    toolSet.remove()
  }
}
