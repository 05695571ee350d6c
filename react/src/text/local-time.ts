// Times as the page shows them: in the zone and language of the browser, with the zone named.

const MOMENT: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
}
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/

export const zoneOfPage = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Such as `Tue, 15 Jan, 11:00`; with the year if it is another one. */
export function momentText(dateTime: string): string {
  const at = new Date(dateTime)
  const isThisYear = at.getFullYear() === new Date().getFullYear()
  return at.toLocaleString(undefined, isThisYear ? MOMENT : { ...MOMENT, year: 'numeric' })
}

/** Such as `Tue, 15 Jan 2030, 11:00 (Europe/Berlin)`. */
export function momentWithZone(dateTime: string): string {
  const text = new Date(dateTime).toLocaleString(undefined, { ...MOMENT, year: 'numeric' })
  return `${text} (${zoneOfPage()})`
}

/** Such as `Tue, 15 Jan 2030, 11:00 – 11:30 (Europe/Berlin)`: what both have in common stands once. */
export function periodWithZone(start: string, end: string): string {
  const format = new Intl.DateTimeFormat(undefined, { ...MOMENT, year: 'numeric' })
  return `${format.formatRange(new Date(start), new Date(end))} (${zoneOfPage()})`
}

/** A moment for the browser's control of a local time: `2030-01-15T11:00`, with seconds if it has some. */
export function localInputOf(dateTime: string): string {
  const at = new Date(dateTime)
  const clock = [at.getHours(), at.getMinutes(), ...(at.getSeconds() > 0 ? [at.getSeconds()] : [])].map(twoDigits)
  const day = [String(at.getFullYear()).padStart(4, '0'), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())]
  return `${day.join('-')}T${clock.join(':')}`
}

/** The moment of that control, with the UTC offset that this browser has then; null if there is none. */
export function momentOfInput(local: string): string | null {
  const at = new Date(local)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) || Number.isNaN(at.getTime())) return null
  const offset = -at.getTimezoneOffset()
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(twoDigits)
  const whole = local.length === 16 ? `${local}:00` : local
  return `${whole}${offset < 0 ? '-' : '+'}${hours}:${minutes}`
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** Whether a value is an RFC 3339 date and time that this browser can show. */
export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
