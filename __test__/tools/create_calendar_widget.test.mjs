import { ServiceError } from '../../tools/_services/service-errors.js'
import * as handler from '../../tools/create_calendar_widget/handler.js'
import { calendarOf, newEvent } from './support/calendar-files.mjs'
import { INJECTION, failing, takes, toolRunner } from './support/run-tool.mjs'

const run = toolRunner(handler, 'create_calendar_widget')
const widget = (calendar, args, over = {}) => run(args, { services: { calendar }, ...over })
const busyWith = busy => ({ getFreeBusy: async () => ({ calendars: { primary: { busy } } }) })
const free = busyWith([])
const day = { start_date: '2126-11-25T09:00:00+01:00', end_date: '2126-11-25T12:00:00+01:00' }
const at = (...times) =>
  times.map(([start, end]) => ({ start: `2126-11-25T${start}:00+01:00`, end: `2126-11-25T${end}:00+01:00` }))

test('free times around an event of the embedded calendar', async () => {
  const { calendar } = await calendarOf()
  await calendar.createEvent(newEvent({ start: '2126-11-25T08:40:00Z', end: '2126-11-25T09:10:00Z' }), {
    idempotencyKey: 'k',
  })
  const title = INJECTION
  expect(await widget(calendar, { ...day, title })).toEqual({
    ok: true,
    data: {
      title,
      slots: at(['09:00', '09:30'], ['10:15', '10:45'], ['10:45', '11:15'], ['11:15', '11:45']),
      time_zone: '+01:00',
    },
  })
})

test('what the page gets by default, and with the zone of the session', async () => {
  const session = { state: { timeZone: 'Europe/Berlin' } }
  expect((await widget(free, { ...day, min_duration_minutes: 180 }, { session })).data).toEqual({
    title: 'Choose a time',
    slots: at(['09:00', '12:00']),
    time_zone: 'Europe/Berlin',
  })
  const bad = { state: { timeZone: 'Mars/Olympus' } }
  expect((await widget(free, day, { session: bad })).data.time_zone).toBe('+01:00')
})

test.each([
  ['2126-11-25T09:00:00Z', '2126-11-25T09:00:00Z', 'UTC'],
  ['2126-11-25T09:00:00-09:30', '2126-11-25T09:00:00-09:30', '-09:30'],
  ['2126-11-25T09:00:00+05:45', '2126-11-25T09:00:00+05:45', '+05:45'],
  ['2126-11-25T09:00:00+14:00', '2126-11-25T09:00:00+14:00', '+14:00'],
  ['2126-11-25T09:07:31Z', '2126-11-25T09:15:00Z', 'UTC'],
])('from %s the first time is %s', async (start_date, first, zone) => {
  const { data } = await widget(free, { start_date, end_date: '2126-11-26T23:00:00Z', min_duration_minutes: 15 })
  expect([data.slots[0].start, data.time_zone]).toEqual([first, zone])
})

test('at most twenty, spread over the days, in order', async () => {
  const range = { start_date: '2126-11-25T00:00:00+01:00', end_date: '2126-12-25T00:00:00+01:00' }
  const { slots } = (await widget(free, range)).data
  expect(slots).toHaveLength(20)
  expect(new Set(slots.map(({ start }) => start.slice(0, 10))).size).toBe(20)
  expect(slots.map(({ start }) => start)).toEqual(slots.map(({ start }) => start).toSorted())
  const week = { start_date: range.start_date, end_date: '2126-11-29T00:00:00+01:00', min_duration_minutes: 480 }
  expect((await widget(free, week)).data.slots.map(({ start }) => start)).toEqual(
    ['25', '26', '27', '28'].map(date => `2126-11-${date}T08:00:00+01:00`),
  )
})

test('in working hours from Monday to Friday, and at other hours only if all are', async () => {
  const startsOf = async (start_date, end_date, over = {}) =>
    (await widget(free, { start_date, end_date, min_duration_minutes: 240, ...over })).data.slots.map(
      ({ start }) => start,
    )
  // A Friday at noon, to Monday.
  expect(await startsOf('2126-11-29T12:00:00-05:00', '2126-12-02T23:00:00-05:00')).toEqual([
    '2126-11-29T12:00:00-05:00',
    '2126-12-02T08:00:00-05:00',
    '2126-12-02T12:00:00-05:00',
  ])
  expect(await startsOf('2126-11-25T18:30:00+01:00', '2126-11-25T23:00:00+01:00')).toEqual([
    '2126-11-25T18:30:00+01:00',
  ])
  expect(await startsOf('2126-11-30T10:00:00Z', '2126-11-30T14:00:00Z')).toEqual(['2126-11-30T10:00:00Z'])
})

test('past times are not offered, and a past range asks no calendar', async () => {
  const past = { start_date: '2020-01-01T00:00:00Z', end_date: '2020-01-02T00:00:00Z' }
  expect((await widget({}, past)).data).toEqual({ title: 'Choose a time', slots: [], time_zone: 'UTC' })
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const end = new Date(Date.now() + 86_400_000).toISOString()
  const { slots } = (await widget(free, { start_date: start, end_date: end })).data
  expect(Date.parse(slots[0].start)).toBeGreaterThanOrEqual(Date.now() - 1000)
})

test('no time free', async () => {
  const busy = [{ start: '2126-11-25T00:00:00Z', end: '2126-11-26T00:00:00Z' }]
  expect((await widget(busyWith(busy), day)).data.slots).toEqual([])
})

test.each([
  ['backwards', { start_date: day.end_date, end_date: day.start_date }, '/end_date'],
  ['empty', { start_date: day.start_date, end_date: day.start_date }, '/end_date'],
  ['too long', { ...day, end_date: '2127-11-25T09:00:00+01:00' }, '/end_date'],
  ['a leap second', { ...day, start_date: '2026-06-30T23:59:60Z' }, '/start_date'],
])('a range that is %s', async (_, args, instancePath) => {
  expect(await widget(free, args)).toMatchObject({
    ok: false,
    error: { type: 'VALIDATION', details: [{ instancePath }] },
  })
})

test.each([
  [null],
  [{}],
  [{ calendars: {} }],
  [{ calendars: { primary: { busy: 'all day' } } }],
  [{ calendars: { primary: { busy: [{ start: 'x' }] } } }],
])('garbage %j is no free time', async answer => {
  const response = await widget({ getFreeBusy: async () => answer }, day)
  expect(response).toMatchObject({ ok: false, error: { type: 'TRANSIENT', details: { reason: 'unusable_answer' } } })
})

test('a service that fails', async () => {
  const error = new ServiceError('AUTH_ERROR', 'token 123')
  expect(await widget({ getFreeBusy: failing(error) }, day)).toMatchObject({ ok: false, error: { type: 'AUTH' } })
  await expect(widget({ getFreeBusy: failing(new RangeError('bug')) }, day)).rejects.toThrow(RangeError)
})

test('what the schema keeps out', () => {
  const bad = [
    {},
    { ...day, start_date: 'tomorrow' },
    { ...day, end_date: '2126-11-25' },
    { ...day, min_duration_minutes: 14 },
    { ...day, min_duration_minutes: 481 },
    { ...day, title: '' },
    { ...day, title: 'x'.repeat(121) },
    { ...day, calendars: ['team'] },
  ]
  for (const args of bad) expect([args, takes('create_calendar_widget', args)]).toEqual([args, false])
})
