// Busy and free time as plain intervals: union, intersection with a range, gaps.

const MINUTE_MS = 60_000

/**
 * The union of intervals, in order and without overlaps. Intervals that touch become one; empty ones are left out.
 *
 * @param {{ start: number, end: number }[]} intervals epoch milliseconds
 */
export function unionOf(intervals) {
  const union = []
  const inOrder = intervals.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start)
  for (const { start, end } of inOrder) {
    const last = union.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else union.push({ start, end })
  }
  return union
}

/** The parts of intervals that lie in a range. */
export function clipTo({ start: from, end: to }, intervals) {
  return intervals
    .map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }))
    .filter(({ start, end }) => start < end)
}

/** The gaps of a union within a range. */
export function gapsOf(union, { start: from, end: to }) {
  const inside = clipTo({ start: from, end: to }, union)
  const starts = [from, ...inside.map(({ end }) => end)]
  const ends = [...inside.map(({ start }) => start), to]
  return starts.map((start, at) => ({ start, end: ends[at] })).filter(({ start, end }) => start < end)
}

/**
 * The free slots of a range that are long enough, as tools show them.
 *
 * @param {{ start: string, end: string }[]} busy date-times, in any order, overlapping or not
 * @param {{ start: string, end: string }} range date-times
 * @param {number} minMinutes the shortest slot that counts
 * @returns {{ start: string, end: string, duration_minutes: number }[]} in UTC; a part of a minute is not counted
 */
export function freeSlots(busy, range, minMinutes) {
  return gapsOf(unionOf(busy.map(toInterval)), toInterval(range))
    .filter(({ start, end }) => end - start >= minMinutes * MINUTE_MS)
    .map(({ start, end }) => ({ ...toPeriod({ start, end }), duration_minutes: Math.floor((end - start) / MINUTE_MS) }))
}

export function toInterval({ start, end }) {
  return { start: Date.parse(start), end: Date.parse(end) }
}

export function toPeriod({ start, end }) {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}
