// Converts Google Calendar's events (REST v3) to events of the `calendar` service, and back.
import { startOfDay } from './zoned-time.js'

/**
 * An event of a list.
 *
 * @param {object} event in Google's form
 * @param {string} [timeZone] of the calendar, for events that last whole days
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

/** @returns {import('./calendar-event.js').CreatedEvent} */
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

/** The same request id for each attempt: Google creates one conference for it. */
function meetRequest(requestId) {
  return { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } }
}

/** Whether the event takes the time: false if it is marked as free, cancelled, or declined by the calendar's owner. */
function takesTime({ status, transparency, attendees = [] }) {
  const isDeclined = attendees.some(attendee => attendee.self && attendee.responseStatus === 'declined')
  return status !== 'cancelled' && transparency !== 'transparent' && !isDeclined
}

function momentOf({ dateTime, date }, timeZone) {
  return new Date(dateTime ?? startOfDay(date, timeZone)).toISOString()
}

function addressesOf({ attendees = [] }) {
  return attendees.flatMap(({ email }) => email ?? [])
}

/** Google creates the conference after the event: the answer may not contain its link yet. */
function linkOf({ hangoutLink, conferenceData }) {
  const video = conferenceData?.entryPoints?.find(({ entryPointType }) => entryPointType === 'video')
  return hangoutLink ?? video?.uri ?? null
}
