// What an event to be created is, and the identifier that makes creating it twice impossible.
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
 * The identifier of the event that a key creates: the same for the same key, so that whatever holds events recognises that
 * it has this one. Letters and digits that every calendar takes: Google allows `0-9a-v`, 5 to 1024 of them.
 *
 * @param {string} [idempotencyKey] without one each call is an event of its own
 */
export function eventIdOf(idempotencyKey = randomUUID()) {
  return `tg${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 48)}`
}

/**
 * Throws a TypeError where a caller of the service gave no event: handlers have checked theirs.
 *
 * @param {NewEvent} event
 */
export function checkNewEvent({ title, start, end, attendees }) {
  if (typeof title !== 'string' || title === '') throw new TypeError('an event needs a `title`')
  if (!(Date.parse(start) < Date.parse(end))) throw new TypeError('an event needs a `start` and a later `end`')
  if (!Array.isArray(attendees)) throw new TypeError('an event needs a list of `attendees`')
}
