// Dates, times and durations in an utterance, by chrono-node. Times are read on the user's clock.

import * as chrono from 'chrono-node'
import { offsetAt, wallOf, writtenMoment } from './clock.js'

/**
 * @import { Clock } from './clock.js'
 * @import { Span } from './pattern.js'
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Hours of the day that are offered for meetings. */
export const WORKING_HOURS = { from: 9, to: 18 }
/** @type {Record<string, [from: number, to: number]>} */
const DAY_PARTS = { morning: [8, 12], afternoon: [12, 18], evening: [18, 22], tonight: [18, 22] }
/** @type {Record<string, number>} */
const NUMBER_WORDS = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  'forty-five': 45,
  sixty: 60,
  ninety: 90,
}
const EXACT = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)/g
const DURATION =
  /(?<!\bin )(?:\bfor )?\b(?<half>half an hour)\b|(?<!\bin )(?:\bfor (?:about )?)?\b(?<count>\d+(?:[.,]\d+)?|a|an|one|two|three|four|five|ten|fifteen|twenty|thirty|forty-five|sixty|ninety)[ -]?(?<unit>minutes?|mins?|hours?|hrs?|h|seconds?|secs?|days?)\b(?<rest> and a half)?(?! (?:ago|from now|later|late)\b)/gi
/** @type {[start: string, seconds: number][]} */
const UNITS = [
  ['m', 60],
  ['h', 3600],
  ['s', 1],
  ['d', 86_400],
]

/**
 * @typedef {object} Moments
 * @property {string | null} start RFC 3339, on the user's clock; null without a time of day
 * @property {string | null} end null unless the utterance has one
 * @property {{ start: string, end: string } | null} range the whole time that is meant: a day, a part of it, a week
 * @property {number | null} seconds a duration
 * @property {string} rest the utterance with blanks in place of all of these, and only of these: a date beyond the first remains
 * @property {Span[]} dates where they stand
 * @property {Span[]} durations
 * @property {boolean} isClear false if a time or a duration is said that makes no sense, or that was read in part
 */

/** A number, as digits (`12,000`, `10k`) or as a word. @param {string} text @returns {number} NaN if it is none */
export function numberOf(text) {
  const [, digits = '', factor = ''] = /^([+-]?[\d.,]+)\s*([km])?$/i.exec(text.trim()) ?? []
  if (digits === '') return NUMBER_WORDS[text.trim().toLowerCase()] ?? NaN
  const plain = digits.replaceAll(/,(?=\d{3}(?:\D|$))/g, '').replace(/,(\d+)$/, '.$1')
  return Number(plain) * ({ k: 1e3, m: 1e6 }[factor.toLowerCase()] ?? 1)
}

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S
/** Minutes of one digit: `3.5pm`, which chrono reads as 3:05. */
const SHORT_MINUTES = /\d[.:]\d\s?[ap]\.?m\b|\d:\d(?!\d)/i
/** A time of day, in words that no reading took. */
const TIME = /\d\s?(?:[ap]\.?m\b|o['’]clock)|\b\d{1,2}:\d\d\b/i

/**
 * What people mean when they say how long something takes: more than nothing and less than a day; over midnight half a day at most, because
 * who says `from 5pm to 3pm` does not mean the next day.
 *
 * @param {number} seconds
 * @param {boolean} [isOverMidnight]
 */
const isLength = (seconds, isOverMidnight = false) =>
  seconds > 0 && seconds < DAY_S && !(isOverMidnight && seconds > DAY_S / 2)

/** Whether a reading begins or ends inside a number: `3.5pm` is not `5pm`. @param {string} text @param {Span} span */
const splitsNumber = (text, [from, to]) =>
  (/\d[.,:/-]?$/.test(text.slice(0, from)) && /^\d/.test(text.slice(from))) ||
  (/\d$/.test(text.slice(0, to).trimEnd()) && /^[.,:]?\d/.test(text.slice(to)))

/** @param {string} utterance @param {Clock} clock @returns {Moments} */
export function readMoments(utterance, clock) {
  const moments = foundMoments(utterance, clock)
  const { start, end, rest, dates, durations, seconds } = moments
  // What is written to the second is meant.
  const isExact = utterance.search(EXACT) >= 0
  const length = start === null || end === null ? null : (Date.parse(end) - Date.parse(start)) / 1000
  const isRange =
    length === null || (isExact ? length > 0 : isLength(length, end?.slice(0, 10) !== start?.slice(0, 10)))
  const isClear =
    isRange &&
    (seconds === null || isLength(seconds)) &&
    !TIME.test(rest) &&
    (isExact || !dates.some(([from, to]) => SHORT_MINUTES.test(utterance.slice(from, to)))) &&
    ![...dates, ...durations].some(span => splitsNumber(utterance, span))
  return { ...moments, isClear }
}

/** @param {string} utterance @param {Clock} clock @returns {Omit<Moments, 'isClear'>} */
function foundMoments(utterance, clock) {
  const duration = readDuration(utterance)
  const { seconds, rest } = duration
  const exact = [...rest.matchAll(EXACT)].slice(0, 2)
  if (exact.length > 0) return exactMoments(exact, duration)
  const reference = { instant: clock.now, timezone: offsetAt(clock.now, clock.timeZone) }
  const found = chrono.parse(widened(rest), reference, { forwardDate: true }).filter(one => isOneDay(one))
  const timed = found.find(({ start }) => start.isCertain('hour'))
  const dated = found.find(hasDay) ?? (timed === undefined ? found[0] : undefined)
  const side = timed === undefined ? null : sideOf(timed, rest)
  const dates = [...spansOf([dated, timed], rest), ...(side === null ? [] : [side.span])]
  const remainder = dates.reduce((text, [from, to]) => cutOut(text, from, to - from), rest)
  const day = dayOf(dated, rest, clock)
  const start = timed === undefined ? null : timeOn(day, timed.start, clock)
  const end = timed?.end?.isCertain('hour') ? timeOn(day, timed.end, clock, start) : null
  const meant = day ?? (start === null ? null : { first: start, days: 1 })
  const range = meant === null ? null : rangeOf(meant, rest, clock)
  const { durations } = duration
  if (side !== null && start !== null && range !== null) {
    const window = { ...range, [side.isAfter ? 'start' : 'end']: written(start, clock) }
    return { start: null, end: null, range: window, seconds, rest: remainder, dates, durations }
  }
  return { start: written(start, clock), end: written(end, clock), range, seconds, rest: remainder, dates, durations }
}

/** Words that chrono reads as dates and that are rather words, and times of more days than it says. */
const NO_DAY =
  /^(?:may|sun|mar|sat|wed|\d+(?:\.\d+)?|.*\byears?|second)$|\b(?:months?|years?|quarters?|weekends?|weeks)\b|\b(?:next|last|past|coming) .*\bdays\b/i
const WEEK = /\b(?:(?:in|during) )?(?<which>this|next|the coming|coming) week\b/i

/** @param {chrono.ParsedResult} result */
const hasDay = ({ start }) => start.isCertain('day') || start.isCertain('weekday')

/** @param {chrono.ParsedResult} result */
const isOneDay = result =>
  !/\b(?:by|since|around)\b/i.test(result.text) &&
  !NO_DAY.test(result.text.trim()) &&
  (hasDay(result) || result.start.isCertain('hour') || !/\d/.test(result.text))

/** Where what was read stands. @param {(chrono.ParsedResult | undefined)[]} results of the widened text @param {string} text @returns {Span[]} */
function spansOf(results, text) {
  const week = WEEK.exec(text)
  const found = results.filter(result => result !== undefined).map(({ index, text: { length } }) => ({ index, length }))
  const read = widened(text)
  return [...found, ...(week === null ? [] : [{ index: week.index, length: week[0].length }])].map(
    ({ index, length }) => {
      // Shorter words than those of the utterance have blanks behind them; blanks of the utterance may be a duration that was taken.
      const { length: blanks } = /^ */.exec(read.slice(index + length))?.[0] ?? ''
      return [index, index + length + text.slice(index + length, index + length + blanks).trimEnd().length]
    },
  )
}

/** A time that ends or begins what is meant: `after 3pm`. @param {chrono.ParsedResult} result @param {string} text */
function sideOf({ index, text: read, end }, text) {
  if (end !== undefined && end !== null) return null
  const found = /\b(?<side>after|before|until|till)(?: (?:about )?$|\b)/i.exec(
    text.slice(Math.max(0, index - 7), index + read.length),
  )
  if (found === null) return null
  const from = Math.max(0, index - 7) + found.index
  /** @type {Span} */
  const span = [from, from + found[0].length]
  return { isAfter: /after/i.test(found[0]), span }
}

const HALF_WORDS =
  /\b(?<part>half|quarter) (?<side>past|to) (?<hour>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b/gi

/** In the words that chrono reads, as long as before: `between 2 and 4`, `half past two`. @param {string} text */
const widened = text =>
  text
    .replace(/\bbetween (\S+(?: ?[ap]m)?) and (?=\d)/gi, (whole, from) => `from ${from} to `.padEnd(whole.length))
    .replace(HALF_WORDS, (whole, part, side, hour) => {
      const minutes = /half/i.test(part) ? 30 : 15
      const at = numberOf(hour) - (/to/i.test(side) ? 1 : 0)
      return `${at}:${/to/i.test(side) ? 60 - minutes : minutes}`.padEnd(whole.length)
    })

/** @param {string} text @param {number} at @param {number} length */
const cutOut = (text, at, length) => `${text.slice(0, at)}${' '.repeat(length)}${text.slice(at + length)}`

/** @param {string} utterance @returns {{ seconds: number | null, rest: string, durations: Span[] }} */
function readDuration(utterance) {
  const [found] = utterance.matchAll(DURATION)
  if (found === undefined) return { seconds: null, rest: utterance, durations: [] }
  const { half, count = '', unit = '', rest: andHalf } = found.groups ?? {}
  const size = UNITS.find(([start]) => unit.toLowerCase().startsWith(start))?.[1] ?? 3600
  const seconds = half === undefined ? (numberOf(count) + (andHalf === undefined ? 0 : 0.5)) * size : 1800
  const { 0: text, index } = found
  return { seconds, rest: cutOut(utterance, index, text.length), durations: [[index, index + text.length]] }
}

/**
 * @param {RegExpExecArray[]} exact
 * @param {{ rest: string, seconds: number | null, durations: Span[] }} more
 * @returns {Omit<Moments, 'isClear'>}
 */
function exactMoments(exact, { rest, seconds, durations }) {
  const [start = null, end = null] = exact.map(([moment]) => moment)
  const range = start === null || end === null ? null : { start, end }
  /** @type {Span[]} */
  const dates = exact.map(({ 0: { length }, index }) => [index, index + length])
  const remainder = dates.reduce((text, [from, to]) => cutOut(text, from, to - from), rest)
  return { start, end, range, seconds, rest: remainder, dates, durations }
}

/**
 * The first and the last day that is meant, at midnight of the user's clock.
 *
 * @param {chrono.ParsedResult | undefined} result
 * @param {string} text
 * @param {Clock} clock
 * @returns {{ first: Date, days: number } | null}
 */
function dayOf(result, text, { now, timeZone }) {
  const wall = wallOf(now, timeZone)
  const today = new Date(wall.getTime() - (wall.getTime() % DAY_MS))
  const which = WEEK.exec(text)?.groups?.which
  if (which !== undefined && result?.start.isCertain('weekday') !== true) {
    const weekday = (today.getUTCDay() + 6) % 7
    if (/this/i.test(which)) return { first: today, days: Math.max(1, 5 - weekday) }
    return { first: new Date(today.getTime() + (7 - weekday) * DAY_MS), days: 5 }
  }
  if (result === undefined) return null
  const [year, month, day] = /** @type {const} */ (['year', 'month', 'day']).map(part => result.start.get(part) ?? 1)
  const first = Date.UTC(year, month - 1, day)
  const [untilYear, untilMonth, until] = /** @type {const} */ (['year', 'month', 'day']).map(
    part => result.end?.get(part) ?? result.start.get(part) ?? 1,
  )
  const last = result.end?.isCertain('hour') ? first : Date.UTC(untilYear, untilMonth - 1, until)
  return { first: new Date(first), days: Math.max(1, Math.round((last - first) / DAY_MS) + 1) }
}

/**
 * @param {{ first: Date } | null} day
 * @param {chrono.ParsedComponents} time
 * @param {Clock} clock
 * @param {Date | null} [after] the time is later than this one
 */
function timeOn(day, time, { now, timeZone }, after = null) {
  // `3pm EST`: the zone is read with the time.
  if (time.isCertain('timezoneOffset')) return wallOf(time.date(), timeZone)
  const wall = wallOf(now, timeZone)
  const first = day?.first ?? wall
  const hour = time.get('hour') ?? 0
  // `at 3` is meant in the afternoon.
  const isVague = !time.isCertain('meridiem') && hour > 0 && hour < 7
  const at = Date.UTC(
    first.getUTCFullYear(),
    first.getUTCMonth(),
    first.getUTCDate(),
    hour + (isVague ? 12 : 0),
    time.get('minute') ?? 0,
  )
  if (after !== null) {
    const step = time.isCertain('meridiem') ? DAY_MS : DAY_MS / 2
    return new Date(at + Math.max(0, Math.floor((after.getTime() - at) / step) + 1) * step)
  }
  return new Date(day === null && at <= wall.getTime() ? at + DAY_MS : at)
}

/** @param {{ first: Date, days: number }} day @param {string} text @param {Clock} clock */
function rangeOf({ first: within, days }, text, { timeZone }) {
  const first = new Date(within.getTime() - (within.getTime() % DAY_MS))
  const [, part = ''] = /\b(morning|afternoon|evening|tonight)\b/i.exec(text) ?? []
  const [from, to] = DAY_PARTS[part.toLowerCase()] ?? [WORKING_HOURS.from, WORKING_HOURS.to]
  const last = first.getTime() + (days - 1) * DAY_MS
  return {
    start: writtenMoment(new Date(first.getTime() + from * 60 * MINUTE_MS), timeZone),
    end: writtenMoment(new Date(last + to * 60 * MINUTE_MS), timeZone),
  }
}

/** @param {Date | null} wall @param {Clock} clock */
const written = (wall, { timeZone }) => (wall === null ? null : writtenMoment(wall, timeZone))

/** The next working days from now on, where the user named no day. @param {Clock} clock @param {number} days */
export function comingDays({ now, timeZone }, days = 5) {
  const wall = wallOf(now, timeZone)
  const next = new Date(Math.ceil((wall.getTime() + 60 * MINUTE_MS) / (60 * MINUTE_MS)) * 60 * MINUTE_MS)
  const last = new Date(wall.getTime() - (wall.getTime() % DAY_MS) + days * DAY_MS + WORKING_HOURS.to * 60 * MINUTE_MS)
  return { start: writtenMoment(next, timeZone), end: writtenMoment(last, timeZone) }
}

/** @param {string} moment RFC 3339 @param {number} seconds in the same offset */
export function later(moment, seconds) {
  const [, offset = 'Z'] = /(Z|[+-]\d\d:\d\d)$/i.exec(moment) ?? []
  const wall = Date.parse(moment.replace(offset, 'Z')) + seconds * 1000
  return new Date(wall).toISOString().replace('.000Z', offset)
}
