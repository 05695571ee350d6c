// Creating events in the embedded calendar: once per key, never over another, by several processes, and after a crash.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

import { createCalendar } from '../../tools/_services/calendar.js'
import { withLock } from '../../tools/_services/folder-lock.js'
import { runModule } from '../support/child-process.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { busyTimes, calendarOf, calendarText, newEvent, uidsIn } from './support/calendar-files.mjs'

const SERVICES = new URL('../../tools/_services/', import.meta.url).href
const conflict = { status: 'rejected', reason: expect.objectContaining({ code: 'CONFLICT' }) }
const hour = at => ({
  start: new Date(Date.UTC(2026, 10, 23, at)).toISOString(),
  end: new Date(Date.UTC(2026, 10, 23, at + 1)).toISOString(),
})

test('what was created is busy, and is read back as it was given', async () => {
  const { calendar, folder } = await calendarOf()
  const event = newEvent({
    title: 'Über, "alles"; \\n\r\nEND:VEVENT\u0007',
    description: 'line\none',
    attendees: ['ada@example.com', "o'b+x/y=?@example.com"],
  })
  const created = await calendar.createEvent(event, { idempotencyKey: 'k' })
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-v]{5,1024}$/),
    title: 'Über, "alles"; \\n\nEND:VEVENT ',
    start: '2026-11-23T10:00:00.000Z',
    end: '2026-11-23T11:00:00.000Z',
    attendees: event.attendees,
    meetingLink: null,
  })
  const again = await createCalendar({ folder })
  expect(await busyTimes(again, '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z')).toEqual([
    '2026-11-23T10:00/2026-11-23T11:00',
  ])
  const [seen] = await again.getEvents({
    timeMin: '2026-11-23T00:00:00Z',
    timeMax: '2026-11-24T00:00:00Z',
    calendars: ['primary'],
  })
  expect(seen).toMatchObject({ id: created.id, title: created.title, attendees: event.attendees, busy: true })
})

test('the same key is the same event, whatever came with it; without a key each is its own', async () => {
  const { calendar, folder, text } = await calendarOf()
  const first = await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })
  expect(await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })).toEqual(first)
  const elsewhere = await createCalendar({ folder })
  expect(await elsewhere.createEvent(newEvent({ title: 'Other', ...hour(15) }), { idempotencyKey: 'k' })).toEqual(first)
  expect(uidsIn(text())).toEqual([first.id])
  await calendar.createEvent(newEvent(hour(16)))
  await calendar.createEvent(newEvent(hour(17)))
  expect(new Set(uidsIn(text())).size).toBe(3)
})

test('a taken time is a conflict that says what is in the way; a touching, transparent or cancelled one is none', async () => {
  const at = (hours, ...more) => [`DTSTART:20260101T${hours}0000Z`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY', ...more]
  const { calendar, text } = await calendarOf({
    primary: calendarText([at('08'), at('12', 'TRANSP:TRANSPARENT'), at('14', 'STATUS:CANCELLED')]),
  })
  const before = text()
  const create = (start, end) =>
    calendar.createEvent(newEvent({ start: `2026-11-23T${start}:00Z`, end: `2026-11-23T${end}:00Z` }))
  await expect(create('08:59', '09:30')).rejects.toMatchObject({
    code: 'CONFLICT',
    conflicts: [{ start: '2026-11-23T08:00:00.000Z', end: '2026-11-23T09:00:00.000Z' }],
  })
  await expect(create('07:00', '11:00')).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(text()).toBe(before)
  await create('09:00', '10:00')
  await create('07:00', '08:00')
  await create('12:00', '13:00')
  await create('14:00', '15:00')
  expect(uidsIn(text())).toHaveLength(7)
})

test('the rest of the file stays as it was', async () => {
  const given = calendarText([
    [
      'SUMMARY:Kept',
      'X-OTHER;X-P=1:as it is',
      'DTSTART;VALUE=DATE:20260101',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT5M',
      'DESCRIPTION:d',
      'END:VALARM',
    ],
  ])
  const { calendar, text } = await calendarOf({ primary: given })
  await calendar.createEvent(newEvent())
  const [head, tail] = text().split(/BEGIN:VEVENT\r\nUID:tg/)
  expect(head + tail.slice(tail.indexOf('END:VEVENT\r\n') + 'END:VEVENT\r\n'.length)).toBe(given)
})

test('of many at once one gets the time, and free times are all taken', async () => {
  const { calendar, folder, text } = await calendarOf()
  const other = await createCalendar({ folder })
  const same = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) =>
      [calendar, other][at % 2].createEvent(newEvent(), { idempotencyKey: `same-${at}` }),
    ),
  )
  expect(same.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(same.filter(({ status }) => status === 'rejected')).toEqual(Array(9).fill(conflict))
  const free = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      [calendar, other][at % 2].createEvent(newEvent(hour(at + 11)), { idempotencyKey: `free-${at}` }),
    ),
  )
  expect(new Set(uidsIn(text()))).toEqual(
    new Set([...same.flatMap(({ value }) => value?.id ?? []), ...free.map(({ id }) => id)]),
  )
})

test("files are their owner's alone, nothing else is left in the folder", async () => {
  const { calendar, folder } = await calendarOf()
  for (let at = 0; at < 20; at += 1) await calendar.createEvent(newEvent(hour(at)))
  expect(readdirSync(folder).sort()).toEqual(['.lock', 'primary.ics'])
  expect(statSync(path.join(folder, 'primary.ics')).mode & 0o777).toBe(0o600)
  const locks = readdirSync(path.join(folder, '.lock'))
  expect(locks.length).toBeLessThan(20)
  expect(locks.every(name => name.startsWith('lock.'))).toBe(true)
})

test('without a folder it is the sample studio, whose changed copy is in the working directory', async () => {
  const folder = temporaryFolder()
  const { stdout } = await runModule(`
    process.chdir(${JSON.stringify(folder)})
    const { createCalendar } = await import('${SERVICES}calendar.js')
    const { existsSync, readFileSync } = await import('node:fs')
    const calendar = await createCalendar()
    const before = existsSync('.toolgate')
    await calendar.createEvent(${JSON.stringify(newEvent())})
    console.log(JSON.stringify({ before, after: readFileSync('.toolgate/calendar/primary.ics', 'utf8') }))`)
  const { before, after } = JSON.parse(stdout)
  expect(before).toBe(false)
  expect(after).toMatch(/SUMMARY:Stand-up[^]*SUMMARY:Review/)
})

test.each([
  [{ title: '' }],
  [{ end: '2026-11-23T10:00:00Z' }],
  [{ start: 'soon' }],
  [{ attendees: 'ada@example.com' }],
])('%j makes no event', async broken => {
  const { calendar } = await calendarOf()
  await expect(calendar.createEvent(newEvent(broken))).rejects.toThrow(TypeError)
})

describe('several processes', () => {
  /** Tries to create an event for each key, in this order, and says what came of it. */
  const worker = (folder, orders) =>
    runModule(`
    const { createCalendar } = await import('${SERVICES}calendar.js')
    const calendar = await createCalendar({ folder: ${JSON.stringify(folder)} })
    for (const [key, event] of ${JSON.stringify(orders)}) {
      const made = await calendar.createEvent(event, { idempotencyKey: key }).then(({ id }) => id, ({ code }) => code)
      console.log(JSON.stringify([key, made]))
    }`)
  const told = ({ stdout }) =>
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))

  test('one event each key, and no two at one time', async () => {
    const { folder, text, calendar } = await calendarOf()
    const keys = Array.from({ length: 12 }, (_, at) => at)
    const shared = keys.map(at => [`shared-${at}`, newEvent(hour(at))])
    const rivals = name => keys.map(at => [`${name}-${at}`, newEvent(hour(at + 12))])
    const runs = await Promise.all(['a', 'b', 'c'].map(name => worker(folder, [...shared, ...rivals(name)])))
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: '' }))
    const made = runs.flatMap(told)
    for (const at of keys) {
      const same = made.filter(([key]) => key === `shared-${at}`).map(([, id]) => id)
      expect(new Set(same).size).toBe(1)
      const rival = made.filter(([key]) => key.endsWith(`-${at}`) && !key.startsWith('shared')).map(([, id]) => id)
      expect(rival.filter(id => id === 'CONFLICT')).toHaveLength(2)
    }
    expect(uidsIn(text()).sort()).toEqual([...new Set(made.map(([, id]) => id).filter(id => id !== 'CONFLICT'))].sort())
    const events = await calendar.getEvents({
      timeMin: '2026-11-23T00:00:00Z',
      timeMax: '2026-11-25T00:00:00Z',
      calendars: ['primary'],
    })
    expect(events).toHaveLength(24)
    expect(events.every(({ start }, at) => at === 0 || events[at - 1].end <= start)).toBe(true)
  })

  test('killed between the writing and the answer, a replay finds the event', async () => {
    const { folder, calendar, text } = await calendarOf()
    const killed = await runModule(`
      const { createCalendar } = await import('${SERVICES}calendar.js')
      const calendar = await createCalendar({ folder: ${JSON.stringify(folder)} })
      await calendar.createEvent(${JSON.stringify(newEvent())}, { idempotencyKey: 'k' })
      process.kill(process.pid, 'SIGKILL')`)
    expect(killed.signal).toBe('SIGKILL')
    const created = await calendar.createEvent(newEvent(), { idempotencyKey: 'k' })
    expect(uidsIn(text())).toEqual([created.id])
    await expect(calendar.createEvent(newEvent(), { idempotencyKey: 'other' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  test('killed at any moment: the file is whole, each key has one event, and nobody is locked out', async () => {
    const { folder, calendar, text } = await calendarOf()
    for (let round = 0; round < 6; round += 1) {
      let answers = 0
      const { stdout } = await runModule(
        `
        const { createCalendar } = await import('${SERVICES}calendar.js')
        const calendar = await createCalendar({ folder: ${JSON.stringify(folder)} })
        for (let at = 0; at < 200; at += 1) {
          const start = Date.UTC(2027, ${round}, 1) + at * 3_600_000
          const event = { ...${JSON.stringify(newEvent())}, start: new Date(start).toISOString(), end: new Date(start + 3_600_000).toISOString() }
          await calendar.createEvent(event, { idempotencyKey: 'round-${round}-' + at })
          console.log(at)
        }`,
        {
          onLine: (_line, child) => {
            if (++answers === 3 + round) setTimeout(() => child.kill('SIGKILL'), round)
          },
        },
      )
      const answered = stdout.trim().split('\n').length
      const before = uidsIn(text())
      expect(before.length).toBe(new Set(before).size)
      const start = at => Date.UTC(2027, round, 1) + at * 3_600_000
      for (let at = 0; at <= answered; at += 1) {
        const times = { start: new Date(start(at)).toISOString(), end: new Date(start(at + 1)).toISOString() }
        await calendar.createEvent(newEvent(times), { idempotencyKey: `round-${round}-${at}` })
      }
      const after = uidsIn(text())
      expect(after.length).toBe(new Set(after).size)
      expect(after.length - before.length).toBeLessThanOrEqual(1)
    }
  })

  test('a process that died with the lock does not keep it', async () => {
    const { folder, calendar } = await calendarOf()
    const killed = await runModule(`
      const { withLock } = await import('${SERVICES}folder-lock.js')
      await withLock(${JSON.stringify(path.join(folder, '.lock'))}, () => process.kill(process.pid, 'SIGKILL'))`)
    expect(killed.signal).toBe('SIGKILL')
    expect((await calendar.createEvent(newEvent())).title).toBe('Review')
  })
})

describe('the lock', () => {
  test('is held by one at a time, and given back by work that fails', async () => {
    const folder = path.join(temporaryFolder(), 'lock')
    let inside = 0
    const work = async at => {
      expect(++inside).toBe(1)
      await new Promise(resolve => setTimeout(resolve, at % 3))
      inside -= 1
      if (at % 4 === 0) throw new Error('failed')
      return at
    }
    const all = await Promise.allSettled(Array.from({ length: 24 }, (_, at) => withLock(folder, () => work(at))))
    expect(all.map(({ status }) => status)).toEqual(
      Array.from({ length: 24 }, (_, at) => (at % 4 === 0 ? 'rejected' : 'fulfilled')),
    )
  })

  test('that is not to be had in time is a TIMEOUT with nothing done, and waiting ends with the signal', async () => {
    const folder = path.join(temporaryFolder(), 'lock')
    let ran = false
    await withLock(folder, async () => {
      const late = withLock(
        folder,
        () => {
          ran = true
        },
        { waitMs: 30 },
      )
      await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', unsent: true })
      const stopped = withLock(
        folder,
        () => {
          ran = true
        },
        { signal: AbortSignal.timeout(20) },
      )
      await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' })
    })
    expect(ran).toBe(false)
  })
})
