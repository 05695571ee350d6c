// Converts wall-clock times of a time zone to epoch milliseconds, by the platform's time zone data.

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/** Whether the platform knows a time zone of this name, such as `Europe/Berlin`. @param {string} name */
export function isTimeZone(name) {
  try {
    return Boolean(formatOf(name))
  } catch {
    return false
  }
}

/** The time zone of this process. */
export function systemTimeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/**
 * The UTC offset of a wall-clock time.
 *
 * By RFC 5545 (3.3.5), an ambiguous time means the first of both, and a time skipped by the change to daylight saving
 * time is read with the offset before the change.
 *
 * @param {number} wallMs the wall-clock time as if it were UTC, epoch milliseconds
 * @param {string} timeZone
 * @returns {number} milliseconds, positive to the east
 */
export function offsetOfWallTime(wallMs, timeZone) {
  const before = offsetAt(wallMs - DAY_MS, timeZone)
  const after = offsetAt(wallMs + DAY_MS, timeZone)
  const isAfter = offsetAt(wallMs - before, timeZone) !== before && offsetAt(wallMs - after, timeZone) === after
  return isAfter ? after : before
}

/** The start of a day, in epoch milliseconds. @param {string} date such as `2026-11-23` @param {string} timeZone */
export function startOfDay(date, timeZone) {
  const wallMs = Date.parse(`${date}T00:00:00Z`)
  return wallMs - offsetOfWallTime(wallMs, timeZone)
}

/** @param {number} epochMs @param {string} timeZone */
function offsetAt(epochMs, timeZone) {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const wallMs = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second)
  return Math.round((wallMs - epochMs) / MINUTE_MS) * MINUTE_MS
}

/** @param {string} timeZone */
function formatOf(timeZone) {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  return format
}
