// The tables of the page that have few columns and many kinds of rows: latencies, durable stores, voice sessions, growth and memory.
import { growthRows, memoryLines } from '../growth/report.mjs'
import { latencyCells } from '../latency.mjs'
import { milliseconds } from '../report.mjs'
import { storeRows } from '../stores/report.mjs'
import { table } from './table.mjs'

/** @param {object} results @returns {string[]} */
export function latencyParts({ latency }) {
  if (!latency) return []
  const head = ['ms', 'p50', 'p95', 'p99', 'floor p50']
  const rows = latency.map(row => latencyCells(row).slice(0, head.length))
  return ['\n### One call, in memory\n', table(head, rows)]
}

/** One process, with one call and with 64 in flight. @param {object} results @returns {string[]} */
export function storeParts(results) {
  const rows = storeRows(results).filter(({ processes }) => processes === 1)
  const settings = [1, 64].map(inFlight => rows.filter(row => row.inFlight === inFlight))
  const all = settings.flat().flatMap(({ database, rates }) => Object.keys(rates).map(who => `${database} ${who}`))
  if (all.length === 0) return []
  const cells = name => {
    const [database, who] = name.split(' ')
    const rates = settings.map(found => found.find(row => row.database === database)?.rates[who])
    return [database, who, ...rates.flatMap(rate => [rate?.perSecond.toFixed(0) ?? '–', rate?.p99Ms.toFixed(1) ?? '–'])]
  }
  const head = ['database', 'who', '1 in flight', 'p99 ms', '64 in flight', 'p99 ms']
  return ['\n### Durable stores, writes a second\n', table(head, [...new Set(all)].map(cells))]
}

/** @param {object} results @returns {string[]} */
export function voiceParts({ voice }) {
  if (!voice || voice.loads.length === 0) return []
  const percentiles = ({ p50, p95, p99 }) => [p50, p95, p99].map(ms => ms.toFixed(0)).join(' / ')
  const row = ({ sessions, isServed, answerMs, lateMs, cpuShare }) => [
    sessions,
    percentiles(answerMs),
    percentiles(lateMs),
    `${(100 * cpuShare).toFixed(0)} %`,
    isServed ? 'served' : 'not served',
  ]
  const head = ['sessions', 'answer, ms (p50 / p95 / p99)', 'event loop late, ms (p50 / p95 / p99)', 'of a core', '']
  return ['\n### Voice sessions on one core\n', table(head, shownLoads(voice.loads).map(row))]
}

/** The fewest sessions, those in the middle, the most that were served, and the first attempt that was not. */
function shownLoads(loads) {
  const served = loads.filter(({ isServed }) => isServed)
  const missed = loads.find(({ isServed }) => !isServed)
  const shown = [served[0], served[Math.floor((served.length - 1) / 2)], served.at(-1), missed].filter(Boolean)
  return [...new Set(shown)].toSorted((a, b) => a.sessions - b.sessions)
}

/** @param {object} results @returns {string[]} */
export function growthParts({ growth, memory }) {
  const parts = []
  if (growth) {
    const head = ['', 'with few', 'with many', 'p50 ms with few', 'with many', 'many / few']
    parts.push('\n### Growth\n', table(head, curves(growthRows(growth)).map(curveCells)))
  }
  if (memory)
    parts.push(
      `\n${memoryLines(memory)
        .map(line => line.trim().replace(/^./, first => first.toUpperCase()))
        .map(line => `${line}.`)
        .join(' ')}`,
    )
  return parts
}

/** The rows of each thing that grows, in durable stores alone. */
const curves = rows =>
  [...new Set(rows.map(({ what }) => what).filter(what => !what.endsWith('memory store')))].map(what =>
    rows.filter(row => row.what === what),
  )

/** Of a curve its first point and its last. */
function curveCells(points) {
  const [few, many] = [points[0], points.at(-1)]
  const counts = [few, many].map(({ count }) => count.toLocaleString('en-US'))
  const times = [few, many].map(({ latencies }) => milliseconds(latencies.p50Ms))
  return [few.what, ...counts, ...times, many.ratio.toFixed(2)]
}
