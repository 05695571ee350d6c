// What must not grow: the time of one operation with few and with many sessions, tools, records, turns and questions.
import { latenciesOf } from '../statistics.mjs'
import { compileToolSet } from '../tool-set.mjs'
import { toolgate } from '../toolgate.mjs'
import { manyTools } from '../workload.mjs'
import { withNotes } from './gate.mjs'
import { measureOneSession } from './one-session.mjs'

const SAMPLES = 300
const QUICK_SAMPLES = 60
const SESSION_COUNTS = [1000, 10_000, 100_000]
/** The last is beyond the limit: each session that is created drops the one that is idle for longest. */
const EVICTING_COUNTS = [1000, 9000, 10_500]
const TOOL_COUNTS = [50, 500, 5000]

/** @typedef {({ count: number } & import('../statistics.mjs').Latencies)[]} Curve latencies at each count */

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ sessions: Curve, evicting: Curve, tools: Curve, oneSession: Awaited<ReturnType<typeof measureOneSession>> }>}
 *   a session created among so many, without and with the default limit of sessions; an unknown name among so many tools
 */
export async function measureGrowth({ isQuick }) {
  const samples = isQuick ? QUICK_SAMPLES : SAMPLES
  const tools = []
  for (const count of TOOL_COUNTS) tools.push(await measureUnknownName(count, samples))
  // Code that is compiled as it runs must not make the first point of a curve slow.
  await measureSessions([2 * SESSION_COUNTS[0]], samples)
  return {
    sessions: await measureSessions(isQuick ? SESSION_COUNTS.slice(0, 2) : SESSION_COUNTS, samples, 1e6),
    evicting: await measureSessions(EVICTING_COUNTS, samples),
    tools,
    oneSession: await measureOneSession({ isQuick }),
  }
}

/** @param {number[]} counts @param {number} samples @param {number} [maxSessions] */
function measureSessions(counts, samples, maxSessions) {
  return withNotes({ maxSessions }, async registry => {
    const curve = []
    let created = 0
    const create = () => registry.createSession({ sessionId: `growth-${created++}`, mode: 'text' })
    const createAndLeave = () => create().then(session => session.detach())
    for (const count of counts) {
      while (created < count) await createAndLeave()
      // What the filling has left behind is not for the samples to clear up.
      globalThis.gc?.()
      curve.push({ count, ...(await timesOf(createAndLeave, samples)) })
    }
    return curve
  })
}

async function measureUnknownName(count, samples) {
  const toolSet = await compileToolSet(manyTools(count))
  const handlers = Object.fromEntries(manyTools(count).map(({ toolId }) => [toolId, () => ({ ok: true })]))
  const registry = toolgate.createRegistry({ artifact: toolSet.path, handlers, audit: 'none' })
  try {
    await registry.load()
    const session = await registry.createSession({ sessionId: 'growth', mode: 'text' })
    return { count, ...(await timesOf(() => session.executeText({ name: 'tol_1234x', args: '{}' }), samples)) }
  } finally {
    await registry.close()
    toolSet.remove()
  }
}

/** @param {() => Promise<unknown>} operation @param {number} samples */
async function timesOf(operation, samples) {
  const times = []
  for (let sample = 0; sample < samples; sample++) {
    const started = performance.now()
    await operation()
    times.push(performance.now() - started)
  }
  return latenciesOf(times)
}

/** The ratio of the last point of a curve to its first. @param {Curve | undefined} curve */
export function growthOf(curve) {
  return curve && curve.at(-1).p50Ms / curve[0].p50Ms
}
