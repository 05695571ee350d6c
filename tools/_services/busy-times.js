// Busy and free time as plain intervals: union, intersection with a range, gaps.

const MINUTE_MS = 60_000

/**
 * @typedef {import('./service-types.js').Interval} Interval
 * @typedef {import('./service-types.js').Period} Period
 */

/**
 * The union of intervals, in order and without overlaps. Intervals that touch become one; empty ones are left out.
 *
 * @param {Interval[]} intervals
 */
export function unionOf(intervals) {
  /** @type {Interval[]} */
  const union = []
  const inOrder = intervals.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start)
  for (const { start, end } of inOrder) {
    const last = union.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else union.push({ start, end })
  }
  return union
}

/** The parts of intervals that lie in a range. @param {Interval} range @param {Interval[]} intervals */
export function clipTo({ start: from, end: to }, intervals) {
  return intervals
    .map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }))
    .filter(({ start, end }) => start < end)
}

/** The gaps of a union within a range. @param {Interval[]} union @param {Interval} range */
export function gapsOf(union, { start: from, end: to }) {
  const inside = clipTo({ start: from, end: to }, union)
  const starts = [from, ...inside.map(({ end }) => end)]
  const ends = [...inside.map(({ start }) => start), to]
  return starts.map((start, at) => ({ start, end: ends[at] })).filter(({ start, end }) => start < end)
}

/**
 * The free slots of a range that are long enough, as tools show them.
 *
 * @param {Period[]} busy in any order, overlapping or not
 * @param {Period} range
 * @param {number} minMinutes the shortest slot that counts
 * @returns {(Period & { duration_minutes: number })[]} in UTC; a part of a minute is not counted
 */
export function freeSlots(busy, range, minMinutes) {
  return gapsOf(unionOf(busy.map(toInterval)), toInterval(range))
    .filter(({ start, end }) => end - start >= minMinutes * MINUTE_MS)
    .map(({ start, end }) => ({ ...toPeriod({ start, end }), duration_minutes: Math.floor((end - start) / MINUTE_MS) }))
}

/** @param {Period} period @returns {Interval} */
export function toInterval({ start, end }) {
  return { start: Date.parse(start), end: Date.parse(end) }
}

/** @param {Interval} interval @returns {Period} */
export function toPeriod({ start, end }) {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}
