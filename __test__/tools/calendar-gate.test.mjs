// The shipped calendar tools through the gate: retrieve, discuss, confirm, commit. The handlers are given, because jest's
// loader can't link modules that several imports at once have in common.
import { createRegistry, toModelResponse } from '../../index.js'
import { handlers } from '../../tools/handlers.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { calendarOf, uidsIn } from './support/calendar-files.mjs'

const event = {
  title: 'Review',
  start_time: '2099-11-23T10:00:00+01:00',
  end_time: '2099-11-23T10:30:00+01:00',
  attendees: ['ada@example.com', 'eve@example.com'],
  description: 'The secret plan',
}
const preview =
  'Create "Review" from Mon 23 Nov 2099, 10:00 (UTC+01:00) to Mon 23 Nov 2099, 10:30 (UTC+01:00), ' +
  'inviting ada@example.com, eve@example.com'
const range = { start_date: '2099-11-23T00:00:00+01:00', end_date: '2099-11-24T00:00:00+01:00' }

async function open(services, options = {}) {
  const lines = []
  const registry = createRegistry({ handlers, services, audit: line => lines.push(line), ...options })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  return { registry, lines, session: await registry.createSession({ mode: 'text', sessionId: 'calendar-session' }) }
}
const ask = (session, args = event, id = 'call_create_0001') =>
  session.execute({ id, name: 'calendar_create_event', args })
let looks = 0
const titles = async session => {
  const { data } = await session.execute({
    id: `call_look_${(looks += 1)}_0000`,
    name: 'calendar_get_availability',
    args: { ...range, include_details: true },
  })
  return data.existing_events.map(({ title }) => title)
}

test('looked up, asked, confirmed, created once, and seen at once', async () => {
  const { calendar, text } = await calendarOf()
  const { session, lines } = await open({ calendar })
  expect(await titles(session)).toEqual([])

  const asked = await ask(session)
  expect(asked.error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    confirmation_request: { tool: 'calendar_create_event', preview },
  })
  const { token } = asked.error.confirmation_request
  expect(JSON.stringify(toModelResponse(asked))).not.toContain(token)
  expect(await titles(session)).toEqual([])

  const done = await session.confirm(token)
  expect(done).toMatchObject({
    ok: true,
    data: { title: 'Review', start: '2099-11-23T09:00:00.000Z', attendee_count: 2 },
  })
  expect(await session.confirm(token)).toMatchObject({
    ok: false,
    error: { type: 'CONFIRMATION_EXPIRED', details: { reason: 'used' } },
  })
  expect((await ask(session)).data).toEqual(done.data)
  expect(uidsIn(text())).toEqual([done.data.event_id])
  expect(await titles(session)).toEqual(['Review'])

  const taken = await ask(session, { ...event, title: 'Another' }, 'call_create_0002')
  expect(await session.confirm(taken.error.confirmation_request.token)).toMatchObject({
    ok: false,
    error: { type: 'CONFLICT' },
  })
  expect(uidsIn(text())).toHaveLength(1)
  expect(lines.join('\n')).not.toMatch(/ada@|eve@|secret plan/)
})

test('denied, nothing happens', async () => {
  const { calendar } = await calendarOf()
  const { session } = await open({ calendar })
  const { token } = (await ask(session)).error.confirmation_request
  await session.deny(token, 'not now')
  expect((await session.confirm(token)).ok).toBe(false)
  expect(await titles(session)).toEqual([])
})

test('a bad address or a bad time never reaches the user', async () => {
  const { calendar } = await calendarOf()
  const { session } = await open({ calendar })
  const bad = await ask(session, { ...event, attendees: ['ada@example.com', 'eve at example'] })
  expect(bad.error).toMatchObject({ type: 'VALIDATION', details: [{ instancePath: '/attendees/1' }] })
  expect((await ask(session, { ...event, start_time: 'tomorrow' })).error).toMatchObject({
    type: 'VALIDATION',
    details: [{ instancePath: '/start_time' }],
  })
  expect(await session.listPending()).toEqual([])
})

test('without a calendar there are no such tools, and with one a model can look before it books, in voice too', async () => {
  const { registry, session } = await open({})
  expect(registry.getSummaries({ mode: 'text' })).not.toContain('calendar_')
  expect((await ask(session)).error).toMatchObject({ type: 'NOT_FOUND', details: { missingServices: ['calendar'] } })
  const { calendar } = await calendarOf()
  const there = await open({ calendar })
  for (const mode of ['text', 'voice'])
    expect(there.registry.getSummaries({ mode })).toMatch(/calendar_create_event[^]*calendar_get_availability/)
})

test("another process that shares the session's file confirms, and the key is the same", async () => {
  const { calendar, text } = await calendarOf()
  const store = { file: `${temporaryFolder()}/sessions.sqlite` }
  const one = await open({ calendar }, { store })
  const { token } = (await ask(one.session)).error.confirmation_request
  const other = await open({ calendar }, { store })
  const done = await other.session.confirm(token)
  expect(done.ok).toBe(true)
  expect((await ask(one.session)).data).toEqual(done.data)
  expect(uidsIn(text())).toHaveLength(1)
})

test('a creation whose answer was lost is found in the calendar, and one that never began is made', async () => {
  const { calendar, text } = await calendarOf()
  let loses = 'after'
  const losing = {
    ...calendar,
    async createEvent(...given) {
      if (loses === 'no') return calendar.createEvent(...given)
      if (loses === 'after') await calendar.createEvent(...given)
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  }
  const { session } = await open({ calendar: losing })
  const first = await ask(session)
  const lost = await session.confirm(first.error.confirmation_request.token)
  expect(lost).toMatchObject({ ok: false, error: { partialSideEffects: true } })
  const found = await ask(session)
  expect(found).toMatchObject({
    ok: true,
    data: { title: 'Review', attendee_count: 2 },
    meta: { reconciled: 'happened' },
  })
  expect(uidsIn(text())).toEqual([found.data.event_id])

  loses = 'before'
  const later = {
    ...event,
    title: 'Retrospective',
    start_time: '2099-11-23T12:00:00+01:00',
    end_time: '2099-11-23T12:30:00+01:00',
  }
  const second = await ask(session, later, 'call_create_0002')
  await session.confirm(second.error.confirmation_request.token)
  loses = 'no'
  const asked = await ask(session, later, 'call_create_0002')
  expect(asked).toMatchObject({ error: { type: 'CONFIRMATION_REQUIRED' }, meta: { reconciled: 'not_happened' } })
  expect(await session.confirm(asked.error.confirmation_request.token)).toMatchObject({ ok: true })
  expect(uidsIn(text())).toHaveLength(2)
})
