// What must not grow: the time of one operation with few and with many sessions and tools, in one process.
import { median } from './statistics.mjs'
import { compileToolSet } from './tool-set.mjs'
import { toolgate } from './toolgate.mjs'
import { manyTools } from './workload.mjs'

const OPERATIONS_PER_SAMPLE = 20
const SAMPLES = 15
const QUICK_SAMPLES = 3
const SESSION_COUNTS = [1000, 9000, 10_500]
const TOOL_COUNTS = [50, 500, 5000]

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Record<'sessions' | 'tools', { count: number, microseconds: number }[]>>} the median time of one
 *   operation at each count: a session created among so many, an unknown name among so many tools
 */
export async function measureGrowth({ isQuick }) {
  const samples = isQuick ? QUICK_SAMPLES : SAMPLES
  const tools = []
  for (const count of TOOL_COUNTS) tools.push(await measureUnknownName(count, samples))
  return { sessions: await measureSessions(samples), tools }
}

function measureSessions(samples) {
  return withRegistry(1, async registry => {
    const curve = []
    let created = 0
    const create = () => registry.createSession({ sessionId: `growth-${created++}`, mode: 'text' })
    for (const count of SESSION_COUNTS) {
      while (created < count) await create().then(session => session.detach())
      curve.push({ count, microseconds: await timeOf(() => create().then(session => session.detach()), samples) })
    }
    return curve
  })
}

function measureUnknownName(count, samples) {
  return withRegistry(count, async registry => {
    const session = await registry.createSession({ sessionId: 'growth', mode: 'text' })
    const microseconds = await timeOf(() => session.executeText({ name: 'tol_1234x', args: '{}' }), samples)
    return { count, microseconds }
  })
}

/** Runs with a registry of so many tools, of which none is called. */
async function withRegistry(toolCount, run) {
  const toolSet = await compileToolSet(manyTools(toolCount))
  const handlers = Object.fromEntries(manyTools(toolCount).map(({ toolId }) => [toolId, () => ({ ok: true })]))
  const registry = toolgate.createRegistry({ artifact: toolSet.path, handlers, audit: 'none' })
  try {
    await registry.load()
    return await run(registry)
  } finally {
    await registry.close()
    toolSet.remove()
  }
}

/** The median time of one operation, in microseconds. */
async function timeOf(operation, samples) {
  const times = []
  for (let sample = 0; sample < samples; sample++) {
    const start = process.hrtime.bigint()
    for (let n = 0; n < OPERATIONS_PER_SAMPLE; n++) await operation()
    times.push(Number(process.hrtime.bigint() - start) / 1000 / OPERATIONS_PER_SAMPLE)
  }
  return median(times)
}

/** The ratio of the last point of a curve to its first. */
export function growthOf(curve) {
  return curve && curve.at(-1).microseconds / curve[0].microseconds
}

/** @param {Awaited<ReturnType<typeof measureGrowth>>} growth */
export function growthLines({ sessions, tools }) {
  return [
    ...curveLines('Creating a session among', 'sessions', sessions),
    ...curveLines('An unknown name among', 'tools', tools),
  ]
}

function curveLines(title, what, curve) {
  const points = curve.map(({ count, microseconds }) => `${count}: ${microseconds.toFixed(1)} µs`)
  return [`${title} so many ${what}: ${points.join(', ')}; ${growthOf(curve).toFixed(2)} times from first to last`]
}
