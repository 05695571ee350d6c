// Free times as people want them: in working hours, from Monday to Friday, on the user's clock.

import { wallOf, writtenMoment } from './clock.js'
import { WORKING_HOURS } from './moments.js'

/** @import { Clock } from './clock.js' */

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const STEP_MS = 900_000
const MOST_DAYS = 40

/**
 * @param {{ start: string, end: string }[]} slots free times, which may go on overnight
 * @param {Clock} clock
 * @returns {{ start: string, end: string }[]} their parts in working hours
 */
export function withinWorkingHours(slots, { timeZone }) {
  return slots.flatMap(({ start, end }) => {
    const [from, to] = [wallOf(new Date(start), timeZone).getTime(), wallOf(new Date(end), timeZone).getTime()]
    const midnight = from - (from % DAY_MS)
    return Array.from({ length: MOST_DAYS }, (_, day) => midnight + day * DAY_MS)
      .filter(day => day < to && ![0, 6].includes(new Date(day).getUTCDay()))
      .map(day => [Math.max(from, day + WORKING_HOURS.from * HOUR_MS), Math.min(to, day + WORKING_HOURS.to * HOUR_MS)])
      .filter(([first, last]) => last > first)
      .map(([first, last]) => ({
        start: writtenMoment(new Date(first), timeZone),
        end: writtenMoment(new Date(last), timeZone),
      }))
  })
}

/**
 * The first start, at a whole quarter of an hour, at which so many seconds are free.
 *
 * @param {unknown} slots of an answer of calendar_get_availability
 * @param {number} seconds
 * @param {Clock} clock
 * @returns {string | null}
 */
export function firstFree(slots, seconds, clock) {
  const free = Array.isArray(slots) ? slots : []
  const inHours = withinWorkingHours(free, clock)
  for (const { start, end } of inHours.length > 0 ? inHours : free) {
    const at = Math.ceil(Date.parse(start) / STEP_MS) * STEP_MS
    if (at + seconds * 1000 <= Date.parse(end))
      return writtenMoment(wallOf(new Date(at), clock.timeZone), clock.timeZone)
  }
  return null
}
