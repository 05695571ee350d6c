'use strict'

// Times in flags.

const { InvalidArgumentError } = require('commander')

const MILLISECONDS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const EXPECTED = 'Give a time such as 2026-03-01T08:00:00Z, a date, or how long ago: 90s, 30m, 2h, 7d.'

/**
 * A time in UTC, or how long ago it was, as ISO 8601 with milliseconds.
 * @param {string} text
 */
function parseTime(text) {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const ago = count === undefined ? NaN : Number(count) * MILLISECONDS[/** @type {keyof MILLISECONDS} */ (unit)]
  const time = new Date(isTime ? text : Date.now() - ago)
  if (Number.isNaN(time.getTime()) || time.getTime() < 0) throw new InvalidArgumentError(EXPECTED)
  return time.toISOString()
}

module.exports = { parseTime }
