// Creates an event through the host service `calendar`. Whether the time is free is the service's to check, in one step
// with the writing.
import { ErrorType } from '../_core/error-types.js'
import { success } from '../_core/tool-response.js'
import { offsetMs, refuseEmptyRange } from '../_services/date-range.js'
import { nearestFreeSlots } from '../_services/nearest-free-slots.js'
import { eventIn } from '../_services/service-answers.js'
import { serviceFailure } from '../_services/service-errors.js'

/**
 * @typedef {object} Args
 * @property {string} title
 * @property {string} start_time
 * @property {string} end_time
 * @property {string[]} attendees
 * @property {string} [description]
 * @property {boolean} include_zoom_link
 */
/** @typedef {import('../../index.js').HandlerContext<Args>} Context */

/** @param {Context} context */
export async function execute({ args, services, meta, signal }) {
  const names = { start: 'start_time', end: 'end_time' }
  const refusal = refuseEmptyRange({ start: args.start_time, end: args.end_time }, names)
  if (refusal) return refusal

  try {
    const created = await services.calendar.createEvent(toEvent(args), { idempotencyKey: meta.idempotencyKey, signal })
    return success(toData(eventIn(created), args))
  } catch (error) {
    const failed = serviceFailure(error, 'calendar', { writing: true })
    return failed.error?.type === ErrorType.CONFLICT ? withFreeSlots(failed, { args, services, signal }) : failed
  }
}

/**
 * Looks for the event of a call whose outcome is not known: the calendar has made its id of the call's key.
 * @param {import('../../index.js').ReconcileQuestion<Args>} question
 * @returns {Promise<import('../../index.js').ReconcileAnswer>}
 */
export async function reconcile({ args, idempotencyKey, services, signal }) {
  // A calendar of the host's own need not be able to.
  const event = await services.calendar.findEvent?.({ idempotencyKey, signal })
  if (event === undefined) return { outcome: 'unknown' }
  return event === null ? { outcome: 'not_happened' } : { outcome: 'happened', data: toData(eventIn(event), args) }
}

/**
 * Offers free times in place of the one that is taken.
 * @param {import('../_services/service-types.js').FailedResult} failed
 * @param {Pick<Context, 'args' | 'services' | 'signal'>} context
 */
async function withFreeSlots({ error, ...response }, { args, services, signal }) {
  const { start, end } = toEvent(args)
  const slots = await nearestFreeSlots(
    services.calendar,
    { start, end },
    { offsetMs: offsetMs(args.start_time), signal },
  )
  return { ...response, error: { ...error, details: { .../** @type {object} */ (error.details), free_slots: slots } } }
}

/** @param {Args} args */
function toEvent(args) {
  return {
    title: args.title,
    start: new Date(args.start_time).toISOString(),
    end: new Date(args.end_time).toISOString(),
    attendees: withoutRepeats(args.attendees),
    description: args.description ?? '',
    meetingLink: args.include_zoom_link,
  }
}

/**
 * One invitation each: mail servers take `Ada@x.org` and `ada@x.org` for the same person.
 * @param {string[]} addresses
 */
function withoutRepeats(addresses) {
  return [...new Map(addresses.map(address => [address.toLowerCase(), address])).values()]
}

/** @param {import('../_services/calendar-event.js').CreatedEvent} created @param {Args} args */
function toData(
  { id, title, start, end, attendees, meetingLink },
  { include_zoom_link: isLinkWanted, attendees: wanted },
) {
  const event = {
    event_id: id,
    title,
    start,
    end,
    attendee_count: (attendees ?? wanted).length,
    meeting_link: meetingLink ?? null,
  }
  return isLinkWanted && !meetingLink ? { ...event, note: 'this calendar made no meeting link' } : event
}
