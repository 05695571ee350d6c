// Times in sentences, on the user's clock. Another year than the present one is named.

import { wallOf } from './clock.js'

/** @import { Clock } from './clock.js' */

/** Such as `Friday, 27 November, 15:00`. @param {string} moment RFC 3339 @param {Clock} clock */
export function momentText(moment, clock) {
  const at = new Date(moment)
  return Number.isNaN(at.getTime()) ? moment : `${dayText(at, clock)}, ${hourText(at, clock)}`
}

/** Such as `Friday, 27 November, 15:00–15:30`. @param {string} start @param {string} end @param {Clock} clock */
export function periodText(start, end, clock) {
  const [from, to] = [new Date(start), new Date(end)]
  const sameDay = dayText(from, clock) === dayText(to, clock)
  return `${momentText(start, clock)}${sameDay ? `–${hourText(to, clock)}` : ` to ${momentText(end, clock)}`}`
}

/** @param {Date} at @param {Clock} clock */
export function dayText(at, { now, timeZone }) {
  const isThisYear = wallOf(at, timeZone).getUTCFullYear() === wallOf(now, timeZone).getUTCFullYear()
  const year = isThisYear ? {} : { year: /** @type {const} */ ('numeric') }
  return at
    .toLocaleDateString('en-GB', { timeZone, weekday: 'long', day: 'numeric', month: 'long', ...year })
    .replace(/^(\w+) /, '$1, ')
}

/** @param {Date} at @param {Clock} clock */
export function hourText(at, { timeZone }) {
  return at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
}
