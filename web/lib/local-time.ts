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

/** Such as `Tue, 15 Jan, 11:00`. */
export const momentText = (dateTime: string): string => new Date(dateTime).toLocaleString(undefined, MOMENT)

/** Such as `Tue, 15 Jan 2030, 11:00 (Europe/Berlin)`. */
export function momentWithZone(dateTime: string): string {
  const text = new Date(dateTime).toLocaleString(undefined, { ...MOMENT, year: 'numeric' })
  return `${text} (${zoneOfPage()})`
}

/** Whether a value is an RFC 3339 date and time that this browser can show. */
export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
