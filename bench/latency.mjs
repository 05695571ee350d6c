// What a single call takes, in percentiles: one after the other through a session in memory, beside the floor.
import { callMaker, SIZE_TITLES } from './cases.mjs'
import { contenders } from './contenders.mjs'
import { milliseconds } from './report.mjs'
import { latenciesOf } from './statistics.mjs'
import { compileToolSet } from './tool-set.mjs'
import { handlers, tools } from './workload.mjs'

const SIZES = { small: 2000, medium: 2000, large: 200, huge: 40 }
const CALLS_PER_TURN = 8
const TURNS_PER_SESSION = 40

/** @typedef {{ size: string, calls: number, latencies: Record<'toolgate' | 'floor', import('./statistics.mjs').Latencies> }} CallLatency */

/** @param {{ isQuick: boolean }} options @returns {Promise<CallLatency[]>} */
export async function measureLatency({ isQuick }) {
  const toolSet = await compileToolSet(tools)
  const opened = {
    toolgate: await contenders.toolgate({ toolSet, handlers }),
    floor: await contenders.floor({ toolSet, handlers }),
  }
  try {
    const rows = []
    for (const [size, count] of Object.entries(SIZES)) {
      const calls = isQuick ? Math.ceil(count / 10) : count
      const latencies = {}
      for (const [name, contender] of Object.entries(opened)) latencies[name] = await timesOf(contender, size, calls)
      rows.push({ size, calls, latencies })
    }
    return rows
  } finally {
    for (const contender of Object.values(opened)) await contender.close()
    toolSet.remove()
  }
}

/** As many calls again come first, so that their code is compiled. */
async function timesOf(contender, size, count) {
  const make = callMaker({ size })
  const times = []
  let session = await contender.open()
  for (let n = 0; n < 2 * count; n++) {
    if (n > 0 && n % (CALLS_PER_TURN * TURNS_PER_SESSION) === 0) {
      await session.end?.()
      session = await contender.open()
    }
    if (n % CALLS_PER_TURN === 0) await session.beginTurn?.()
    const call = make(1 + n * 10_000)
    const started = performance.now()
    const answer = await session.executeText(call)
    const took = performance.now() - started
    if (!answer.startsWith('{"ok":true')) throw new Error(`${size}: ${contender.name}: ${answer.slice(0, 300)}`)
    if (n >= count) times.push(took)
  }
  await session.end?.()
  return latenciesOf(times)
}

/** @param {CallLatency} row @returns {string[]} what, Toolgate's percentiles, and the floor's */
export const latencyCells = ({ size, latencies: { toolgate, floor } }) => [
  SIZE_TITLES[size],
  ...[toolgate, floor].flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms].map(milliseconds)),
]

/** @param {CallLatency[]} rows */
export function callLatencyLines(rows) {
  const line = row => {
    const [title, ...figures] = latencyCells(row)
    return `  ${title.padEnd(7)} ${figures.slice(0, 3).join(' / ')}; floor ${figures.slice(3).join(' / ')}`
  }
  return ['One call, in memory, from its text to its answer (ms, p50 / p95 / p99)', ...rows.map(line)]
}
