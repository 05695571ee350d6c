// What an iCalendar file means for busy times: rules, exceptions, time zones, days, and what does not count.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { createCalendar } from '../../tools/_services/calendar.js'
import { BERLIN, busyTimes, calendarOf, calendarText } from './support/calendar-files.mjs'

const read = async (events, from, to, { zones = BERLIN, ...options } = {}) => {
  const { calendar } = await calendarOf({ primary: calendarText(events, zones) }, options)
  return busyTimes(calendar, from, to)
}
const weekly = [
  'DTSTART;TZID=Europe/Berlin:20260302T090000',
  'DTEND;TZID=Europe/Berlin:20260302T100000',
  'RRULE:FREQ=WEEKLY',
]

test('a weekly event keeps its local time over the change to summer time', async () => {
  expect(await read([weekly], '2026-03-22T00:00:00Z', '2026-04-07T00:00:00Z')).toEqual([
    '2026-03-23T08:00/2026-03-23T09:00',
    '2026-03-30T07:00/2026-03-30T08:00',
    '2026-04-06T07:00/2026-04-06T08:00',
  ])
})

test("a time zone that the file names and does not define is the platform's", async () => {
  const there = weekly.map(line => line.replace('Europe/Berlin', 'America/New_York'))
  expect(await read([there], '2026-03-02T00:00:00Z', '2026-03-15T00:00:00Z', { zones: [] })).toEqual([
    '2026-03-02T14:00/2026-03-02T15:00',
    '2026-03-09T13:00/2026-03-09T14:00',
  ])
})

test('a time zone of the file counts, whatever its name', async () => {
  const zones = [
    'BEGIN:VTIMEZONE',
    'TZID:Office',
    'BEGIN:STANDARD',
    'TZOFFSETFROM:+0530',
    'TZOFFSETTO:+0530',
    'DTSTART:19700101T000000',
    'END:STANDARD',
    'END:VTIMEZONE',
  ]
  const event = ['DTSTART;TZID=Office:20260302T090000', 'DURATION:PT90M']
  expect(await read([event], '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z', { zones })).toEqual([
    '2026-03-02T03:30/2026-03-02T05:00',
  ])
})

test.each([
  ['a time without a zone', ''],
  ['a zone that nobody knows', ';TZID=Mars/Olympus'],
])("%s is read in the calendar's own", async (_what, zone) => {
  const event = [`DTSTART${zone}:20260702T090000`, `DTEND${zone}:20260702T100000`]
  const at = timeZone => read([event], '2026-07-02T00:00:00Z', '2026-07-03T00:00:00Z', { timeZone })
  expect([await at('Europe/Berlin'), await at('UTC')]).toEqual([
    ['2026-07-02T07:00/2026-07-02T08:00'],
    ['2026-07-02T09:00/2026-07-02T10:00'],
  ])
})

test('days are as long as they are where the calendar is', async () => {
  const days = [['DTSTART;VALUE=DATE:20260329'], ['DTSTART;VALUE=DATE:20261025', 'DTEND;VALUE=DATE:20261027']]
  expect(await read(days, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).toEqual([
    '2026-03-28T23:00/2026-03-29T22:00',
    '2026-10-24T22:00/2026-10-26T23:00',
  ])
})

test('excluded occurrences are free, in whichever form they are excluded', async () => {
  const event = [
    ...weekly,
    'EXDATE;TZID=Europe/Berlin:20260309T090000',
    'EXDATE:20260316T080000Z',
    'RDATE;TZID=Europe/Berlin:20260311T120000',
  ]
  expect(await read([event], '2026-03-01T00:00:00Z', '2026-03-25T00:00:00Z')).toEqual([
    '2026-03-02T08:00/2026-03-02T09:00',
    '2026-03-11T11:00/2026-03-11T12:00',
    '2026-03-23T08:00/2026-03-23T09:00',
  ])
})

describe('changed occurrences', () => {
  const change = (recurrence, ...lines) => ['UID:series', `RECURRENCE-ID;TZID=Europe/Berlin:${recurrence}`, ...lines]
  const series = ['UID:series', ...weekly]

  test('one that moved is busy where it went, also from behind the range into it', async () => {
    const moved = [
      change(
        '20260309T090000',
        'DTSTART;TZID=Europe/Berlin:20260310T140000',
        'DTEND;TZID=Europe/Berlin:20260310T143000',
      ),
      change('20260427T090000', 'DTSTART:20260305T060000Z', 'DTEND:20260305T070000Z'),
    ]
    expect(await read([series, ...moved], '2026-03-02T00:00:00Z', '2026-03-12T00:00:00Z')).toEqual([
      '2026-03-02T08:00/2026-03-02T09:00',
      '2026-03-05T06:00/2026-03-05T07:00',
      '2026-03-10T13:00/2026-03-10T13:30',
    ])
  })

  test('one that was cancelled is free', async () => {
    const cancelled = change(
      '20260309T090000',
      'DTSTART;TZID=Europe/Berlin:20260309T090000',
      'DTEND;TZID=Europe/Berlin:20260309T100000',
      'STATUS:CANCELLED',
    )
    expect(await read([series, cancelled], '2026-03-08T00:00:00Z', '2026-03-17T00:00:00Z')).toEqual([
      '2026-03-16T08:00/2026-03-16T09:00',
    ])
  })

  test('one that came without its series stands for itself', async () => {
    const alone = change('20260309T090000', 'DTSTART:20260310T060000Z', 'DTEND:20260310T070000Z')
    expect(await read([alone], '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual([
      '2026-03-10T06:00/2026-03-10T07:00',
    ])
  })
})

test('transparent, cancelled and timeless events are not busy, tentative ones are', async () => {
  const at = (hour, ...more) => [`DTSTART:20260302T${hour}0000Z`, 'DURATION:PT30M', ...more]
  const events = [
    at('08', 'TRANSP:TRANSPARENT'),
    at('09', 'STATUS:CANCELLED'),
    at('10', 'STATUS:TENTATIVE'),
    at('11', 'TRANSP:OPAQUE'),
    ['DTSTART:20260302T120000Z'],
  ]
  expect(await read(events, '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')).toEqual([
    '2026-03-02T10:00/2026-03-02T10:30',
    '2026-03-02T11:00/2026-03-02T11:30',
  ])
})

test('busy times are a union, clipped to what was asked for', async () => {
  const events = [
    ['DTSTART:20260302T080000Z', 'DTEND:20260302T100000Z'],
    ['DTSTART:20260302T093000Z', 'DTEND:20260302T110000Z'],
    ['DTSTART:20260302T120000Z', 'DTEND:20260302T200000Z'],
    ['DTSTART:20260303T120000Z', 'DTEND:20260303T130000Z'],
  ]
  expect(await read(events, '2026-03-02T09:00:00Z', '2026-03-02T15:00:00Z')).toEqual([
    '2026-03-02T09:00/2026-03-02T11:00',
    '2026-03-02T12:00/2026-03-02T15:00',
  ])
})

test('a rule without an end is followed to the range and no further; one that never gets there is given up', async () => {
  const daily = ['DTSTART:19960101T080000Z', 'DTEND:19960101T083000Z', 'RRULE:FREQ=DAILY']
  expect(await read([daily], '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')).toEqual([
    '2026-03-02T08:00/2026-03-02T08:30',
  ])
  const flood = ['DTSTART:19960101T080000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY']
  await expect(read([flood], '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')).rejects.toThrow(
    /more than 100000 occurrences/,
  )
})

test('events come with titles and addresses, as a whole', async () => {
  const event = [
    ...weekly,
    'SUMMARY:Plan\\, and more',
    'ATTENDEE;CN="Ada; Example":MAILTO:ada@example.com',
    'ATTENDEE:urn:uuid:1',
  ]
  const { calendar } = await calendarOf({ team: calendarText([event], BERLIN) })
  expect(
    await calendar.getEvents({ timeMin: '2026-03-02T08:30:00Z', timeMax: '2026-03-03T00:00:00Z', calendars: ['team'] }),
  ).toEqual([
    {
      id: 'event-0@example.com',
      calendar: 'team',
      title: 'Plan, and more',
      start: '2026-03-02T08:00:00.000Z',
      end: '2026-03-02T09:00:00.000Z',
      attendees: ['ada@example.com'],
      busy: true,
    },
  ])
})

test('a file that another program changed is read anew', async () => {
  const { calendar, folder } = await calendarOf({ primary: calendarText([]) })
  const times = () => busyTimes(calendar, '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')
  expect(await times()).toEqual([])
  writeFileSync(path.join(folder, 'primary.ics'), calendarText([['DTSTART:20260302T080000Z', 'DURATION:PT1H']]))
  expect(await times()).toEqual(['2026-03-02T08:00/2026-03-02T09:00'])
})

test('a calendar that is not there is not called free; the own one is empty', async () => {
  const { calendar } = await calendarOf()
  const ask = id => busyTimes(calendar, '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z', id)
  expect(await ask('primary')).toEqual([])
  for (const id of ['team', '../primary', 'constructor'])
    await expect(ask(id)).rejects.toMatchObject({ code: 'INVALID_NAMESPACE' })
})

test.each([
  ['no calendar', 'hello'],
  ['nothing', ''],
  ['another kind of file', 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n'],
  ['a cut one', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n'],
])('a file with %s in it is named at the start', async (_what, text) => {
  await expect(calendarOf({ team: text })).rejects.toThrow(/^team\.ics is no iCalendar file/)
})

test("an unknown time zone is the developer's to mend; an aborted signal rejects", async () => {
  await expect(createCalendar({ timeZone: 'Mars/Olympus' })).rejects.toThrow(TypeError)
  const { calendar } = await calendarOf()
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(
    calendar.getFreeBusy({
      timeMin: '2026-03-02T00:00:00Z',
      timeMax: '2026-03-03T00:00:00Z',
      items: [{ id: 'primary' }],
      signal,
    }),
  ).rejects.toThrow('stop')
})
