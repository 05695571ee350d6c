// The calendar tools on the real embedded calendar; a made-up service only where one must fail.
import { jest } from '@jest/globals'
import { execute as createEvent } from '../../tools/calendar_create_event/handler.js'
import { execute as getAvailability } from '../../tools/calendar_get_availability/handler.js'
import { ServiceError } from '../../tools/_services/service-errors.js'
import { BERLIN, calendarOf, calendarText } from './support/calendar-files.mjs'
import { handlerContext } from './support/handler-context.mjs'
import { compile, expectResult, schemaOf } from './support/tool-files.mjs'

// Before all dates below: past times are never offered.
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-02T10:00:00Z')))
afterEach(() => jest.restoreAllMocks())

/** Runs a handler as the gate would: arguments checked, defaults filled in. */
async function run(execute, toolId, calendar, args, overrides = {}) {
  const filled = structuredClone(args)
  const validate = compile(schemaOf(toolId).parameters, { useDefaults: true })
  validate(filled)
  expect(validate.errors).toBeNull()
  const meta = { attempt: 1, clamped: [], idempotencyKey: 'tg_1' }
  const response = await execute(handlerContext({ args: filled, services: { calendar }, meta, ...overrides }).context)
  if (response.ok) expectResult(toolId, response.data)
  return response
}
const look = (calendar, args, overrides) => run(getAvailability, 'calendar_get_availability', calendar, args, overrides)
const create = (calendar, args, overrides) => run(createEvent, 'calendar_create_event', calendar, args, overrides)

const day = { start_date: '2026-11-23T09:00:00+01:00', end_date: '2026-11-23T18:00:00+01:00' }
const event = {
  title: 'Review',
  start_time: '2026-11-23T10:00:00+01:00',
  end_time: '2026-11-23T10:30:00+01:00',
  attendees: ['ada@example.com'],
}
const busyAt = (start, end, ...more) => [
  `DTSTART:20261123T${start}00Z`,
  `DTEND:20261123T${end}00Z`,
  'SUMMARY:Secret',
  'ATTENDEE:mailto:eve@example.com',
  ...more,
]
const studio = () =>
  calendarOf({
    primary: calendarText([
      busyAt('0830', '0900'),
      busyAt('1000', '1100'),
      busyAt('1030', '1130'),
      busyAt('1400', '1500', 'TRANSP:TRANSPARENT'),
    ]),
    team: calendarText([busyAt('1120', '1200')]),
  })
const down = (code, more) => {
  const fails = async () => {
    throw new ServiceError(code, 'eve@example.com at 10.0.0.7', more)
  }
  return { getFreeBusy: fails, getEvents: fails, createEvent: fails }
}

describe('calendar_get_availability', () => {
  /** The answers of an older host's service. */
  const service = (calendars, events = []) => ({
    getFreeBusy: async () => ({ calendars }),
    getEvents: async () => events,
  })
  const at = (start, end, more) => ({ start: `2026-11-23T${start}:00Z`, end: `2026-11-23T${end}:00Z`, ...more })

  test('an event of a service without `busy` takes its time', async () => {
    const events = [
      at('09:00', '10:00', { title: 'Call', calendar: 'primary' }),
      at('11:00', '12:00', { title: 'Lunch', busy: false }),
    ]
    const calendar = service({ primary: { busy: [at('09:00', '10:00')] } }, events)
    const { data } = await look(calendar, { ...day, include_details: true })
    expect(data.existing_events).toEqual([
      { ...at('09:00', '10:00'), status: 'busy', title: 'Call', calendar: 'primary' },
    ])
  })

  test('a calendar that the service does not return is skipped, and named', async () => {
    const calendar = service({ primary: { busy: [at('09:00', '10:00')] } })
    const { ok, data, meta } = await look(calendar, { ...day, calendars: ['primary', 'team'] })
    expect([ok, data.existing_events.length, meta.warnings]).toEqual([true, 1, [expect.stringContaining('team')]])
    expect(await look(calendar, { ...day, calendars: ['primary'] })).not.toHaveProperty('meta')
  })

  test.each([
    ['no calendars', {}],
    ['nothing', undefined],
  ])('a service that returns %s gives no usable answer', async (_, calendars) => {
    expect(await look(service(calendars), day)).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  })

  test('says when it is busy and what is free between', async () => {
    const { calendar } = await studio()
    expect((await look(calendar, day)).data).toEqual({
      date_range: { start: day.start_date, end: day.end_date },
      existing_events: [
        {
          start: '2026-11-23T08:30:00.000Z',
          end: '2026-11-23T09:00:00.000Z',
          status: 'busy',
          calendar: 'primary',
          title: null,
        },
        {
          start: '2026-11-23T10:00:00.000Z',
          end: '2026-11-23T11:30:00.000Z',
          status: 'busy',
          calendar: 'primary',
          title: null,
        },
      ],
      available_slots: [
        { start: '2026-11-23T08:00:00.000Z', end: '2026-11-23T08:30:00.000Z', duration_minutes: 30 },
        { start: '2026-11-23T09:00:00.000Z', end: '2026-11-23T10:00:00.000Z', duration_minutes: 60 },
        { start: '2026-11-23T11:30:00.000Z', end: '2026-11-23T17:00:00.000Z', duration_minutes: 330 },
      ],
      summary: '2 busy periods, 3 available slots (420 minutes total)',
    })
  })

  test('titles and the number of attendees only with details, addresses never; the slots are the same', async () => {
    const { calendar } = await studio()
    const plain = await look(calendar, day)
    expect(JSON.stringify(plain)).not.toMatch(/Secret|eve@/)
    const detailed = await look(calendar, { ...day, include_details: true })
    expect(detailed.data.available_slots).toEqual(plain.data.available_slots)
    expect(
      detailed.data.existing_events.map(({ start, title, attendees }) => [start.slice(11, 16), title, attendees]),
    ).toEqual(['08:30', '10:00', '10:30'].map(start => [start, 'Secret', 1]))
    expect(JSON.stringify(detailed)).not.toContain('eve@')
    expect(detailed.data.summary).toMatch(/^3 busy periods, 3 available slots/)
  })

  test('a slot is free in all calendars that are named', async () => {
    const { calendar } = await studio()
    const { data } = await look(calendar, { ...day, calendars: ['team', 'primary'], min_duration_minutes: 45 })
    expect(data.available_slots.map(({ start }) => start.slice(11, 16))).toEqual(['09:00', '12:00'])
    expect(data.existing_events.map(({ calendar: name }) => name)).toEqual(['primary', 'primary', 'team'])
  })

  test('a day without a free minute has no slots', async () => {
    const { calendar } = await calendarOf({ primary: calendarText([['DTSTART;VALUE=DATE:20261123']], BERLIN) })
    expect((await look(calendar, day)).data).toMatchObject({
      available_slots: [],
      summary: '1 busy periods, 0 available slots (0 minutes total)',
    })
  })

  test.each([
    ['the same moment', { start_date: '2026-11-23T09:00:00+01:00', end_date: '2026-11-23T08:00:00Z' }, '/end_date'],
    ['the wrong way round', { start_date: day.end_date, end_date: day.start_date }, '/end_date'],
    ['a leap second', { ...day, end_date: '2026-12-31T23:59:60Z' }, '/end_date'],
    ['more than 31 days', { start_date: '2026-11-01T00:00:00Z', end_date: '2026-12-02T00:00:00.001Z' }, '/end_date'],
    [
      '31 days and an hour, from another offset',
      { start_date: '2026-10-01T00:00:00Z', end_date: '2026-11-01T02:00:00-01:00' },
      '/end_date',
    ],
    [
      '31 days and a second over a change of the clock',
      { start_date: '2026-10-01T00:00:00+02:00', end_date: '2026-11-01T00:00:01+01:00' },
      '/end_date',
    ],
  ])('%s is no range', async (_what, args, instancePath) => {
    const { calendar } = await calendarOf()
    expect(await look(calendar, args)).toMatchObject({
      ok: false,
      error: { type: 'VALIDATION', retryable: false, details: [{ instancePath }] },
    })
  })

  test.each([
    ['31 days', { start_date: '2026-12-01T00:00:00+01:00', end_date: '2027-01-01T00:00:00+01:00' }, 31 * 1440],
    [
      'a month with the hour that the end of summer time adds',
      { start_date: '2026-10-01T00:00:00+02:00', end_date: '2026-11-01T00:00:00+01:00' },
      31 * 1440 + 60,
    ],
    [
      'a month that the start of summer time shortens',
      { start_date: '2026-03-01T00:00:00+01:00', end_date: '2026-04-01T00:00:00+02:00' },
      31 * 1440 - 60,
    ],
  ])('%s can be asked for', async (_what, args, minutes) => {
    const { calendar } = await calendarOf()
    expect((await look(calendar, args)).data.available_slots.map(({ duration_minutes: length }) => length)).toEqual([
      minutes,
    ])
  })

  test('what the service reports becomes an error without its words; the signal is passed on', async () => {
    for (const [code, type, retryable] of [
      ['TIMEOUT', 'TRANSIENT', true],
      ['UNAVAILABLE', 'TRANSIENT', true],
      ['AUTH_ERROR', 'AUTH', true],
      ['INVALID_NAMESPACE', 'VALIDATION', false],
    ]) {
      const response = await look(down(code), day)
      expect(response.error).toMatchObject({ type, retryable })
      expect(JSON.stringify(response)).not.toMatch(/eve@|10\.0/)
    }
    const { calendar } = await calendarOf()
    await expect(look(calendar, day, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
  })
})

describe('calendar_create_event', () => {
  test('creates what the user sees afterwards', async () => {
    const { calendar } = await calendarOf()
    const response = await create(calendar, {
      ...event,
      attendees: ['ada@example.com', 'Ada@Example.com', 'eve@example.com'],
      description: 'why',
    })
    expect(response.data).toEqual({
      event_id: expect.stringMatching(/^tg/),
      title: 'Review',
      start: '2026-11-23T09:00:00.000Z',
      end: '2026-11-23T09:30:00.000Z',
      attendee_count: 2,
      meeting_link: null,
      note: 'this calendar made no meeting link',
    })
    const { data } = await look(calendar, { ...day, include_details: true })
    expect(data.existing_events).toEqual([
      {
        start: response.data.start,
        end: response.data.end,
        status: 'busy',
        calendar: 'primary',
        title: 'Review',
        attendees: 2,
      },
    ])
    expect(data.available_slots[0].end).toBe(response.data.start)
  })

  test("the gate's key makes it one event", async () => {
    const { calendar } = await calendarOf()
    const first = await create(calendar, event)
    expect((await create(calendar, event)).data).toEqual(first.data)
    expect(await create(calendar, event, { meta: { idempotencyKey: 'tg_2' } })).toMatchObject({
      ok: false,
      error: {
        type: 'CONFLICT',
        retryable: false,
        partialSideEffects: false,
        details: {
          conflicts: [{ start: first.data.start, end: first.data.end }],
          free_slots: [
            { start: '2026-11-23T08:30:00.000Z', end: '2026-11-23T09:00:00.000Z' },
            { start: '2026-11-23T09:30:00.000Z', end: '2026-11-23T10:00:00.000Z' },
            { start: '2026-11-23T08:00:00.000Z', end: '2026-11-23T08:30:00.000Z' },
          ],
        },
      },
    })
  })

  test('a calendar whose busy times cannot be read offers no free times', async () => {
    const { calendar } = await calendarOf()
    await create(calendar, event)
    const unreadable = { ...calendar, getFreeBusy: async () => Promise.reject(new Error('down')) }
    const response = await create(unreadable, event, { meta: { idempotencyKey: 'tg_3' } })
    expect(response.error).toMatchObject({ type: 'CONFLICT', details: { free_slots: [] } })
  })

  test.each([['2026-11-23T10:00:00+01:00'], ['2026-11-23T09:00:00Z'], ['2026-11-23T09:59:59+01:00']])(
    'an end at %s is refused',
    async end => {
      const { calendar } = await calendarOf()
      const response = await create(calendar, { ...event, end_time: end })
      expect(response).toMatchObject({
        ok: false,
        error: { type: 'VALIDATION', details: [{ instancePath: '/end_time' }] },
      })
    },
  )

  test('a failure that leaves open what happened says so; one before anything was sent can be tried again', async () => {
    for (const code of ['TIMEOUT', 'UNAVAILABLE']) {
      expect((await create(down(code), event)).error).toMatchObject({
        type: 'TRANSIENT',
        retryable: false,
        partialSideEffects: true,
        details: { outcome: 'unknown' },
      })
      const unsent = (await create(down(code, { unsent: true }), event)).error
      expect(unsent).toMatchObject({ type: 'TRANSIENT', retryable: true })
      expect(unsent.details).not.toHaveProperty('outcome')
    }
    expect((await create(down('RATE_LIMIT', { retryAfter: 3 }), event)).error).toMatchObject({
      type: 'RATE_LIMIT',
      retryable: true,
      retryAfterMs: 3000,
    })
    expect((await create(down('FORBIDDEN'), event)).error).toMatchObject({ type: 'AUTH', retryable: false })
    expect((await create(down('REJECTED'), event)).error).toMatchObject({
      type: 'PERMANENT',
      retryable: false,
      partialSideEffects: false,
    })
  })
})
