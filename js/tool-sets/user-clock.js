'use strict'
// The user's clock as a section of a system prompt: without it no model knows what `tomorrow at three` means.

/**
 * @param {{ timeZone?: string, now?: Date }} [options] `timeZone`: of the user, by its IANA name; an unknown one counts
 *   as none
 * @returns {string}
 */
function userClock({ timeZone, now = new Date() } = {}) {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  const weekday = now.toLocaleDateString('en', { weekday: 'long', timeZone: zone })
  const known = `For the user it is now ${weekday}, ${writtenIn(now, zone)}, in the time zone ${zone}.`
  const unknown = `It is now ${weekday}, ${writtenIn(now, zone)}, in the time zone UTC; the user's time zone is not known, so ask for it where it matters.`
  return `# The user's clock\n\n${zone === timeZone ? known : unknown} Read days and times of the user on this clock, and write them with its offset.\n`
}

/** @param {unknown} name @returns {name is string} */
function isTimeZone(name) {
  if (typeof name !== 'string' || !/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** RFC 3339 to the second, with the zone's offset. @param {Date} at @param {string} timeZone */
function writtenIn(at, timeZone) {
  const local = at.toLocaleString('sv', { timeZone }).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${local}Z`) - at.getTime()) / 60_000)
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

module.exports = { userClock }
