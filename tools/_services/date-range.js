// Checks of date-time ranges that a schema can't express: the order of start and end, and the length.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/**
 * @typedef {import('./service-types.js').FailedResult} FailedResult
 * @typedef {import('./service-types.js').Period} Period
 */

/**
 * @param {Partial<Period> | undefined} range already checked for its format
 * @param {string} pointer JSON Pointer of the range in the arguments
 * @returns {null | FailedResult} a failure if `end` is before `start`
 */
export function refuseBadRange(range, pointer) {
  const refused = refuseNoMoment(range, { start: `${pointer}/start`, end: `${pointer}/end` })
  if (refused) return refused
  const { start = '', end = '' } = range ?? {}
  if (Date.parse(start) > Date.parse(end)) {
    const message = `start \`${start}\` is later than end \`${end}\``
    return refusal(pointer, message, 'give a start that is not later than the end')
  }
  return null
}

/**
 * The same for a range of two arguments, both required, that must not be empty either.
 *
 * @param {Period} range already checked for its format
 * @param {{ start: string, end: string }} names of the arguments
 * @returns {null | FailedResult}
 */
export function refuseEmptyRange(range, names) {
  const refused = refuseNoMoment(range, { start: `/${names.start}`, end: `/${names.end}` })
  if (refused) return refused
  if (Date.parse(range.start) < Date.parse(range.end)) return null
  return refusal(
    `/${names.end}`,
    `${names.end} \`${range.end}\` is not later than ${names.start} \`${range.start}\``,
    `give an ${names.end} that is later than ${names.start}`,
  )
}

/**
 * @param {Period} range a range that is one
 * @param {{ start: string, end: string }} names of the arguments
 * @param {number} days the longest span; one more hour is allowed for the change from daylight saving time
 * @returns {null | FailedResult}
 */
export function refuseLongRange(range, names, days) {
  const fellBack = offsetMs(range.start) - offsetMs(range.end)
  const extra = fellBack > 0 && fellBack <= HOUR_MS ? fellBack : 0
  if (Date.parse(range.end) - Date.parse(range.start) - extra <= days * DAY_MS) return null
  return refusal(`/${names.end}`, `the range is longer than ${days} days`, `ask for at most ${days} days at once`)
}

/** The UTC offset that a date-time is written with. @param {string} dateTime */
export function offsetMs(dateTime) {
  return Date.parse(dateTime.replace(/(z|[+-]\d\d:\d\d)$/i, 'Z')) - Date.parse(dateTime)
}

/** @param {Partial<Period> | undefined} range @param {{ start: string, end: string }} pointers */
function refuseNoMoment(range, pointers) {
  for (const end of /** @type {const} */ (['start', 'end'])) {
    // A leap second is a valid date-time, but no moment that a clock of this platform has.
    const moment = range?.[end]
    if (moment !== undefined && Number.isNaN(Date.parse(moment))) {
      return refusal(pointers[end], `\`${moment}\` is not a moment in time`, 'give a date and time that a clock shows')
    }
  }
  return null
}

/** @param {string} instancePath @param {string} message @param {string} suggestion */
function refusal(instancePath, message, suggestion) {
  return failure(ErrorType.VALIDATION, `${instancePath}: ${message}`, {
    retryable: false,
    details: [{ instancePath, schemaPath: '', keyword: 'dateRange', params: {}, message }],
    suggestion,
  })
}
