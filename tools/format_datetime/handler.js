// Formats by Intl, the platform's own locale and time zone data.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'

/** The language of the result if the platform has no data for the wanted one. */
const FALLBACK = 'en'
/** Two days into year 1: no time zone puts a later moment into year 0. */
const FIRST_MOMENT = Date.parse('0001-01-03T00:00:00Z')

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const STYLES = {
  full: { dateStyle: 'full', timeStyle: 'full' },
  long: { dateStyle: 'long', timeStyle: 'short' },
  medium: { dateStyle: 'medium', timeStyle: 'short' },
  short: { dateStyle: 'short', timeStyle: 'short' },
  date: { dateStyle: 'long' },
  time: { timeStyle: 'short' },
}

/** @param {import('../../index.js').HandlerContext} context */
export function execute({ args }) {
  const { value, time_zone: timeZone, locale, style } = args
  const at = new Date(value)
  // RFC 3339 has leap seconds, a Date has none. Intl writes year 0 as year 1 (BC) without an era.
  if (!(at.getTime() >= FIRST_MOMENT))
    return refusal('/value', `\`${value}\` is not a point in time that can be formatted`)
  if (!canFormat({ locale }))
    return refusal('/locale', `\`${locale}\` is not a BCP 47 language tag; use one such as en-GB`)
  if (!canFormat({ timeZone })) {
    return refusal('/time_zone', `\`${timeZone}\` is not a time zone; use an IANA name such as Europe/Berlin`)
  }
  const format = new Intl.DateTimeFormat([locale, FALLBACK], { ...STYLES[style], timeZone })
  const used = format.resolvedOptions()
  return success({
    value,
    formatted: format.format(at),
    time_zone: used.timeZone,
    locale: used.locale,
    style,
    utc_offset: offsetAt(at, timeZone),
  })
}

/** @param {{ locale?: string, timeZone?: string }} options */
function canFormat({ locale = 'en', timeZone }) {
  try {
    new Intl.DateTimeFormat(locale, { timeZone }).format()
    return true
  } catch {
    return false
  }
}

/** `+01:00`, as it is in the zone at that moment. @param {Date} at @param {string} timeZone */
function offsetAt(at, timeZone) {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = /** @type {Intl.DateTimeFormatPart} */ (parts.find(({ type }) => type === 'timeZoneName'))
  return name.value.replace('GMT', '') || '+00:00'
}

/** @param {string} instancePath @param {string} message */
const refusal = (instancePath, message) =>
  failure(ErrorType.VALIDATION, message, {
    retryable: false,
    details: [{ instancePath, schemaPath: '', keyword: 'intl', params: {}, message }],
  })
