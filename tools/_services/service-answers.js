// The answers of a host's services `kb` and `calendar`, in the shapes of this package whether the host writes them so or as
// services of the older layer do: members in camel case, events as calendar APIs give them, lists within an object.

/**
 * @typedef {import('./service-types.js').JsonObject} JsonObject
 * @typedef {import('./service-types.js').Period & { calendar?: string, title: string | null, attendees?: string[], busy?: boolean }} ReadEvent
 */

/**
 * @param {unknown} answer of `kb.search`: unchecked
 * @returns {any} records; anything else as it is
 */
export const recordsIn = answer => mapped(listIn(answer, ['results', 'records']), recordIn)

/**
 * @param {unknown} answer of `kb.get`: unchecked
 * @returns {any} a record; anything else as it is
 */
export function recordIn(answer) {
  if (!isObject(answer)) return answer
  const { sourceType, lastUpdated, fullText, ...record } = answer
  return {
    ...record,
    ...present('source_type', record.source_type ?? sourceType),
    ...present('last_updated', record.last_updated ?? lastUpdated),
    ...present('full_text', record.full_text ?? fullText),
  }
}

/**
 * @param {unknown} answer of `calendar.getEvents`: unchecked
 * @returns {ReadEvent[] | any} events; anything else as it is
 */
export const eventsIn = answer => mapped(listIn(answer, ['events', 'items']), eventIn)

/**
 * @param {unknown} answer of `calendar.createEvent` and `findEvent`: unchecked
 * @returns {any} an event; anything else as it is
 */
export function eventIn(answer) {
  if (!isObject(answer)) return answer
  const { summary, zoomLink, hangoutLink, ...event } = answer
  return {
    ...event,
    ...present('title', event.title ?? summary),
    ...present('start', momentIn(event.start)),
    ...present('end', momentIn(event.end)),
    ...present('attendees', Array.isArray(event.attendees) ? event.attendees.map(addressIn) : event.attendees),
    ...present('meetingLink', event.meetingLink ?? zoomLink ?? hangoutLink),
  }
}

/** @param {unknown} value @returns {value is JsonObject} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {string} name @param {unknown} value */
const present = (name, value) => (value === undefined ? {} : { [name]: value })

/** @param {unknown} answer @param {string[]} names of members that may hold the list */
function listIn(answer, names) {
  if (!isObject(answer)) return answer
  return names.map(name => answer[name]).find(Array.isArray) ?? answer
}

/** @param {unknown} list @param {(one: unknown) => unknown} change */
const mapped = (list, change) => (Array.isArray(list) ? list.map(change) : list)

/** A day without a time is its beginning. @param {unknown} moment */
const momentIn = moment => (isObject(moment) ? (moment.dateTime ?? moment.date) : moment)

/** @param {unknown} attendee */
const addressIn = attendee => (isObject(attendee) ? attendee.email : attendee)
