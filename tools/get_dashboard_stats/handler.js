// The gate's own counters, through the host service `dashboard`, as totals and the busiest tools.
import { success } from '../_core/tool-response.js'
import { serviceFailure } from '../_services/service-errors.js'
import { unusableAnswer } from '../_services/usable-answer.js'

/** @type {Record<string, 'calls' | 'replays' | 'retries' | 'timeouts' | 'cancellations' | 'resultBytes'>} */
const SUMMED = {
  calls: 'calls',
  replays: 'replays',
  retries: 'retries',
  timeouts: 'timeouts',
  cancellations: 'cancellations',
  result_bytes: 'resultBytes',
}

/**
 * @typedef {Omit<Partial<import('../../index.js').ToolCounters>, 'latencyMs'> & { calls: number,
 *   latencyMs?: { p50?: number | null, p95?: number | null, p99?: number | null } }} Counted of the host's service, which
 *   may count less than the gate
 * @typedef {{ toolId: string, mode: string, counted: Counted }} Row
 * @typedef {{ metrics: Record<string, Record<string, Counted>>, audit?: object | null }} Stats
 */

/** @param {import('../../index.js').HandlerContext<{ limit: number }>} context */
export async function execute({ args, services, signal }) {
  try {
    const stats = await services.dashboard.getStats({ signal })
    if (typeof stats?.metrics !== 'object' || stats.metrics === null) return unusableAnswer('dashboard')
    return success(toData(stats, args.limit))
  } catch (error) {
    return serviceFailure(error, 'dashboard')
  }
}

/** @param {Stats} stats @param {number} limit */
function toData({ metrics, audit = null }, limit) {
  const rows = Object.entries(metrics).flatMap(([toolId, modes]) =>
    Object.entries(modes)
      .filter(([mode, { declarations }]) => mode !== 'total' && declarations === undefined)
      .map(([mode, counted]) => ({ toolId, mode, counted })),
  )
  const busiest = rows.toSorted(
    (one, other) =>
      other.counted.calls - one.counted.calls || order(one.toolId, other.toolId) || order(one.mode, other.mode),
  )
  return {
    generated_at: new Date().toISOString(),
    totals: totalsOf(rows),
    tools: busiest.slice(0, limit).map(toRow),
    more_tools: Math.max(0, rows.length - limit),
    audit,
  }
}

/** @param {string} one @param {string} other */
const order = (one, other) => (one < other ? -1 : Number(one > other))
/** @param {number[]} values */
const sum = values => values.reduce((total, value) => total + value, 0)

/** @param {Row[]} rows */
function totalsOf(rows) {
  const summed = Object.entries(SUMMED).map(([name, member]) => [
    name,
    sum(rows.map(({ counted }) => counted[member] ?? 0)),
  ])
  const { calls, ...others } = Object.fromEntries(summed)
  const errors = sum(rows.flatMap(({ counted }) => Object.values(counted.errors ?? {})))
  return { calls, errors, error_percent: calls === 0 ? null : Math.round((errors / calls) * 1000) / 10, ...others }
}

/** @param {Row} row */
function toRow({ toolId, mode, counted: { calls, errors = {}, latencyMs = {} } }) {
  const { p50 = null, p95 = null, p99 = null } = latencyMs
  return { tool_id: toolId, mode, calls, errors, p50_ms: p50, p95_ms: p95, p99_ms: p99 }
}
