// Free times near one that is taken, for a CONFLICT to offer.
import { bookableSlots, isInWorkingHours } from './bookable-slots.js'

const DAY_MS = 86_400_000
const DAYS_BEFORE = 1
const DAYS_AFTER = 7
/** Enough candidates that the nearest are among them: the slots of a week, at a quarter of an hour each. */
const MOST_CANDIDATES = 1000
const MOST_OFFERED = 3
const CALENDAR = 'primary'

/**
 * At most three free times of the same length, nearest first; none in the past. An empty list if the calendar cannot be
 * read: the conflict itself is the answer.
 *
 * @param {import('./service-types.js').CalendarService} calendar
 * @param {import('./service-types.js').Period} wanted
 * @param {{ offsetMs: number, signal?: AbortSignal }} options `offsetMs` east of UTC: the user's clock. A time in working
 *   hours gets no others for it
 * @returns {Promise<import('./service-types.js').Period[]>} in UTC
 */
export async function nearestFreeSlots(calendar, wanted, { offsetMs, signal }) {
  const [start, end] = [Date.parse(wanted.start), Date.parse(wanted.end)]
  const from = new Date(Math.max(Date.now(), start - DAYS_BEFORE * DAY_MS)).toISOString()
  const to = new Date(end + DAYS_AFTER * DAY_MS).toISOString()
  if (from >= to) return []
  const minutes = (end - start) / 60_000
  const busy = await busyTimes(calendar, { timeMin: from, timeMax: to, items: [{ id: CALENDAR }], signal })
  if (busy === null) return []
  const slots = bookableSlots(
    busy,
    { start: from, end: to },
    { minutes, most: MOST_CANDIDATES, offsetMs, atAnyHour: !isInWorkingHours(wanted, offsetMs) },
  )
  return slots
    .sort((one, other) => Math.abs(one.start - start) - Math.abs(other.start - start))
    .slice(0, MOST_OFFERED)
    .map(slot => ({ start: new Date(slot.start).toISOString(), end: new Date(slot.end).toISOString() }))
}

/**
 * @param {import('./service-types.js').CalendarService} calendar
 * @param {Parameters<import('./service-types.js').CalendarService['getFreeBusy']>[0]} request
 * @returns {Promise<import('./service-types.js').Period[] | null>}
 */
async function busyTimes(calendar, request) {
  try {
    const answer = await calendar.getFreeBusy(request)
    const busy = answer?.calendars?.[CALENDAR]?.busy
    return Array.isArray(busy) ? busy : null
  } catch {
    return null
  }
}
