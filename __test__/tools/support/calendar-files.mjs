// iCalendar files of the tests, and calendars over them.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { createCalendar } from '../../../tools/_services/calendar.js'
import { temporaryFolder } from '../../support/tool-set.mjs'

/** Central Europe as calendar programs write it. */
export const BERLIN = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'BEGIN:DAYLIGHT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'DTSTART:19810329T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'DTSTART:19961027T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
]

/** A calendar's text. @param {string[][]} events the lines of each, without the frame */
export function calendarText(events, zones = []) {
  const framed = events.flatMap((lines, at) => {
    const uid = lines.some(line => line.startsWith('UID')) ? [] : [`UID:event-${at}@example.com`]
    return ['BEGIN:VEVENT', ...uid, 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']
  })
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//tests//EN', ...zones, ...framed, 'END:VCALENDAR', ''].join(
    '\r\n',
  )
}

/** A calendar over files of the test. @param {Record<string, string>} texts by calendar */
export async function calendarOf(texts = {}, options = {}) {
  const folder = temporaryFolder()
  for (const [id, text] of Object.entries(texts)) writeFileSync(path.join(folder, `${id}.ics`), text)
  const calendar = await createCalendar({ folder, timeZone: 'Europe/Berlin', ...options })
  return { folder, calendar, text: (id = 'primary') => readFileSync(path.join(folder, `${id}.ics`), 'utf8') }
}

/** Busy times of one calendar as `start/end`, seconds left out. */
export async function busyTimes(calendar, timeMin, timeMax, id = 'primary') {
  const { calendars } = await calendar.getFreeBusy({ timeMin, timeMax, items: [{ id }] })
  return calendars[id].busy.map(({ start, end }) => `${start.slice(0, 16)}/${end.slice(0, 16)}`)
}

export const newEvent = (over = {}) => ({
  title: 'Review',
  start: '2026-11-23T10:00:00Z',
  end: '2026-11-23T11:00:00Z',
  attendees: ['ada@example.com'],
  ...over,
})

export const uidsIn = text => [...text.matchAll(/^UID:(.*?)\r?$/gm)].map(([, uid]) => uid)
