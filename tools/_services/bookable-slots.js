// Divides free time into bookable slots of one length, spread over days.
import { freeSlots } from './busy-times.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Slots begin at whole quarters of an hour. */
const STEP_MS = 15 * MINUTE_MS

/**
 * @typedef {import('./service-types.js').Interval} Interval
 * @typedef {import('./service-types.js').Period} Period
 */

/**
 * @param {Period[]} busy
 * @param {Period} range
 * @param {{ minutes: number, most: number, offsetMs: number }} options `offsetMs` east of UTC: where days begin
 * @returns {Interval[]} in order, without overlaps
 */
export function bookableSlots(busy, range, { minutes, most, offsetMs }) {
  const lengthMs = minutes * MINUTE_MS
  const slots = freeSlots(busy, range, minutes).flatMap(free => slotsIn(free, lengthMs))
  return spreadOverDays(slots, most, offsetMs)
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
