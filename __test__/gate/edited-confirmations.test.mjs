// A user confirms a call with other arguments than were shown.
import { openGate } from '../support/gate.mjs'

const TOOLS = {
  pay: {
    kind: 'write',
    requiresConfirmation: true,
    duplicate: { key: ['/to'] },
    properties: {
      to: { type: 'string', minLength: 1 },
      amount: { type: 'number', exclusiveMinimum: 0 },
      note: { type: 'string' },
      items: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
      },
      pin: { type: 'string', 'x-sensitive': true },
      top_k: { type: 'integer', default: 3 },
    },
    required: ['to', 'amount'],
    clamp: { text: { top_k: 5 } },
    confirmation: { preview: 'Pay {amount} to {to}', ttlMs: 60_000 },
  },
}

async function paying(args = { to: 'ada', amount: 5 }, { waits = false, fails = false, ...fields } = {}) {
  const runs = []
  let release
  const released = new Promise(resolve => (release = resolve))
  const execute = async ({ args }) => {
    runs.push(args)
    if (waits) await released
    if (fails) return { ok: false, error: { type: 'TRANSIENT', message: 'not now', retryable: true } }
    return { ok: true, data: `paid ${args.amount} to ${args.to}` }
  }
  const { session: open } = await openGate({ pay: { ...TOOLS.pay, ...fields, execute } })
  const session = await open()
  const call = { id: 'call_pay_0000001', name: 'pay', args }
  const { token, args: shown } = (await session.execute(call)).error.confirmation_request
  return { session, call, token, shown, runs, release }
}

test('what the user changed runs, the answer names it, and a repeat of the call gets that answer', async () => {
  const { session, call, token, shown, runs } = await paying({ to: 'ada', amount: 5, note: 'lunch' })
  const { note: _, ...kept } = shown
  const answer = await session.confirm(token, { args: { ...kept, amount: 7, top_k: 9 } })
  expect(answer.data).toBe('paid 7 to ada')
  expect(runs).toEqual([{ to: 'ada', amount: 7, top_k: 5 }])
  const edited = [{ path: '/amount', value: 7 }, { path: '/note' }, { path: '/top_k', value: 5 }]
  expect([...answer.meta.edited].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(edited)
  expect(answer.meta.clamped).toEqual([{ path: '/top_k', from: 9, to: 5 }])
  const again = await session.execute(call)
  expect([again.data, again.meta._idempotent_cache_hit, again.meta.edited]).toEqual([
    'paid 7 to ada',
    true,
    answer.meta.edited,
  ])
  expect(runs).toHaveLength(1)
})

test('what was not changed is no edit: numbers as a page writes them, masked values', async () => {
  const { session, token, shown, runs } = await paying({ to: 'ada', amount: 5, pin: '1234' })
  expect(shown.pin).toBe('***')
  const answer = await session.confirm(token, { args: structuredClone(shown) })
  expect(answer.meta.edited).toBeUndefined()
  expect(runs).toEqual([{ to: 'ada', amount: 5, pin: '1234', top_k: 3 }])
})

test('beside a masked value others are changed; it stays what it was', async () => {
  const { session, token, shown, runs } = await paying({ to: 'ada', amount: 5, pin: '1234' })
  const answer = await session.confirm(token, { args: { ...shown, amount: 6 } })
  expect(answer.meta.edited).toEqual([{ path: '/amount', value: 6 }])
  expect(runs).toEqual([{ to: 'ada', amount: 6, pin: '1234', top_k: 3 }])
  expect(JSON.stringify(answer)).not.toContain('1234')
})

test.each([
  ['another value for a sensitive one', { to: 'ada', amount: 5, pin: '9999' }, 'VALIDATION', '/pin'],
  ['a mask where nothing was sensitive before', { to: 'ada', amount: 5, pin: '***' }, 'VALIDATION', '/pin'],
  ['a value that the schema refuses', { to: 'ada', amount: -5 }, 'VALIDATION', 'amount'],
  ['a text for a number, which is repaired for a model only', { to: 'ada', amount: '7' }, 'VALIDATION', 'amount'],
  ['an argument that the tool has not', { to: 'ada', amount: 5, cc: 'bob' }, 'VALIDATION', 'not known'],
  ['a required one removed', { to: 'ada' }, 'VALIDATION', 'amount'],
  ['a text', '{"to":"eve","amount":5}', 'VALIDATION', 'object'],
  ['an empty text', '', 'VALIDATION', 'object'],
  ['a list', [], 'VALIDATION', 'object'],
  ['what is no JSON', { to: 'ada', amount: 5n }, 'VALIDATION', 'BigInt'],
  ['too much', { to: 'ada', amount: 5, note: 'x'.repeat(2_000_000) }, 'VALIDATION', ''],
])('%s runs nothing, and the confirmation stays pending', async (_, args, type, named) => {
  const { session, token, runs } = await paying()
  const refused = await session.confirm(token, { args })
  expect(refused.error.type).toBe(type)
  expect(refused.error.message).toContain(named)
  expect(runs).toEqual([])
  expect((await session.listPending()).map(({ token }) => token)).toEqual([token])
  expect((await session.confirm(token)).ok).toBe(true)
  expect(runs).toEqual([{ to: 'ada', amount: 5, top_k: 3 }])
})

test('an edit to an act that was done is asked about, with what was done', async () => {
  const { session, token, runs } = await paying()
  await session.confirm(token)
  const second = await session.execute({ id: 'call_pay_0000002', name: 'pay', args: { to: 'bob', amount: 1 } })
  const asked = await session.confirm(second.error.confirmation_request.token, { args: { to: 'ada', amount: 1 } })
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
  expect(asked.error.confirmation_request.preview).toMatch(/^Already done at .*Pay 1 to ada$/su)
  expect(runs).toHaveLength(1)
  expect((await session.confirm(asked.error.confirmation_request.token)).data).toBe('paid 1 to ada')
})

test('an edit into exactly what was confirmed shortly before gets that answer, which says what was changed', async () => {
  const { session, token, runs } = await paying()
  await session.confirm(token)
  const second = await session.execute({ id: 'call_pay_0000002', name: 'pay', args: { to: 'bob', amount: 5 } })
  const answer = await session.confirm(second.error.confirmation_request.token, { args: { to: 'ada', amount: 5 } })
  expect(answer).toMatchObject({ data: 'paid 5 to ada', meta: { edited: [{ path: '/to', value: 'ada' }] } })
  expect(runs).toHaveLength(1)
})

describe('what its user wants instead is an equal call', () => {
  const BOB = { id: 'call_pay_0000002', name: 'pay', args: { to: 'bob', amount: 5 } }
  const closed = { error: { type: 'CONFIRMATION_EXPIRED', details: { reason: 'used' } } }

  test.each([['that was done'], ['that runs']])('%s: a repeat of the call gets its answer', async which => {
    const { session, token, runs, release } = await paying(undefined, { waits: which === 'that runs' })
    const first = session.confirm(token)
    if (which === 'that was done') await first
    const second = (await session.execute(BOB)).error.confirmation_request.token
    const edited = session.confirm(second, { args: { to: 'ada', amount: 5 } })
    release()
    expect(await edited).toMatchObject({ data: 'paid 5 to ada', meta: { edited: [{ path: '/to', value: 'ada' }] } })
    for (const id of [BOB.id, 'call_pay_0000003'])
      expect(await session.execute({ ...BOB, id })).toMatchObject({ data: 'paid 5 to ada', ok: true })
    expect(await session.confirm(second)).toMatchObject(closed)
    expect([await session.listPending(), runs]).toEqual([[], [{ to: 'ada', amount: 5, top_k: 3 }]])
    for (const message of ['of these calls', 'the next one', 'a later one']) await session.beginTurn(message)
    expect((await session.execute({ ...BOB, id: 'call_pay_0000004' })).error.type).toBe('CONFIRMATION_REQUIRED')
  })

  test('that is asked about: its question takes the place of the first, and answers a repeat', async () => {
    const { session, token, runs } = await paying()
    await session.confirm(token)
    const second = (await session.execute(BOB)).error.confirmation_request.token
    const asked = await session.confirm(second, { args: { to: 'ada', amount: 1 } })
    const again = asked.error.confirmation_request.token
    expect((await session.listPending()).map(pending => pending.token)).toEqual([again])
    expect(await session.confirm(second)).toMatchObject(closed)
    expect(await session.confirm(again)).toMatchObject({ data: 'paid 1 to ada' })
    expect(await session.execute({ ...BOB, id: 'call_pay_0000003' })).toMatchObject({ data: 'paid 1 to ada' })
    expect(runs).toHaveLength(2)
  })

  test('that failed without a trace: a repeat of the call is asked about', async () => {
    const { session, token, release } = await paying(undefined, { waits: true, fails: true })
    const first = session.confirm(token)
    const second = (await session.execute(BOB)).error.confirmation_request.token
    const edited = session.confirm(second, { args: { to: 'ada', amount: 5 } })
    release()
    expect([(await first).ok, (await edited).ok]).toEqual([false, false])
    expect((await session.execute({ ...BOB, id: 'call_pay_0000003' })).error.type).toBe('CONFIRMATION_REQUIRED')
  })

  test('that is refused: what was shown can still be confirmed', async () => {
    const { session, token, runs } = await paying(undefined, { duplicate: { key: ['/to'], on: 'refuse' } })
    await session.confirm(token)
    const second = (await session.execute(BOB)).error.confirmation_request.token
    const refused = await session.confirm(second, { args: { to: 'ada', amount: 1 } })
    expect(refused.error).toMatchObject({ type: 'CONFLICT', details: { reason: 'duplicate' } })
    expect(await session.confirm(second)).toMatchObject({ data: 'paid 5 to bob' })
    expect(runs.map(({ to }) => to)).toEqual(['ada', 'bob'])
  })
})

test('an edit after the answer, after a denial, and of two at once runs nothing more', async () => {
  const { session, token, runs } = await paying()
  const args = { to: 'ada', amount: 6 }
  const answers = await Promise.all([
    session.confirm(token, { args }),
    session.confirm(token, { args: { to: 'ada', amount: 7 } }),
  ])
  expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect((await session.confirm(token, { args })).error.type).toBe('CONFIRMATION_EXPIRED')
  expect(runs).toHaveLength(1)
  const denied = await paying()
  await denied.session.deny(denied.token)
  expect((await denied.session.confirm(denied.token, { args })).error.type).toBe('CONFIRMATION_EXPIRED')
  expect(denied.runs).toEqual([])
})

test('the call itself is confirmed with changes, as by its token', async () => {
  const { session, call, runs } = await paying()
  const answer = await session.confirm(call, { args: { to: 'bob', amount: 5 } })
  expect(answer.meta.edited).toEqual([{ path: '/to', value: 'bob' }])
  expect(runs).toEqual([{ to: 'bob', amount: 5, top_k: 3 }])
})

test('places deep in the arguments are named, long values are not repeated, and many changes are one', async () => {
  const items = [
    { name: 'tea', n: 1 },
    { name: 'milk', n: 2 },
  ]
  const { session, token, shown } = await paying({ to: 'ada', amount: 5, items })
  const answer = await session.confirm(token, {
    args: { ...shown, note: 'x'.repeat(600), items: [items[0], { name: 'milk', n: 3 }] },
  })
  expect(answer.meta.edited).toEqual([{ path: '/items/1/n', value: 3 }, { path: '/note' }])
  const many = await paying({ to: 'ada', amount: 5, items: Array.from({ length: 60 }, () => ({ n: 1 })) })
  const edited = await many.session.confirm(many.token, {
    args: { ...many.shown, items: Array.from({ length: 60 }, () => ({ n: 2 })) },
  })
  expect(edited.meta.edited).toEqual([{ path: '' }])
})
