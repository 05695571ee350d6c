// The tables of the page that have few columns and many kinds of rows: latencies, voice sessions, growth and memory.
import { growthRows, memoryLines } from '../growth/report.mjs'
import { latencyCells } from '../latency.mjs'
import { milliseconds } from '../report.mjs'
import { partsText } from '../voice.mjs'
import { table } from './table.mjs'

/** @param {object} results @returns {string[]} */
export function latencyParts({ latency }) {
  if (!latency) return []
  const head = ['ms', 'p50', 'p95', 'p99', 'floor p50', 'floor p95', 'floor p99']
  return ['\n### One call, in memory\n', table(head, latency.map(latencyCells))]
}

/** @param {object} results @returns {string[]} */
export function voiceParts({ voice }) {
  if (!voice || voice.loads.length === 0) return []
  const percentiles = ({ p50, p95, p99 }) => [p50, p95, p99].map(ms => ms.toFixed(0)).join(' / ')
  const row = ({ sessions, isServed, answerMs, lateMs, cpuShare, waitedShare }) => [
    sessions,
    percentiles(answerMs),
    percentiles(lateMs),
    `${(100 * cpuShare).toFixed(0)} %`,
    `${(100 * waitedShare).toFixed(0)} %`,
    isServed ? 'served' : 'not served',
  ]
  const head = [
    'sessions',
    'answer, ms (p50 / p95 / p99)',
    'event loop late, ms (p50 / p95 / p99)',
    'of a core',
    'waited for it',
    '',
  ]
  return [
    '\n### Voice sessions on one core\n',
    table(head, voice.loads.map(row)),
    ...(voice.parts ? [`\nOf the busy time of its JavaScript thread: ${partsText(voice.parts)}.`] : []),
  ]
}

/** @param {object} results @returns {string[]} */
export function growthParts({ growth, memory }) {
  const parts = []
  if (growth) {
    const row = ({ what, count, latencies: { p50Ms, p95Ms, p99Ms }, ratio }) => [
      what,
      count.toLocaleString('en-US'),
      ...[p50Ms, p95Ms, p99Ms].map(milliseconds),
      ratio === null ? '' : ratio.toFixed(2),
    ]
    const head = ['', 'how many', 'p50 ms', 'p95 ms', 'p99 ms', 'last / first']
    parts.push('\n### Growth\n', table(head, growthRows(growth).map(row)))
  }
  if (memory)
    parts.push(
      `\n${memoryLines(memory)
        .map(line => `${line.trim()}.`)
        .join(' ')}`,
    )
  return parts
}
