// Parses and writes iCalendar text: finds an event by its UID, adds an event.
import ICAL from 'ical.js'

import { completeZones } from './ics-times.js'

const PRODUCT = '-//Toolgate//Embedded calendar//EN'
// Line breaks within a text are escaped; other control characters are removed.
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/**
 * @typedef {InstanceType<typeof ICAL.Component>} Component
 * @typedef {InstanceType<typeof ICAL.Event>} Event
 */

/** The VCALENDAR components of a text; usually one. Throws if it is none. @param {string} text */
export function parseCalendars(text) {
  const parsed = ICAL.parse(text)
  const documents = (typeof parsed[0] === 'string' ? [parsed] : parsed).map(
    (/** @type {any[]} jCal, as the library types it */ document) => new ICAL.Component(document),
  )
  const isOne = documents.length > 0 && documents.every((/** @type {Component} */ { name }) => name === 'vcalendar')
  if (!isOne) throw new TypeError('this is no iCalendar text')
  for (const calendar of documents) completeZones(calendar)
  return documents
}

export function emptyCalendar() {
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', PRODUCT)
  return calendar
}

/** @param {Component[]} calendars */
export function toText(calendars) {
  return `${calendars.map(calendar => calendar.toString()).join('\r\n')}\r\n`
}

/** The event of this UID as it was created, or `null`. @param {Component[]} calendars @param {string} uid */
export function findEvent(calendars, uid) {
  const components = calendars.flatMap(calendar => calendar.getAllSubcomponents('vevent'))
  const component = components.find(
    one => one.getFirstPropertyValue('uid') === uid && !one.hasProperty('recurrence-id'),
  )
  return component ? new ICAL.Event(component) : null
}

/** The e-mail addresses of the attendees. @param {Event} event @returns {string[]} */
export function addressesOf(event) {
  return event.attendees.flatMap(property => {
    const address = /^mailto:(.+)$/i.exec(String(property.getFirstValue()))?.[1]
    return address === undefined ? [] : [decoded(address)]
  })
}

/** @param {string} address */
function decoded(address) {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/**
 * Adds an event to a calendar.
 *
 * @param {Component} calendar a VCALENDAR component
 * @param {import('./calendar-event.js').NewEvent & { id: string, now: number }} event
 */
export function addEvent(calendar, { id, now, title, description, start, end, attendees }) {
  const component = new ICAL.Component('vevent')
  const stamp = utcTime(now)
  component.addPropertyWithValue('uid', id)
  component.addPropertyWithValue('dtstamp', stamp)
  component.addPropertyWithValue('created', stamp)
  component.addPropertyWithValue('dtstart', utcTime(Date.parse(start)))
  component.addPropertyWithValue('dtend', utcTime(Date.parse(end)))
  component.addPropertyWithValue('summary', plainText(title))
  if (description) component.addPropertyWithValue('description', plainText(description))
  component.addPropertyWithValue('status', 'CONFIRMED')
  component.addPropertyWithValue('transp', 'OPAQUE')
  for (const address of attendees) addAttendee(component, address)
  calendar.addSubcomponent(component)
}

/** @param {Component} component @param {string} address */
function addAttendee(component, address) {
  const property = component.addPropertyWithValue(
    'attendee',
    `mailto:${encodeURIComponent(address).replaceAll('%40', '@')}`,
  )
  property.setParameter('role', 'REQ-PARTICIPANT')
  property.setParameter('partstat', 'NEEDS-ACTION')
  property.setParameter('rsvp', 'TRUE')
}

/** @param {number} epochMs */
function utcTime(epochMs) {
  return ICAL.Time.fromJSDate(new Date(epochMs), true)
}

/** @param {string} text */
function plainText(text) {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL_CHARACTERS, ' ')
}
