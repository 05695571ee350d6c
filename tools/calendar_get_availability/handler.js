// Asks the host service `calendar` for busy times. The gaps between them are computed here, the same for every calendar.
import { success } from '../_core/tool-response.js'
import { freeSlots } from '../_services/busy-times.js'
import { refuseEmptyRange, refuseLongRange } from '../_services/date-range.js'
import { eventsIn } from '../_services/service-answers.js'
import { serviceFailure } from '../_services/service-errors.js'
import { unusableAnswer } from '../_services/usable-answer.js'

const LONGEST_DAYS = 31

/**
 * @typedef {import('../_services/service-types.js').Period} Period
 * @typedef {import('../_services/service-answers.js').ReadEvent} ReadEvent
 * @typedef {{ start_date: string, end_date: string, calendars: string[], include_details: boolean,
 *   min_duration_minutes: number }} Args
 * @typedef {Period & { calendar?: string, title?: string | null, attendees?: string[] }} BusyEvent
 */

/** @param {import('../../index.js').HandlerContext<Args>} context */
export async function execute({ args, services, signal }) {
  const range = { start: args.start_date, end: args.end_date }
  const names = { start: 'start_date', end: 'end_date' }
  const refusal = refuseEmptyRange(range, names) ?? refuseLongRange(range, names, LONGEST_DAYS)
  if (refusal) return refusal

  try {
    const times = await lookUp(services.calendar, args, range, signal)
    if (times === null) return unusableAnswer('calendar')
    const warnings = times.skipped.map(id => `the calendar ${id} was not read: its times are not known`)
    return success(toData(args, range, times), warnings.length === 0 ? {} : { warnings })
  } catch (error) {
    return serviceFailure(error, 'calendar')
  }
}

/**
 * Slots go by the busy times even where details are shown, so that both views have the same slots. A calendar that the
 * service does not return is skipped.
 * @param {import('../_services/service-types.js').CalendarService} calendar
 * @param {Args} args
 * @param {Period} range
 * @param {AbortSignal} signal
 * @returns {Promise<{ periods: Period[], events: BusyEvent[], skipped: string[] } | null>} null if no calendar is returned
 */
async function lookUp(calendar, { calendars, include_details: withDetails }, { start, end }, signal) {
  const period = { timeMin: new Date(start).toISOString(), timeMax: new Date(end).toISOString(), signal }
  const [answer, listed] = await Promise.all([
    calendar.getFreeBusy({ ...period, items: calendars.map(id => ({ id })) }),
    withDetails ? calendar.getEvents({ ...period, calendars }) : null,
  ])
  const events = eventsIn(listed)
  const busyOf = (/** @type {string} */ id) => answer?.calendars?.[id]?.busy
  const [returned, skipped] = [true, false].map(is => calendars.filter(id => Array.isArray(busyOf(id)) === is))
  if (returned.length === 0 || (events !== null && !Array.isArray(events))) return null
  const periods = returned.flatMap(id => /** @type {Period[]} */ (busyOf(id)).map(busy => ({ ...busy, calendar: id })))
  // Services that list only what takes time give no `busy`.
  return { periods, events: events?.filter((/** @type {ReadEvent} */ { busy }) => busy !== false) ?? periods, skipped }
}

/** @param {Args} args @param {Period} range @param {{ periods: Period[], events: BusyEvent[] }} times */
function toData({ min_duration_minutes: minMinutes }, range, { periods, events }) {
  const slots = freeSlots(periods, range, minMinutes)
  const total = slots.reduce((sum, slot) => sum + slot.duration_minutes, 0)
  return {
    date_range: range,
    existing_events: events.map(toExistingEvent).sort(byTime),
    available_slots: slots,
    summary: `${events.length} busy periods, ${slots.length} available slots (${total} minutes total)`,
  }
}

/**
 * With the number of attendees: their addresses are not for everybody who may ask for free times.
 * @param {BusyEvent} event
 */
function toExistingEvent({ start, end, calendar, title, attendees }) {
  const count = attendees ? { attendees: attendees.length } : {}
  return { start, end, status: 'busy', calendar, title: title ?? null, ...count }
}

/** @param {Period} one @param {Period} other */
function byTime(one, other) {
  return Date.parse(one.start) - Date.parse(other.start) || Date.parse(one.end) - Date.parse(other.end)
}
