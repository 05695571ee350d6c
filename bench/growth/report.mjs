// What is said of growth and of memory.
import { latencyText } from '../report.mjs'
import { growthOf } from './measure-growth.mjs'

/** The curves by what grows. @param {Awaited<ReturnType<typeof import('./measure-growth.mjs').measureGrowth>>} growth */
const curvesOf = ({ sessions, evicting, tools }) => [
  { title: 'Creating a session among sessions', curve: sessions },
  { title: 'Creating a session among sessions, at most 10,000 kept', curve: evicting },
  { title: 'An unknown name among tools', curve: tools },
]

/**
 * A row for each point: what, how many, its latencies, and the ratio to the fewest.
 *
 * @param {Awaited<ReturnType<typeof import('./measure-growth.mjs').measureGrowth>>} growth
 * @returns {{ what: string, count: number, latencies: import('../statistics.mjs').Latencies, ratio: number | null }[]}
 */
export function growthRows(growth) {
  const points = curvesOf(growth).flatMap(({ title, curve }) =>
    curve.map((point, place) => ({
      what: title,
      count: point.count,
      latencies: point,
      ratio: place === curve.length - 1 ? growthOf(curve) : null,
    })),
  )
  const sessions = growth.oneSession.curves.flatMap(({ what, store, counts, few, many, ratio }) => {
    const title = `A write in a session with ${what}, ${store} store`
    return [
      { what: title, count: counts.few, latencies: few, ratio: null },
      { what: title, count: counts.many, latencies: many, ratio },
    ]
  })
  return [...points, ...sessions]
}

/** @param {Awaited<ReturnType<typeof import('./measure-growth.mjs').measureGrowth>>} growth */
export function growthLines(growth) {
  const line = ({ what, count, latencies, ratio }) =>
    `  ${what}: ${count}: ${latencyText(latencies)}${ratio === null ? '' : `; ${ratio.toFixed(2)} times the first`}`
  return [
    'Growth: one operation with few and with many (ms)',
    ...growthRows(growth).map(line),
    ...growth.oneSession.missing.map(reason => `  skipped: ${reason}`),
  ]
}

/** @param {Awaited<ReturnType<typeof import('./memory.mjs').measureMemory>>} memory */
export function memoryLines({ idleSessionBytes, recordBytes, givenBack, takenAgain }) {
  const kilobytes = bytes => `${(bytes / 1000).toFixed(2)} KB`
  const share = value => `${(100 * value).toFixed(0)} %`
  return [
    `Memory: an idle session ${kilobytes(idleSessionBytes)}, a record ${kilobytes(recordBytes)}`,
    `  of the memory of sessions is given back: ${share(givenBack.detach)} after detach, ${share(givenBack.end)} after end`,
    `  as many new sessions then take so much more: ${share(takenAgain.detach)} after detach, ${share(takenAgain.end)} after end`,
  ]
}
