// The events of an iCalendar document within a range: recurring events are expanded to occurrences, with exclusions and
// changes (RFC 5545: RRULE, RDATE, EXDATE, RECURRENCE-ID).
import ICAL from 'ical.js'

import { clipTo } from './busy-times.js'
import { addressesOf } from './ics-document.js'
import { momentOf } from './ics-times.js'

/** A rule may define an occurrence each second: the limit keeps a file from blocking the process. */
const MOST_OCCURRENCES = 100_000

/**
 * @typedef {import('./ics-document.js').Component} Component
 * @typedef {import('./ics-document.js').Event} Event
 * @typedef {import('./ics-times.js').Time} Time
 * @typedef {import('./ics-times.js').Timezone} Timezone
 * @typedef {import('./service-types.js').Interval} Interval
 */

/**
 * @typedef {object} Occurrence
 * @property {string} id the UID that all occurrences of an event share
 * @property {string} title
 * @property {number} start epoch milliseconds
 * @property {number} end
 * @property {string[]} attendees e-mail addresses
 * @property {boolean} busy whether it takes the time: not cancelled, and not marked as transparent
 */

/**
 * @param {Component[]} calendars VCALENDAR components
 * @param {Interval} range
 * @param {Timezone} zone the library's time zone for days, and for times without a time zone
 * @returns {Occurrence[]} the occurrences that overlap the range, not clipped, ordered by start
 */
export function occurrencesIn(calendars, range, zone) {
  const all = calendars.flatMap(calendar =>
    seriesOf(calendar).flatMap(series => [...occurrencesOf(series, range, zone)]),
  )
  return all.filter(one => clipTo(range, [one]).length > 0).sort((one, other) => one.start - other.start)
}

/**
 * Events with the changes to their occurrences. A change without its event is an event of its own.
 * @param {Component} calendar
 */
function seriesOf(calendar) {
  /** @type {Map<unknown, Component[]>} */
  const byUid = new Map()
  for (const component of calendar.getAllSubcomponents('vevent')) {
    const uid = component.getFirstPropertyValue('uid')
    byUid.set(uid, [...(byUid.get(uid) ?? []), component])
  }
  return [...byUid.values()].flatMap(components => {
    const changes = components.filter(component => component.hasProperty('recurrence-id'))
    const events = components.filter(component => !component.hasProperty('recurrence-id'))
    if (events.length === 0) return changes.map(component => new ICAL.Event(component))
    return events.map(component => new ICAL.Event(component, { exceptions: changes }))
  })
}

/** @param {Event} event @param {Interval} range @param {Timezone} zone @returns {Generator<Occurrence>} */
function* occurrencesOf(event, range, zone) {
  if (!event.isRecurring()) {
    yield occurrence(event, event.startDate, event.endDate, zone)
    return
  }
  const until = range.end + longestMoveForward(event, zone)
  const times = event.iterator()
  for (let count = 0; count < MOST_OCCURRENCES; count += 1) {
    const next = times.next()
    if (!next || momentOf(next, zone) >= until) return
    const { item, startDate, endDate } = event.getOccurrenceDetails(next)
    yield occurrence(item, startDate, endDate, zone)
  }
  throw new RangeError(`the event \`${event.uid}\` has more than ${MOST_OCCURRENCES} occurrences`)
}

/**
 * The longest time by which a change moves an occurrence earlier: expansion continues that long after the range.
 * @param {Event} event
 * @param {Timezone} zone
 */
function longestMoveForward(event, zone) {
  const moves = Object.values(event.exceptions).map(changed => {
    return momentOf(changed.recurrenceId, zone) - momentOf(changed.startDate, zone)
  })
  return Math.max(0, ...moves)
}

/** @param {Event} item @param {Time} startDate @param {Time} endDate @param {Timezone} zone @returns {Occurrence} */
function occurrence(item, startDate, endDate, zone) {
  const { component } = item
  return {
    id: item.uid,
    title: item.summary ?? '',
    start: momentOf(startDate, zone),
    end: momentOf(endDate, zone),
    attendees: addressesOf(item),
    busy: !isMarked(component, 'status', 'CANCELLED') && !isMarked(component, 'transp', 'TRANSPARENT'),
  }
}

/** @param {Component} component @param {string} name @param {string} value */
function isMarked(component, name, value) {
  return String(component.getFirstPropertyValue(name) ?? '').toUpperCase() === value
}
