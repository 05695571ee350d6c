// Converts Google Calendar's events (REST v3) to events of the `calendar` service, and back.
import { startOfDay } from './zoned-time.js'

/** @typedef {import('./service-types.js').JsonObject} JsonObject */

/**
 * An event of a list.
 *
 * @param {JsonObject} event in Google's form
 * @param {string} [timeZone] of the calendar, for events that last whole days
 * @returns {import('./service-types.js').ListedEvent}
 */
export function toEvent(event, timeZone = 'UTC') {
  return {
    id: event.id,
    title: event.summary ?? null,
    start: momentOf(event.start, timeZone),
    end: momentOf(event.end, timeZone),
    attendees: addressesOf(event),
    busy: takesTime(event),
  }
}

/** @param {JsonObject} event in Google's form @returns {import('./calendar-event.js').CreatedEvent} */
export function toCreated(event) {
  const { id, title, start, end, attendees } = toEvent(event)
  return { id, title: title ?? '', start, end, attendees, meetingLink: linkOf(event) }
}

/**
 * @param {import('./calendar-event.js').NewEvent} event
 * @param {string} id
 */
export function toInsert({ title, description, start, end, attendees, meetingLink }, id) {
  return {
    id,
    summary: title,
    ...(description ? { description } : {}),
    start: { dateTime: start },
    end: { dateTime: end },
    attendees: attendees.map(email => ({ email })),
    ...(meetingLink ? { conferenceData: { createRequest: meetRequest(id) } } : {}),
  }
}

/** The same request id for each attempt: Google creates one conference for it. @param {string} requestId */
function meetRequest(requestId) {
  return { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } }
}

/**
 * Whether the event takes the time: false if it is marked as free, cancelled, or declined by the calendar's owner.
 * @param {JsonObject} event
 */
function takesTime({ status, transparency, attendees = [] }) {
  const isDeclined = attendees.some(
    (/** @type {JsonObject} */ attendee) => attendee.self && attendee.responseStatus === 'declined',
  )
  return status !== 'cancelled' && transparency !== 'transparent' && !isDeclined
}

/** @param {{ dateTime?: string, date: string }} time @param {string} timeZone */
function momentOf({ dateTime, date }, timeZone) {
  return new Date(dateTime ?? startOfDay(date, timeZone)).toISOString()
}

/** @param {JsonObject} event @returns {string[]} */
function addressesOf({ attendees = [] }) {
  return attendees.flatMap((/** @type {{ email?: string }} */ { email }) => email ?? [])
}

/**
 * Google creates the conference after the event: the answer may not contain its link yet.
 * @param {JsonObject} event
 * @returns {string | null}
 */
function linkOf({ hangoutLink, conferenceData }) {
  const video = conferenceData?.entryPoints?.find(
    (/** @type {JsonObject} */ { entryPointType }) => entryPointType === 'video',
  )
  return hangoutLink ?? video?.uri ?? null
}
