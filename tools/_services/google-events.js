// Google Calendar's events (REST v3) as the `calendar` service has them, and back.
import { startOfDay } from './zoned-time.js'

/**
 * An event of a list.
 *
 * @param {object} event as Google has it
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

/** The same id each time: Google makes one conference for it. */
function meetRequest(requestId) {
  return { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } }
}

/** Not if it is marked as free, was cancelled, or was declined by the calendar's owner. */
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

/** Google makes the conference after the event: its link may come later than the answer. */
function linkOf({ hangoutLink, conferenceData }) {
  const video = conferenceData?.entryPoints?.find(({ entryPointType }) => entryPointType === 'video')
  return hangoutLink ?? video?.uri ?? null
}
