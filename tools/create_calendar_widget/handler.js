// A card of times that are free in the host service `calendar`. Choosing one is the page's, booking another tool's.
import { success } from '../_core/tool-response.js'
import { bookableSlots } from '../_services/bookable-slots.js'
import { offsetMs, refuseEmptyRange, refuseLongRange } from '../_services/date-range.js'
import { serviceFailure } from '../_services/service-errors.js'
import { unusableAnswer } from '../_services/usable-answer.js'
import { isTimeZone } from '../_services/zoned-time.js'

/**
 * @typedef {import('../_services/service-types.js').Interval} Interval
 * @typedef {import('../_services/service-types.js').Period} Period
 */

const LONGEST_DAYS = 31
const MOST_SLOTS = 20
const CALENDAR = 'primary'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute({ args, services, session, signal }) {
  const range = { start: args.start_date, end: args.end_date }
  const names = { start: 'start_date', end: 'end_date' }
  const refusal = refuseEmptyRange(range, names) ?? refuseLongRange(range, names, LONGEST_DAYS)
  if (refusal) return refusal

  const timeZone = timeZoneOf(session, args.start_date)
  const from = Math.max(Date.now(), Date.parse(range.start))
  if (from >= Date.parse(range.end)) return success({ title: args.title, slots: [], time_zone: timeZone })
  const period = { start: new Date(from).toISOString(), end: new Date(range.end).toISOString() }
  try {
    const busy = await busyTimes(services.calendar, period, signal)
    if (busy === null) return unusableAnswer('calendar')
    const options = { minutes: args.min_duration_minutes, most: MOST_SLOTS, offsetMs: offsetMs(args.start_date) }
    const slots = bookableSlots(busy, period, options)
    return success({ title: args.title, slots: slots.map(slot => written(slot, options)), time_zone: timeZone })
  } catch (error) {
    return serviceFailure(error, 'calendar')
  }
}

/**
 * @param {import('../../index.js').HandlerContext['services']['calendar']} calendar
 * @param {Period} period
 * @param {AbortSignal} signal
 */
async function busyTimes(calendar, { start, end }, signal) {
  const answer = await calendar.getFreeBusy({ timeMin: start, timeMax: end, items: [{ id: CALENDAR }], signal })
  const busy = answer?.calendars?.[CALENDAR]?.busy
  const isUsable = Array.isArray(busy) && busy.every(one => Date.parse(one?.start) <= Date.parse(one?.end))
  return isUsable ? busy : null
}

/** With the offset of the question, so that a model and a person read the same hours. @param {Interval} slot @param {{ offsetMs: number }} options */
function written({ start, end }, { offsetMs: east }) {
  const text = (/** @type {number} */ at) =>
    new Date(at + east).toISOString().replace('.000Z', east === 0 ? 'Z' : offsetText(east))
  return { start: text(start), end: text(end) }
}

/** @param {number} east milliseconds */
function offsetText(east) {
  const minutes = Math.abs(east) / 60_000
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  return `${east < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/**
 * The user's zone if the host keeps it in the session's state as `timeZone`.
 * @param {import('../../index.js').HandlerContext['session']} session
 * @param {string} startDate
 */
function timeZoneOf(session, startDate) {
  const zone = session?.state?.timeZone
  if (typeof zone === 'string' && isTimeZone(zone)) return zone
  const east = offsetMs(startDate)
  return east === 0 ? 'UTC' : offsetText(east)
}
