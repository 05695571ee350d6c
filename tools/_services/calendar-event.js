// The event to be created, and its deterministic id, which prevents a second creation.
import { createHash, randomUUID } from 'node:crypto'

/**
 * @typedef {object} NewEvent
 * @property {string} title
 * @property {string} start date-time
 * @property {string} end date-time, later than start
 * @property {string[]} attendees e-mail addresses
 * @property {string} [description]
 * @property {boolean} [meetingLink] whether a link for a video meeting is wanted
 */

/**
 * @typedef {object} CreatedEvent
 * @property {string} id
 * @property {string} title
 * @property {string} start date-time in UTC
 * @property {string} end date-time in UTC
 * @property {string[]} attendees
 * @property {string | null} meetingLink
 */

/**
 * The id of the event that a key creates: the same for the same key, so that a calendar recognises an event it already
 * has. The characters are valid for every calendar: Google allows 5 to 1024 of `0-9a-v`.
 *
 * @param {string} [idempotencyKey] without a key each call creates another event
 */
export function eventIdOf(idempotencyKey = randomUUID()) {
  return `tg${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 48)}`
}

/**
 * Throws a TypeError if the argument is not an event. For other callers: handlers have validated their arguments.
 *
 * @param {NewEvent} event
 */
export function checkNewEvent({ title, start, end, attendees }) {
  if (typeof title !== 'string' || title === '') throw new TypeError('an event needs a `title`')
  if (!(Date.parse(start) < Date.parse(end))) throw new TypeError('an event needs a `start` and a later `end`')
  if (!Array.isArray(attendees)) throw new TypeError('an event needs a list of `attendees`')
}
