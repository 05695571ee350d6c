// The user's clock: the moment and the time zone that the client's instructions name, else those of this process.

const STATED = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))[^\n]{0,200}?\btime zone `?([A-Za-z][\w+/-]*)/
const MINUTE_MS = 60_000

/** @typedef {{ now: Date, timeZone: string }} Clock */

/** @param {string} instructions the system prompt @returns {Clock} */
export function clockOf(instructions) {
  const [, moment = '', zone = ''] = STATED.exec(instructions) ?? []
  const now = new Date(moment)
  return {
    now: Number.isNaN(now.getTime()) ? new Date() : now,
    timeZone: isTimeZone(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

/** @param {string} name */
export function isTimeZone(name) {
  try {
    return name !== '' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** Minutes east of UTC. @param {Date} at @param {string} timeZone */
export function offsetAt(at, timeZone) {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/**
 * The wall-clock time of a moment, as the UTC time of a Date: its UTC getters read the user's clock.
 *
 * @param {Date} at
 * @param {string} timeZone
 */
export function wallOf(at, timeZone) {
  return new Date(at.getTime() + offsetAt(at, timeZone) * MINUTE_MS)
}

/** The moment of a wall-clock time, written with its offset. @param {Date} wall as of `wallOf` @param {string} timeZone */
export function writtenMoment(wall, timeZone) {
  const guess = new Date(wall.getTime() - offsetAt(wall, timeZone) * MINUTE_MS)
  const east = offsetAt(guess, timeZone)
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  const offset = `${east < 0 ? '-' : '+'}${two(Math.floor(Math.abs(east) / 60))}:${two(Math.abs(east) % 60)}`
  return `${wall.toISOString().slice(0, 19)}${offset}`
}
