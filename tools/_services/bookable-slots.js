// Divides free time into bookable slots of one length, spread over days.
import { freeSlots } from './busy-times.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Slots begin at whole quarters of an hour. */
const STEP_MS = 15 * MINUTE_MS

/**
 * @param {{ start: string, end: string }[]} busy date-times
 * @param {{ start: string, end: string }} range date-times
 * @param {{ minutes: number, most: number, offsetMs: number }} options `offsetMs` east of UTC: where days begin
 * @returns {{ start: number, end: number }[]} epoch milliseconds, in order, without overlaps
 */
export function bookableSlots(busy, range, { minutes, most, offsetMs }) {
  const lengthMs = minutes * MINUTE_MS
  const slots = freeSlots(busy, range, minutes).flatMap(free => slotsIn(free, lengthMs))
  return spreadOverDays(slots, most, offsetMs)
}

function slotsIn({ start, end }, lengthMs) {
  const slots = []
  const stepMs = Math.ceil(lengthMs / STEP_MS) * STEP_MS
  const first = Math.ceil(Date.parse(start) / STEP_MS) * STEP_MS
  for (let from = first; from + lengthMs <= Date.parse(end); from += stepMs)
    slots.push({ start: from, end: from + lengthMs })
  return slots
}

/** Orders slots round-robin by day: the first of each day, then the second of each day, and so on. */
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
