// A handler's call that waits for its user: the handler goes on with what came of it.
import path from 'node:path'

import { success } from '../../index.js'
import { eventually } from '../support/gate.mjs'
import { BOOK, booking, wait } from '../support/booking.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

test('the handler gets the answer of the confirmed call, and never the token', async () => {
  const { session, start, question, runs, lines } = await booking()
  const booked = start('ada')
  const request = await question()
  expect(request).toMatchObject({ tool: 'pay', args: { to: 'ada' }, preview: 'Pay ada', callId: 'call_book_ada' })
  expect((await session.listPending()).map(({ token }) => token)).toEqual([request.token])
  expect(runs).toEqual([])
  expect((await session.confirm(request.token, { via: 'page' })).data).toEqual({ paid: 'ada' })
  const { ok, data: answer } = await booked
  expect([ok, answer.data, runs]).toEqual([true, { paid: 'ada' }, ['ada']])
  expect(answer.meta).toMatchObject({ toolId: 'pay', parentCallId: 'call_book_ada' })
  expect(answer.meta.idempotentCacheHit).toBeUndefined()
  expect(JSON.stringify([answer, lines])).not.toContain(request.token)
  expect(lines.filter(({ event }) => event === 'tool_execution').map(({ toolId }) => toolId)).toEqual(['pay', 'book'])
})

test('its events name the call of the model, however deep', async () => {
  const events = []
  const trip = { ...BOOK, execute: async ({ args, callTool }) => success(await callTool('book', args)) }
  const onConfirmation = event => events.push(event)
  const { session, start, question } = await booking({ more: { trip } }, { onConfirmation })
  for (const [n, name] of ['book', 'trip'].entries()) {
    const booked = start(name, `call_${name}_9`, name)
    await session.confirm((await question(n)).token)
    await booked
  }
  expect(events.map(({ type, tool, callId }) => [type, tool, callId])).toEqual([
    ['requested', 'pay', 'call_book_9'],
    ['confirmed', 'pay', 'call_book_9'],
    ['requested', 'pay', 'call_trip_9'],
    ['confirmed', 'pay', 'call_trip_9'],
  ])
})

test('a denial is its answer', async () => {
  const { session, start, question, runs } = await booking()
  const booked = start('eve')
  await session.deny((await question()).token, 'no')
  expect((await booked).data).toMatchObject({
    ok: false,
    error: { type: 'CANCELLED', details: { outcome: 'declined' }, retryable: false },
  })
  expect([runs, await session.listPending()]).toEqual([[], []])
})

test('a confirmation that expires is its answer', async () => {
  const { start, runs } = await booking({ pay: { confirmation: { preview: 'Pay {to}', ttlMs: 40 } } })
  expect((await start('eve')).data.error).toMatchObject({
    type: 'CONFIRMATION_EXPIRED',
    details: { reason: 'expired' },
  })
  expect(runs).toEqual([])
})

test('what the user has changed is in the answer', async () => {
  const { session, start, question, runs } = await booking()
  const booked = start('eve')
  await session.confirm((await question()).token, { args: { to: 'bob' } })
  const { data } = await booked
  expect([data.data, data.meta.edited, runs]).toEqual([{ paid: 'bob' }, [{ path: '/to', value: 'bob' }], ['bob']])
})

test('the deadlines above stand still, however deep', async () => {
  const timeoutMs = 1500
  const { session, start, question } = await booking({
    book: { timeoutMs },
    more: {
      trip: {
        ...BOOK,
        timeoutMs,
        execute: async ({ args, callTool }) => success(await callTool('book', args)),
      },
    },
  })
  const gone = start('ada', 'call_trip_1', 'trip')
  const { token, callId } = await question()
  expect(callId).toBe('call_trip_1')
  await new Promise(resolve => setTimeout(resolve, timeoutMs + 100))
  await session.confirm(token)
  const { ok, data } = await gone
  expect([ok, data.ok, data.data.data]).toEqual([true, true, { paid: 'ada' }])
})

test('the confirmed call has the slot of the call that waits for it', async () => {
  const { session, start, question } = await booking({}, { limits: { sessionCalls: 1, queueMs: 100 } })
  const booked = start('ada')
  expect((await session.confirm((await question()).token)).ok).toBe(true)
  expect((await booked).data.ok).toBe(true)
})

test('eight wait at once, and are answered in any order', async () => {
  const { session, start, question, runs } = await booking(
    { book: { parallel: true } },
    {},
    { policy: { totalCalls: 100 } },
  )
  const names = [...'abcdefgh']
  const all = names.map(name => start(name))
  await question(7)
  const pending = await session.listPending()
  for (const { token, args } of pending.reverse())
    if (args.to === 'c') await session.deny(token)
    else expect((await session.confirm(token)).ok).toBe(true)
  const answers = await Promise.all(all)
  expect(answers.map(({ data }) => data.ok)).toEqual(names.map(name => name !== 'c'))
  expect(runs.sort()).toEqual(names.filter(name => name !== 'c'))
})

test.each([
  ['is cancelled', (session, id) => session.cancel(id, 'enough'), 'CANCELLED'],
  ['ends without it', (_session, _id, leave) => leave(), undefined],
])('the confirmation of a call whose caller %s expires', async (_name, end, outcome) => {
  let leave
  const left = new Promise(resolve => {
    leave = resolve
  })
  const events = []
  const { session, start, question, runs } = await booking(
    {
      book: {
        kind: 'read',
        execute: async ({ args, callTool, signal }) => {
          signal.addEventListener('abort', leave)
          callTool('pay', { to: args.to }, wait)
          await left
          return success()
        },
      },
    },
    { onConfirmation: ({ type }) => events.push(type) },
  )
  const booked = start('ada')
  const { token } = await question()
  end(session, 'call_book_ada', leave)
  expect((await booked).error?.type).toBe(outcome)
  await eventually(async () => (await session.listPending()).length === 0, 'the confirmation is closed')
  expect((await session.confirm(token)).error).toMatchObject({ type: 'CONFIRMATION_EXPIRED' })
  expect([runs, events]).toEqual([[], ['requested', 'expired']])
})

test('the session ends while it waits', async () => {
  const { session, start, question, runs } = await booking()
  const booked = start('ada')
  await question()
  await session.end('over')
  expect((await booked).error.type).toBe('CANCELLED')
  expect(runs).toEqual([])
})

test('another attempt of the caller finds the call done, and asks nobody again', async () => {
  let attempts = 0
  const { session, start, question, runs, asked } = await booking({
    book: {
      idempotent: true,
      retry: { maxAttempts: 3, baseDelayMs: 1 },
      execute: async ({ args, callTool }) => {
        const paid = await callTool('pay', { to: args.to }, wait)
        attempts += 1
        if (attempts === 1) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
        return success(paid.data)
      },
    },
  })
  const booked = start('ada')
  await session.confirm((await question()).token)
  expect([(await booked).data, attempts, runs, asked.length]).toEqual([{ paid: 'ada' }, 2, ['ada'], 1])
})

test('a call that needs no confirmation answers at once; other options are refused', async () => {
  const given = []
  const { start } = await booking({
    pay: { requiresConfirmation: false, confirmation: undefined },
    book: {
      execute: async ({ callTool }) => {
        given.push(await callTool('pay', { to: 'ada' }, wait))
        for (const options of [{ confirmation: 'waits' }, { confirm: 'wait' }, 'wait'])
          await callTool('pay', { to: 'ada' }, options).catch(error => given.push(error.message))
        return success()
      },
    },
  })
  expect((await start('ada')).ok).toBe(true)
  const [answer, ...errors] = given
  expect(answer.data).toEqual({ paid: 'ada' })
  expect(errors).toEqual([
    "`confirmation` must be 'wait'",
    expect.stringContaining('`confirm`'),
    'the options of `callTool` must be an object',
  ])
})

test('a session that can ask nobody does not wait', async () => {
  const { session, start, runs, asked } = await booking({}, {}, { canAsk: false })
  expect((await start('ada')).data.error).toMatchObject({ type: 'CONFIRMATION_REQUIRED' })
  expect([asked, runs, (await session.listPending()).length]).toEqual([[], [], 1])
})

test('another process on the store gives the answer, and runs the call', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const here = await booking({}, { store }, { sessionId: 's', principal: 'ada' })
  const there = await booking({}, { store })
  const page = await there.session
  const other = await there.open({ sessionId: 's', principal: 'ada' })
  const booked = here.start('bob')
  await here.question()
  const [{ token }] = await other.listPending()
  expect((await other.confirm(token, { via: 'page' })).data).toEqual({ paid: 'bob' })
  const { data } = await booked
  expect([data.data, data.meta.parentCallId, here.runs, there.runs]).toEqual([
    { paid: 'bob' },
    'call_book_bob',
    [],
    ['bob'],
  ])
  const declined = here.start('eve')
  await here.question(1)
  await other.deny((await other.listPending())[0].token)
  expect((await declined).data.error.details).toEqual({ outcome: 'declined' })
  await page.detach()
})

describe('a handler that has ended', () => {
  /** The caller begins to wait, and ends without the answer once `leave` is called. */
  async function leaving(more = {}, options = {}, sessionOptions = {}) {
    const ends = new Map()
    const book = {
      kind: 'read',
      parallel: true,
      execute: async ({ args, callTool }) => {
        const left = new Promise(resolve => ends.set(args.to, resolve))
        const answer = await Promise.race([callTool('pay', { to: 'ada' }, wait), left])
        return success(answer ?? 'left')
      },
      properties: { to: { type: 'string' } },
    }
    return { ...(await booking({ book, ...more }, options, sessionOptions)), leave: name => ends.get(name)() }
  }

  test('has taken its question back when its own answer comes, in every process', async () => {
    const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
    const here = await leaving({}, { store }, { sessionId: 's', principal: 'ada' })
    const there = await leaving({}, { store })
    const other = await there.open({ sessionId: 's', principal: 'ada' })
    const booked = here.start('one')
    const { token } = await here.question()
    here.leave('one')
    expect((await booked).data).toBe('left')
    expect((await other.confirm(token)).error).toMatchObject({ type: 'CONFIRMATION_EXPIRED' })
    expect([here.runs, there.runs]).toEqual([[], []])
  })

  test('leaves the question to another handler that waits for the same', async () => {
    const { session, start, question, leave, runs } = await leaving()
    const [one, two] = [start('one'), start('two')]
    const { token } = await question(1)
    leave('one')
    expect((await one).data).toBe('left')
    expect((await session.confirm(token)).ok).toBe(true)
    expect([(await two).data.data, runs]).toEqual([{ paid: 'ada' }, ['ada']])
  })

  test('leaves a question that the model has asked', async () => {
    const { session, start, question, leave, runs } = await leaving()
    const own = await session.execute({ id: 'call_pay_1', name: 'pay', args: { to: 'ada' } })
    const booked = start('one')
    const { token } = await question()
    expect(own.error.confirmation_request.token).toBe(token)
    leave('one')
    await booked
    expect([(await session.confirm(token)).ok, runs]).toEqual([true, ['ada']])
  })
})

test('a failure that may be tried again is the answer as it is', async () => {
  let times = 0
  const execute = () => {
    times += 1
    return times === 1 ? { ok: false, error: { type: 'TRANSIENT', message: 'later', retryable: true } } : success(times)
  }
  const { session, start, question } = await booking({
    pay: { execute },
    book: {
      execute: async ({ callTool }) =>
        success([await callTool('pay', { to: 'x' }, wait), await callTool('pay', { to: 'x' }, wait)]),
    },
  })
  const booked = start('ada')
  await session.confirm((await question()).token)
  await session.confirm((await question(1)).token)
  const [first, second] = (await booked).data
  expect([first.error?.type, first.error?.retryable, second.data]).toEqual(['TRANSIENT', true, 2])
})

test('a handler that asks again and again ends by its deadline', async () => {
  const { start, asked } = await booking({
    pay: { confirmation: { preview: 'Pay {to}', ttlMs: 1 } },
    book: {
      timeoutMs: 1000,
      execute: async ({ callTool, signal }) => {
        for (let n = 0; !signal.aborted; n++) await callTool('pay', { to: String(n) }, wait)
        return success()
      },
    },
  })
  expect((await start('ada')).error).toMatchObject({ type: 'TRANSIENT', message: expect.stringContaining('1000 ms') })
  expect(asked.length).toBeGreaterThan(1)
})

test('a registry that closes takes the question back before it answers', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const here = await booking({}, { store }, { sessionId: 's', principal: 'ada' })
  const there = await booking({}, { store })
  const other = await there.open({ sessionId: 's', principal: 'ada' })
  const booked = here.start('ada')
  const { token } = await here.question()
  await Promise.all([here.registry.close({ timeoutMs: 5000 }), booked])
  expect((await other.confirm(token)).error).toMatchObject({ type: 'CONFIRMATION_EXPIRED' })
  expect([here.runs, there.runs]).toEqual([[], []])
})

test.each(['closes', 'leaves the call'])(
  'what a registry answers that %s as another process confirms is true',
  async how => {
    for (let round = 0; round < 8; round++) {
      const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
      let answer
      let leave
      const execute = async ({ args, callTool }) => {
        const waits = callTool('pay', args, wait).then(answered => (answer = answered))
        await Promise.race([waits, new Promise(resolve => (leave = resolve))])
        return success('left')
      }
      const here = await booking({ book: { execute } }, { store }, { sessionId: 's', principal: 'ada' })
      const there = await booking({}, { store })
      const other = await there.open({ sessionId: 's', principal: 'ada' })
      const booked = here.start('bob')
      const { token } = await here.question()
      const confirmed = other.confirm(token)
      const closed = how === 'closes' ? here.registry.close() : leave()
      const [{ ok }] = await Promise.all([confirmed, booked, closed])
      await eventually(() => answer !== undefined, 'the handler is answered')
      expect(there.runs).toEqual(ok ? ['bob'] : [])
      const outcome = answer.ok ? 'committed' : answer.error.details.outcome
      expect(ok ? ['committed', 'unknown'] : ['aborted']).toContain(outcome)
    }
  },
)
