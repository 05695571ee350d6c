// Divides free time into bookable slots of one length, spread over days: in working hours, if any of them is free there.
import { freeSlots } from './busy-times.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Slots begin at whole quarters of an hour. */
const STEP_MS = 15 * MINUTE_MS
/** From Monday to Friday, from eight to six. */
const OPENING_MS = 8 * 3_600_000
const CLOSING_MS = 18 * 3_600_000
const WEEKEND = [0, 6]

/**
 * @typedef {import('./service-types.js').Interval} Interval
 * @typedef {import('./service-types.js').Period} Period
 */

/**
 * @param {Period[]} busy
 * @param {Period} range
 * @param {{ minutes: number, most: number, offsetMs: number, atAnyHour?: boolean }} options `offsetMs` east of UTC: where
 *   days begin
 * @returns {Interval[]} in order, without overlaps
 */
export function bookableSlots(busy, range, { minutes, most, offsetMs, atAnyHour = false }) {
  const lengthMs = minutes * MINUTE_MS
  const free = freeSlots(busy, range, minutes)
  const inHours = atAnyHour
    ? []
    : free.flatMap(one => workingParts(one, offsetMs)).flatMap(one => slotsIn(one, lengthMs))
  const slots = inHours.length > 0 ? inHours : free.flatMap(one => slotsIn(one, lengthMs))
  return spreadOverDays(slots, most, offsetMs)
}

/** @param {Period} free @param {number} offsetMs @returns {Period[]} */
function workingParts({ start, end }, offsetMs) {
  const [from, to] = [Date.parse(start) + offsetMs, Date.parse(end) + offsetMs]
  const parts = []
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) {
    const [first, last] = [Math.max(from, day + OPENING_MS), Math.min(to, day + CLOSING_MS)]
    if (first >= last || WEEKEND.includes(new Date(day).getUTCDay())) continue
    parts.push({ start: new Date(first - offsetMs).toISOString(), end: new Date(last - offsetMs).toISOString() })
  }
  return parts
}

/** Whether a time lies in working hours. @param {Period} period @param {number} offsetMs */
export function isInWorkingHours(period, offsetMs) {
  const [part] = workingParts(period, offsetMs)
  return (
    part !== undefined &&
    Date.parse(part.start) === Date.parse(period.start) &&
    Date.parse(part.end) === Date.parse(period.end)
  )
}

/** @param {Period} free @param {number} lengthMs @returns {Interval[]} */
function slotsIn({ start, end }, lengthMs) {
  const slots = []
  const stepMs = Math.ceil(lengthMs / STEP_MS) * STEP_MS
  const first = Math.ceil(Date.parse(start) / STEP_MS) * STEP_MS
  for (let from = first; from + lengthMs <= Date.parse(end); from += stepMs)
    slots.push({ start: from, end: from + lengthMs })
  return slots
}

/**
 * Orders slots round-robin by day: the first of each day, then the second of each day, and so on.
 * @param {Interval[]} slots
 * @param {number} most
 * @param {number} offsetMs
 */
function spreadOverDays(slots, most, offsetMs) {
  const counts = new Map()
  const rounds = slots.map(slot => {
    const day = Math.floor((slot.start + offsetMs) / DAY_MS)
    const round = counts.get(day) ?? 0
    counts.set(day, round + 1)
    return { slot, round }
  })
  const chosen = rounds
    .sort((one, other) => one.round - other.round || one.slot.start - other.slot.start)
    .slice(0, most)
  return chosen.map(({ slot }) => slot).sort((one, other) => one.start - other.start)
}
