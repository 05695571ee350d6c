// Google Calendar as the host service `calendar`, over its REST API (v3).
import { unionOf, toInterval, toPeriod } from './busy-times.js'
import { checkNewEvent, eventIdOf } from './calendar-event.js'
import { toCreated, toEvent, toInsert } from './google-events.js'
import { createGoogleRequest } from './google-request.js'
import { ServiceError } from './service-errors.js'

const BASE_URL = 'https://www.googleapis.com/calendar/v3'
const PAGE_SIZE = 2500
const MOST_PAGES = 20
const SEND_UPDATES = ['all', 'externalOnly', 'none']
/** The calendar in which events are created. */
const OWN = 'primary'

/**
 * @typedef {import('./calendar-event.js').NewEvent} NewEvent
 * @typedef {import('./service-types.js').JsonObject} JsonObject
 * @typedef {import('./service-types.js').RequestOptions} RequestOptions
 * @typedef {import('./service-errors.js').ServiceErrorDetails} ServiceErrorDetails
 * @typedef {{ request: ReturnType<typeof createGoogleRequest>, ids: Record<string, string>, sendUpdates: string,
 *   queue: Promise<unknown> }} GoogleCalendar `queue`: the last creation
 */

/**
 * Makes a calendar that implements the `calendar` service.
 *
 * The id of an event is derived from its idempotency key, so that Google itself refuses a second creation, which is
 * answered with the first event. The free/busy check comes before the creation: Google has no atomic operation for
 * both, so another person may take the time in between. The meeting link is from Google Meet.
 *
 * @param {object} options
 * @param {(options: { signal: AbortSignal }) => string | Promise<string>} options.accessToken an OAuth token that is
 *   valid now, with the scope `https://www.googleapis.com/auth/calendar.events` and one for reading free/busy times;
 *   called for each request
 * @param {Partial<Record<"primary" | "team" | "personal", string>>} [options.calendars] Google's id of each calendar;
 *   calendars that are left out do not exist; `{ primary: 'primary' }` by default
 * @param {"all" | "externalOnly" | "none"} [options.sendUpdates] who gets an invitation by e-mail; `all` by default
 * @param {number} [options.timeoutMs] of one request; 10000 by default
 * @param {string} [options.baseUrl] another server of this API: https, or this machine
 * @returns {import('./service-types.js').CalendarService}
 */
export function createGoogleCalendar({
  accessToken,
  calendars,
  sendUpdates = 'all',
  timeoutMs = 10_000,
  baseUrl = BASE_URL,
}) {
  if (typeof accessToken !== 'function') throw new TypeError('`accessToken` must be a function that gives a token')
  if (!SEND_UPDATES.includes(sendUpdates))
    throw new TypeError(`\`sendUpdates\` must be one of ${SEND_UPDATES.join(', ')}`)
  const request = createGoogleRequest({ baseUrl, accessToken, timeoutMs })
  /** @type {GoogleCalendar} */
  const google = { request, ids: calendars ?? { [OWN]: 'primary' }, sendUpdates, queue: Promise.resolve() }
  return {
    getFreeBusy: request => getFreeBusy(google, request),
    getEvents: request => getEvents(google, request),
    createEvent: (event, options) => createEvent(google, event, options),
    findEvent: ({ idempotencyKey, signal }) => readBack(google, eventIdOf(idempotencyKey), signal),
  }
}

/** @param {GoogleCalendar} google @param {import('./service-types.js').FreeBusyRequest} request */
async function getFreeBusy(google, { timeMin, timeMax, items, signal }) {
  const ids = items.map(({ id }) => /** @type {const} */ ([id, googleId(google, id)]))
  const body = { timeMin, timeMax, items: ids.map(([, id]) => ({ id })) }
  const answer = await google.request('POST', ['freeBusy'], { body, signal })
  const times = ids.map(([name, id]) => /** @type {const} */ ([name, { busy: busyOf(answer.calendars?.[id]) }]))
  return { calendars: Object.fromEntries(times) }
}

/** An unreadable calendar does not mean free time: throws. @param {JsonObject | undefined} calendar */
function busyOf(calendar) {
  const reason = calendar?.errors?.[0]?.reason
  if (reason === 'notFound') throw new ServiceError('INVALID_NAMESPACE', 'there is no such calendar')
  if (reason !== undefined || !Array.isArray(calendar?.busy))
    throw new ServiceError('UNAVAILABLE', 'a calendar could not be read')
  return unionOf(calendar.busy.map(toInterval)).map(toPeriod)
}

/** @param {GoogleCalendar} google @param {import('./service-types.js').EventsRequest} request */
async function getEvents(google, { timeMin, timeMax, calendars, signal }) {
  const lists = await Promise.all(
    calendars.map(async name => {
      const events = await listEvents(google, name, { timeMin, timeMax, signal })
      return events.map(event => ({ ...event, calendar: name }))
    }),
  )
  return lists.flat()
}

/**
 * @param {GoogleCalendar} google
 * @param {string} name
 * @param {{ timeMin: string, timeMax: string } & RequestOptions} request
 */
async function listEvents(google, name, { timeMin, timeMax, signal }) {
  const path = ['calendars', googleId(google, name), 'events']
  /** @type {import('./service-types.js').ListedEvent[]} */
  const events = []
  /** @type {string | undefined} */
  let pageToken
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { timeMin, timeMax, singleEvents: true, orderBy: 'startTime', maxResults: PAGE_SIZE, pageToken }
    const answer = await google.request('GET', path, { query, signal })
    events.push(...(answer.items ?? []).map((/** @type {JsonObject} */ event) => toEvent(event, answer.timeZone)))
    pageToken = answer.nextPageToken
    if (!pageToken) return events
  }
  throw new ServiceError('REJECTED', 'the calendar has too many events at this time')
}

/**
 * Runs one after another: two creations of this process can't both find the time free.
 * @param {GoogleCalendar} google
 * @param {NewEvent} event
 * @param {import('./service-types.js').WriteOptions} [options]
 */
async function createEvent(google, event, { idempotencyKey, signal } = {}) {
  checkNewEvent(event)
  const id = eventIdOf(idempotencyKey)
  const created = google.queue.then(() => createOnce(google, event, id, signal))
  google.queue = created.catch(() => {})
  return created
}

/**
 * @param {GoogleCalendar} google
 * @param {NewEvent} event
 * @param {string} id
 * @param {AbortSignal | undefined} signal
 */
async function createOnce(google, event, id, signal) {
  const before = await beforeSending(() => findCreated(google, event, id, signal))
  if (before) return before
  const path = ['calendars', googleId(google, OWN), 'events']
  const query = { sendUpdates: google.sendUpdates, conferenceDataVersion: 1 }
  try {
    return toCreated(await google.request('POST', path, { query, body: toInsert(event, id), signal }))
  } catch (error) {
    return afterFailedInsert(google, id, signal, error)
  }
}

/**
 * The event of an earlier attempt; `null` if there is none and the time is free.
 * @param {GoogleCalendar} google
 * @param {NewEvent} event
 * @param {string} id
 * @param {AbortSignal | undefined} signal
 */
async function findCreated(google, event, id, signal) {
  const inTheWay = await listEvents(google, OWN, { timeMin: event.start, timeMax: event.end, signal })
  const busy = inTheWay.filter(one => one.busy)
  if (busy.length === 0) return null
  // The event may have been moved, or be the one that takes the time.
  const before = await readBack(google, id, signal)
  if (before) return before
  throw new ServiceError('CONFLICT', 'the time is taken', { conflicts: unionOf(busy.map(toInterval)).map(toPeriod) })
}

/** Marks failures before the write as `unsent`. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function beforeSending(work) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) Object.assign(error, { unsent: true })
    throw error
  }
}

/**
 * The event exists, or may exist after a lost answer: asks Google once.
 * @param {GoogleCalendar} google
 * @param {string} id
 * @param {AbortSignal | undefined} signal
 * @param {unknown} error
 */
async function afterFailedInsert(google, id, signal, error) {
  const { status, code, unsent } = /** @type {ServiceErrorDetails | null | undefined} */ (error) ?? {}
  const isDuplicate = status === 409
  const isOpen = (code === 'TIMEOUT' || code === 'UNAVAILABLE') && !unsent
  if (!isDuplicate && !isOpen) throw error
  const created = await readBack(google, id, signal).catch(failure => {
    signal?.throwIfAborted()
    throw isDuplicate ? failure : error
  })
  if (created) return created
  throw error
}

/** @param {GoogleCalendar} google @param {string} id @param {AbortSignal | undefined} signal */
async function readBack(google, id, signal) {
  try {
    const event = await google.request('GET', ['calendars', googleId(google, OWN), 'events', id], { signal })
    if (event.status === 'cancelled')
      throw new ServiceError('REJECTED', 'the event was created and has been deleted since')
    return toCreated(event)
  } catch (error) {
    const { status } = /** @type {ServiceErrorDetails} */ (error)
    if (status === 404 || status === 410) return null
    throw error
  }
}

/** @param {GoogleCalendar} google @param {string} name */
function googleId({ ids }, name) {
  if (!Object.hasOwn(ids, name)) throw new ServiceError('INVALID_NAMESPACE', `there is no calendar \`${name}\``)
  return ids[name]
}
