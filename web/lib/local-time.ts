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

/** As the core writes a date-time of a preview: `Tue 15 Jan 2030, 11:00`. */
export function momentOfPreview(dateTime: string): string {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const parts = new Intl.DateTimeFormat('en-US', { ...date, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    .formatToParts(new Date(dateTime))
    .map(({ type, value }) => [type, value])
  const { weekday, day, month, year, hour, minute } = Object.fromEntries(parts)
  return `${weekday} ${day} ${month} ${year}, ${hour}:${minute}`
}

/** Whether a value is an RFC 3339 date and time that this browser can show. */
export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
