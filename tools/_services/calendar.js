// The embedded calendar: the shipped default of the host service `calendar`. iCalendar files in a folder, which other
// programs may read.
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { clipTo, toInterval, toPeriod, unionOf } from './busy-times.js'
import { checkNewEvent, eventIdOf } from './calendar-event.js'
import { CALENDARS, createCalendarFolder } from './calendar-folder.js'
import { withLock } from './folder-lock.js'
import { addEvent, addressesOf, findEvent } from './ics-document.js'
import { occurrencesIn } from './ics-occurrences.js'
import { momentOf, platformZone } from './ics-times.js'
import { ServiceError } from './service-errors.js'
import { isTimeZone, systemTimeZone } from './zoned-time.js'

const SAMPLE = fileURLToPath(new URL('./data/calendar/', import.meta.url))
/** The calendar in which events are created. */
const OWN = 'primary'

/**
 * @typedef {import('./ics-times.js').Timezone} Timezone
 * @typedef {import('./service-types.js').Interval} Interval
 * @typedef {import('./calendar-event.js').NewEvent} NewEvent
 * @typedef {{ files: ReturnType<typeof createCalendarFolder>, zone: Timezone, locks: string, queue: Promise<unknown> }}
 *   EmbeddedCalendar `locks`: the folder of the lock; `queue`: the last creation
 */

/**
 * Makes a calendar that implements the `calendar` service.
 *
 * It reads `primary.ics`, `team.ics` and `personal.ics` of a folder at each request, and creates events in
 * `primary.ics`. A calendar without a file is a ServiceError `INVALID_NAMESPACE`, except for `primary`, which is empty
 * then. Creation is atomic for all processes of this machine that use the folder: either the time was free and the
 * event is on the disk, or nothing changed. It sends no invitations and creates no meeting links.
 *
 * @param {{ folder?: string | URL, timeZone?: string }} [options] without a folder, an invented studio's calendars,
 *   whose changed copies are kept in `.toolgate/calendar` of the working directory; `timeZone` is that of days, and of
 *   times that name none: the process' own by default
 * @returns {Promise<import('./service-types.js').CalendarService>}
 * @throws {TypeError} if the time zone is unknown
 */
export async function createCalendar({ folder, timeZone = systemTimeZone() } = {}) {
  if (!isTimeZone(timeZone)) throw new TypeError(`unknown time zone \`${timeZone}\``)
  const place = folder === undefined ? path.resolve('.toolgate', 'calendar') : path.resolve(pathOf(folder))
  const files = createCalendarFolder(place, folder === undefined ? SAMPLE : undefined)
  // Reports broken files at start-up.
  await Promise.all(CALENDARS.map(id => files.read(id)))
  /** @type {EmbeddedCalendar} */
  const calendar = { files, zone: platformZone(timeZone), locks: path.join(place, '.lock'), queue: Promise.resolve() }
  return {
    getFreeBusy: request => getFreeBusy(calendar, request),
    getEvents: request => getEvents(calendar, request),
    createEvent: (event, options) => createEvent(calendar, event, options),
    findEvent: request => findCreated(calendar, request),
  }
}

/** @param {EmbeddedCalendar} calendar @param {import('./service-types.js').FreeBusyRequest} request */
async function getFreeBusy(calendar, { timeMin, timeMax, items, signal }) {
  const range = toInterval({ start: timeMin, end: timeMax })
  const entries = await Promise.all(
    items.map(async ({ id }) => {
      const occurrences = await readOccurrences(calendar, id, range, signal)
      const busy = unionOf(
        clipTo(
          range,
          occurrences.filter(one => one.busy),
        ),
      )
      return /** @type {const} */ ([id, { busy: busy.map(toPeriod) }])
    }),
  )
  return { calendars: Object.fromEntries(entries) }
}

/** @param {EmbeddedCalendar} calendar @param {import('./service-types.js').EventsRequest} request */
async function getEvents(calendar, { timeMin, timeMax, calendars, signal }) {
  const range = toInterval({ start: timeMin, end: timeMax })
  const found = await Promise.all(
    calendars.map(async id => {
      const occurrences = await readOccurrences(calendar, id, range, signal)
      return occurrences.map(one => ({ ...one, ...toPeriod(one), calendar: id }))
    }),
  )
  return found.flat()
}

/**
 * @param {EmbeddedCalendar} calendar
 * @param {string} id
 * @param {Interval} range
 * @param {AbortSignal | undefined} signal
 */
async function readOccurrences({ files, zone }, id, range, signal) {
  signal?.throwIfAborted()
  const calendars = CALENDARS.includes(id) ? await files.read(id) : null
  signal?.throwIfAborted()
  if (!calendars && id !== OWN) throw new ServiceError('INVALID_NAMESPACE', `there is no calendar \`${id}\``)
  return occurrencesIn(calendars ?? [], range, zone)
}

/**
 * Runs one after another within the process; the lock excludes other processes.
 * @param {EmbeddedCalendar} calendar
 * @param {NewEvent} event
 * @param {import('./service-types.js').WriteOptions} [options]
 */
async function createEvent(calendar, event, { idempotencyKey, signal } = {}) {
  checkNewEvent(event)
  const id = eventIdOf(idempotencyKey)
  const created = calendar.queue.then(() =>
    withLock(calendar.locks, () => createOnce(calendar, { ...event, id }), { signal }),
  )
  calendar.queue = created.catch(() => {})
  return created
}

/** @param {EmbeddedCalendar} calendar @param {NewEvent & { id: string }} event */
async function createOnce({ files, zone }, event) {
  const calendars = await files.readForUpdate(OWN)
  const before = findEvent(calendars, event.id)
  if (before) return toCreated(before, zone)
  const inTheWay = occurrencesIn(calendars, toInterval(event), zone).filter(one => one.busy)
  if (inTheWay.length > 0) {
    throw new ServiceError('CONFLICT', 'the time is taken', { conflicts: unionOf(inTheWay).map(toPeriod) })
  }
  addEvent(calendars[0], { ...event, now: Date.now() })
  await files.write(OWN, calendars)
  return toCreated(/** @type {import('./ics-document.js').Event} */ (findEvent(calendars, event.id)), zone)
}

/**
 * The event that a key has created. Waits for a creation that holds the lock.
 * @param {EmbeddedCalendar} calendar
 * @param {import('./service-types.js').RequestOptions & { idempotencyKey: string }} request
 */
async function findCreated({ files, zone, locks }, { idempotencyKey, signal }) {
  const found = await withLock(
    locks,
    async () => findEvent(await files.readForUpdate(OWN), eventIdOf(idempotencyKey)),
    { signal },
  )
  return found ? toCreated(found, zone) : null
}

/** @param {import('./ics-document.js').Event} event @param {Timezone} zone */
function toCreated(event, zone) {
  const period = { start: momentOf(event.startDate, zone), end: momentOf(event.endDate, zone) }
  return { id: event.uid, title: event.summary, ...toPeriod(period), attendees: addressesOf(event), meetingLink: null }
}

/** @param {string | URL} folder */
function pathOf(folder) {
  return folder instanceof URL ? fileURLToPath(folder) : folder
}
