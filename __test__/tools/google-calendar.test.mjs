// The Google Calendar adapter over real HTTP, against a small server that keeps events as Google does.
import { once } from 'node:events'
import { createServer } from 'node:http'

import { createGoogleCalendar } from '../../tools/_services/google-calendar.js'
import { execute as createTool } from '../../tools/calendar_create_event/handler.js'
import { execute as lookTool } from '../../tools/calendar_get_availability/handler.js'
import { newEvent } from './support/calendar-files.mjs'
import { failed, startGoogle } from './support/google-server.mjs'
import { handlerContext } from './support/handler-context.mjs'
import { expectResult } from './support/tool-files.mjs'

const TOKEN = 'ya29.very-secret'
const range = { timeMin: '2026-11-23T00:00:00Z', timeMax: '2026-11-24T00:00:00Z' }
const inRange = { ...range, items: [{ id: 'primary' }] }
const INSERT = 'POST /calendars/primary/events'
const LIST = 'GET /calendars/primary/events'

async function open(options = {}) {
  const google = await startGoogle()
  const calendar = createGoogleCalendar({ baseUrl: google.baseUrl, accessToken: async () => TOKEN, ...options })
  return { google, calendar }
}
const inserts = ({ requests }) => requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/events'))
const held = (id, more) => [
  id,
  {
    id,
    status: 'confirmed',
    start: { dateTime: '2026-11-23T11:00:00+01:00' },
    end: { dateTime: '2026-11-23T12:00:00+01:00' },
    ...more,
  },
]

describe('reading', () => {
  test('busy times of several calendars, by the names that tools know', async () => {
    const { google, calendar } = await open({
      calendars: { primary: 'primary', team: 'team-1@group.calendar.google.com' },
    })
    google.events.set(...held('a'))
    const { calendars } = await calendar.getFreeBusy({ ...range, items: [{ id: 'primary' }, { id: 'team' }] })
    const busy = [{ start: '2026-11-23T10:00:00.000Z', end: '2026-11-23T11:00:00.000Z' }]
    expect(calendars).toEqual({ primary: { busy }, team: { busy } })
    expect(google.requests).toEqual([
      {
        method: 'POST',
        path: '/freeBusy',
        query: {},
        authorization: `Bearer ${TOKEN}`,
        body: { ...range, items: [{ id: 'primary' }, { id: 'team-1@group.calendar.google.com' }] },
      },
    ])
  })

  test.each([
    ['notFound', 'INVALID_NAMESPACE'],
    ['internalError', 'UNAVAILABLE'],
  ])('a calendar with the error %s is not called free', async (reason, code) => {
    const { google, calendar } = await open()
    google.next({
      on: 'POST /freeBusy',
      body: { calendars: { primary: { errors: [{ domain: 'global', reason }], busy: [] } } },
    })
    await expect(calendar.getFreeBusy(inRange)).rejects.toMatchObject({ code })
    google.next({ on: 'POST /freeBusy', body: { calendars: {} } })
    await expect(calendar.getFreeBusy(inRange)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('events of all pages, with what takes the time and what does not', async () => {
    const { google, calendar } = await open()
    const item = (id, more) => held(id, { summary: id, ...more })[1]
    const me = responseStatus => ({ attendees: [{ email: 'me@example.com', self: true, responseStatus }] })
    google.next({
      on: LIST,
      body: {
        timeZone: 'Europe/Berlin',
        nextPageToken: 'p2',
        items: [
          item('busy', { attendees: [{ email: 'ada@example.com' }] }),
          item('free', { transparency: 'transparent' }),
        ],
      },
    })
    google.next({
      on: LIST,
      body: {
        timeZone: 'Europe/Berlin',
        items: [
          item('declined', me('declined')),
          item('accepted', me('accepted')),
          { id: 'day', start: { date: '2026-10-25' }, end: { date: '2026-10-26' } },
        ],
      },
    })
    const events = await calendar.getEvents({ ...range, calendars: ['primary'] })
    expect(events.map(({ id, busy }) => [id, busy])).toEqual([
      ['busy', true],
      ['free', false],
      ['declined', false],
      ['accepted', true],
      ['day', true],
    ])
    expect(events[0]).toEqual({
      id: 'busy',
      calendar: 'primary',
      title: 'busy',
      start: '2026-11-23T10:00:00.000Z',
      end: '2026-11-23T11:00:00.000Z',
      attendees: ['ada@example.com'],
      busy: true,
    })
    expect(events[4]).toMatchObject({ title: null, start: '2026-10-24T22:00:00.000Z', end: '2026-10-25T23:00:00.000Z' })
    expect(google.requests.map(({ query }) => query)).toEqual([
      { ...range, singleEvents: 'true', orderBy: 'startTime', maxResults: '2500' },
      { ...range, singleEvents: 'true', orderBy: 'startTime', maxResults: '2500', pageToken: 'p2' },
    ])
  })

  test('a calendar that the host did not name is not there', async () => {
    const { google, calendar } = await open()
    for (const id of ['team', 'constructor', '__proto__']) {
      await expect(calendar.getFreeBusy({ ...range, items: [{ id }] })).rejects.toMatchObject({
        code: 'INVALID_NAMESPACE',
      })
    }
    expect(google.requests).toEqual([])
  })
})

describe('creating', () => {
  test('asks for the invitations and the link, and gives back what Google has', async () => {
    const { google, calendar } = await open()
    const created = await calendar.createEvent(newEvent({ description: 'why', meetingLink: true }), {
      idempotencyKey: 'k',
    })
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-v]{5,1024}$/),
      title: 'Review',
      start: '2026-11-23T10:00:00.000Z',
      end: '2026-11-23T11:00:00.000Z',
      attendees: ['ada@example.com'],
      meetingLink: 'https://meet.example.com/abc',
    })
    const [{ query, body }] = inserts(google)
    expect(query).toEqual({ sendUpdates: 'all', conferenceDataVersion: '1' })
    expect(body).toEqual({
      id: created.id,
      summary: 'Review',
      description: 'why',
      start: { dateTime: '2026-11-23T10:00:00Z' },
      end: { dateTime: '2026-11-23T11:00:00Z' },
      attendees: [{ email: 'ada@example.com' }],
      conferenceData: { createRequest: { requestId: created.id, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
    })
    const plain = await calendar.createEvent(
      newEvent({ start: '2026-11-23T12:00:00Z', end: '2026-11-23T13:00:00Z', meetingLink: false }),
    )
    expect(plain.meetingLink).toBeNull()
    expect(inserts(google)[1].body).not.toHaveProperty('conferenceData')
  })

  test('the same key is the same event, also where it was moved', async () => {
    const { google, calendar } = await open()
    const first = await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })
    expect(await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).toEqual(first)
    Object.assign(google.events.get(first.id), {
      start: { dateTime: '2026-11-25T10:00:00Z' },
      end: { dateTime: '2026-11-25T11:00:00Z' },
    })
    expect(await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).toMatchObject({
      id: first.id,
      start: '2026-11-25T10:00:00.000Z',
    })
    expect(google.events.size).toBe(1)
  })

  test('an event that was deleted since is not made again', async () => {
    const { google, calendar } = await open()
    const { id } = await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })
    google.events.get(id).status = 'cancelled'
    await expect(calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'REJECTED' })
  })

  test('a taken time is a conflict and nothing is sent; of two at once one gets it', async () => {
    const { google, calendar } = await open()
    google.events.set(...held('a'))
    await expect(calendar.createEvent(newEvent())).rejects.toMatchObject({
      code: 'CONFLICT',
      conflicts: [{ start: '2026-11-23T10:00:00.000Z', end: '2026-11-23T11:00:00.000Z' }],
    })
    expect(inserts(google)).toEqual([])
    google.events.clear()
    const both = await Promise.allSettled([calendar.createEvent(newEvent()), calendar.createEvent(newEvent())])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(google.events.size).toBe(1)
  })

  test.each([
    ['cut', { cut: true }],
    ['not in time', { hang: true }],
    ['a failure of the server', failed(503, 'backendError')],
    ['no JSON', { body: '<html>' }],
  ])('an answer that is %s, after the event was made, is found out', async (_what, plan) => {
    // The look-up after it has as long.
    const { google, calendar } = await open({ timeoutMs: plan.hang ? 3000 : 30_000 })
    google.next({ on: INSERT, ...plan, done: true })
    expect((await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).title).toBe('Review')
    expect(inserts(google)).toHaveLength(1)
    expect(google.events.size).toBe(1)
  })

  test('where nobody can say whether it was made, the error leaves it open', async () => {
    const { google, calendar } = await open()
    google.next({ on: INSERT, cut: true })
    const error = await calendar.createEvent(newEvent(), { idempotencyKey: 'k' }).catch(caught => caught)
    expect(error).toMatchObject({ code: 'UNAVAILABLE' })
    expect(error.unsent).toBeUndefined()
    google.next({ on: LIST, cut: true })
    await expect(calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      unsent: true,
    })
    expect((await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).title).toBe('Review')
  })
})

describe('failures', () => {
  test.each([
    [failed(401, 'authError'), { code: 'AUTH_ERROR' }],
    [failed(403, 'rateLimitExceeded'), { code: 'RATE_LIMIT' }],
    [
      { ...failed(403, 'userRateLimitExceeded'), headers: { 'retry-after': '7' } },
      { code: 'RATE_LIMIT', retryAfter: 7 },
    ],
    [
      { ...failed(429, 'rateLimitExceeded'), headers: { 'retry-after': new Date(0).toUTCString() } },
      { code: 'RATE_LIMIT', retryAfter: 0 },
    ],
    [{ ...failed(429, 'rateLimitExceeded'), headers: { 'retry-after': 'soon' } }, { code: 'RATE_LIMIT' }],
    [failed(403, 'quotaExceeded'), { code: 'RATE_LIMIT' }],
    [failed(403, 'insufficientPermissions'), { code: 'AUTH_ERROR' }],
    [
      { status: 403, body: { error: { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } } },
      { code: 'AUTH_ERROR' },
    ],
    [failed(403, 'forbidden'), { code: 'FORBIDDEN' }],
    [{ status: 403, body: '' }, { code: 'FORBIDDEN' }],
    [failed(404, 'notFound'), { code: 'INVALID_NAMESPACE' }],
    [failed(400, 'invalid'), { code: 'REJECTED' }],
    [failed(500, 'backendError'), { code: 'UNAVAILABLE' }],
    [{ status: 504, body: 'gateway' }, { code: 'TIMEOUT' }],
    [{ body: 'null' }, { code: 'UNAVAILABLE' }],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: {} }, { code: 'UNAVAILABLE' }],
    [{ hang: true }, { code: 'TIMEOUT' }],
  ])('%j is %j', async (plan, expected) => {
    const { google, calendar } = await open({ timeoutMs: plan.hang ? 200 : 30_000 })
    google.next({ on: 'POST /freeBusy', ...plan })
    const error = await calendar.getFreeBusy(inRange).catch(caught => caught)
    expect(error).toMatchObject({ name: 'ServiceError', ...expected })
    expect(error.retryAfter).toBe(expected.retryAfter)
    expect([error.message, error.stack, JSON.stringify(error)].join()).not.toMatch(/secret|eve@|127\.0/)
  })

  test('a server that is not there was sent nothing', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address()
    await new Promise(resolve => gone.close(resolve))
    const calendar = createGoogleCalendar({ baseUrl: `http://127.0.0.1:${port}`, accessToken: () => TOKEN })
    for (const asked of [calendar.getFreeBusy(inRange), calendar.createEvent(newEvent())]) {
      await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE', unsent: true })
    }
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error(TOKEN)
      },
    ],
    ['gives none', () => null],
    ['gives none that can be sent', () => `${TOKEN}\nx: y`],
  ])('a token function that %s is an AUTH_ERROR', async (_what, accessToken) => {
    const { google, calendar } = await open({ accessToken })
    const error = await calendar.getFreeBusy(inRange).catch(caught => caught)
    expect(error).toMatchObject({ code: 'AUTH_ERROR' })
    expect(error.message).not.toContain('secret')
    expect(google.requests).toEqual([])
  })

  test('a token function that never answers is a TIMEOUT with nothing sent', async () => {
    const { google, calendar } = await open({ accessToken: () => new Promise(() => {}), timeoutMs: 50 })
    await expect(calendar.getFreeBusy(inRange)).rejects.toMatchObject({ code: 'TIMEOUT', unsent: true })
    expect(google.requests).toEqual([])
  })

  test('an aborted signal ends the request with its reason', async () => {
    const { google, calendar } = await open()
    const controller = new AbortController()
    google.next({ on: 'POST /freeBusy', hang: true })
    const asked = calendar.getFreeBusy({ ...inRange, signal: controller.signal })
    controller.abort(new Error('stopped'))
    await expect(asked).rejects.toThrow('stopped')
    await expect(calendar.createEvent(newEvent(), { signal: controller.signal })).rejects.toThrow('stopped')
    expect(google.events.size).toBe(0)
  })

  test.each([
    [{ baseUrl: 'http://calendar.example.com' }],
    [{ baseUrl: 'nowhere' }],
    [{ accessToken: TOKEN }],
    [{ sendUpdates: 'some' }],
  ])('%j is misuse', options => {
    expect(() => createGoogleCalendar({ accessToken: () => TOKEN, ...options })).toThrow(TypeError)
  })
})

test('both tools work on it', async () => {
  const { calendar } = await open()
  const context = args => handlerContext({ args, services: { calendar }, meta: { idempotencyKey: 'tg_1' } }).context
  const created = await createTool(
    context({
      title: 'Review',
      start_time: '2026-11-23T10:00:00+01:00',
      end_time: '2026-11-23T11:00:00+01:00',
      attendees: ['ada@example.com'],
      include_zoom_link: true,
    }),
  )
  expectResult('calendar_create_event', created.data)
  expect(created.data.meeting_link).toBe('https://meet.example.com/abc')
  const seen = await lookTool(
    context({
      start_date: '2026-11-23T08:00:00Z',
      end_date: '2026-11-23T12:00:00Z',
      calendars: ['primary'],
      include_details: true,
      min_duration_minutes: 30,
    }),
  )
  expectResult('calendar_get_availability', seen.data)
  expect(seen.data).toMatchObject({
    existing_events: [{ title: 'Review' }],
    summary: '1 busy periods, 2 available slots (180 minutes total)',
  })
})

test('an event is found by the key that has created it', async () => {
  const { google, calendar } = await open()
  const created = await calendar.createEvent(newEvent(), { idempotencyKey: 'a key' })
  expect(await calendar.findEvent({ idempotencyKey: 'a key' })).toEqual(created)
  expect(await calendar.findEvent({ idempotencyKey: 'another' })).toBe(null)
  google.events.set(created.id, { ...google.events.get(created.id), status: 'cancelled' })
  await expect(calendar.findEvent({ idempotencyKey: 'a key' })).rejects.toThrow('has been deleted')
})
