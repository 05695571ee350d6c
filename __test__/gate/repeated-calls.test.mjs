// A call that is made again: replays, joins, conflicts.
import { validateToolResponse } from '../../index.js'
import { open, types } from '../support/counted-tools.mjs'

describe('the same call again', () => {
  test('a reconnect that replays a turn gets the stored answers and runs nothing', async () => {
    const { session, runs } = await open()
    const calls = [
      { id: 'call_replay_a', name: 'look', args: { n: 1 } },
      { id: 'call_replay_b', name: 'make', args: { n: 2 } },
    ]
    const first = await session({ sessionId: 's', mode: 'voice' })
    await first.beginTurn('t1')
    const before = await first.executeAll(calls)
    await first.detach()
    const second = await session({ sessionId: 's', mode: 'voice' })
    expect(second.turn).toBe(first.turn)
    const after = await second.executeAll(calls)
    expect(runs).toHaveLength(2)
    after.forEach((answer, place) => {
      expect(answer.data).toEqual(before[place].data)
      expect(answer.meta).toMatchObject({
        _idempotent_cache_hit: true,
        _original_turn: first.turn,
        idempotencyKey: before[place].meta.idempotencyKey,
      })
      expect(before[place].meta).not.toHaveProperty('_idempotent_cache_hit')
      validateToolResponse(answer)
    })
  })

  test('an answer that is not kept any more: the outcome, and the key by which its service knows the call', async () => {
    const { session, runs } = await open()
    const s = await session({ policy: { totalCalls: 1000 } })
    const make = async (n, id) => (await s.beginTurn(), s.execute({ id, name: 'make', args: { n } }))
    const first = await make(1, 'call_first_0001')
    // A call without an id is found by the id of its repeat, whose own key names no call.
    const unnamed = await s.execute({ name: 'make', args: '{"n": 2}' })
    const twin = await s.execute({ id: 'call_twin_00001', name: 'make', args: { n: 2 } })
    expect([unnamed.ok, twin.meta._idempotent_cache_hit]).toEqual([true, true])
    for (let n = 10; n < 110; n++) await make(n, `call_later_${n}`)
    const ran = runs.length
    const key = first.meta.idempotencyKey
    const details = async (n, id) => (await s.execute({ id, name: 'make', args: { n } })).error.details
    expect(await details(1, 'call_first_0001')).toEqual({ outcome: 'committed', idempotencyKey: key })
    expect(await details(2, 'call_twin_00001')).toEqual({ outcome: 'committed' })
    expect([runs.length, key]).toEqual([ran, expect.stringMatching(/^tg_/)])
  })

  test('two stable ids run twice, two unstable ids share a key and run once', async () => {
    const { session, runs } = await open()
    const s = await session()
    for (const id of ['call_stable_1', 'call_stable_2']) await s.execute({ id, name: 'plain', args: { n: 1 } })
    for (const id of ['call_1', 'temp_0001_x', 'plain:0', 'functions.plain:1', 'plain_2'])
      await s.execute({ id, name: 'plain', args: { n: 2 } })
    expect(runs).toHaveLength(3)
  })

  test('an id-less call and its later twin with an id run once', async () => {
    const { session, runs } = await open()
    const s = await session()
    const first = await s.execute({ name: 'plain', args: '{"n": 1}' })
    const twin = await s.execute({ id: 'call_twin_12', name: 'plain', args: { n: 1 } })
    expect(runs).toHaveLength(1)
    expect([first.meta.callId, twin.meta.callId, twin.meta._idempotent_cache_hit]).toEqual([
      undefined,
      'call_twin_12',
      true,
    ])
  })

  test('one id with other arguments is CONFLICT in its turn and a new call in a later one', async () => {
    const { session, runs } = await open()
    const s = await session()
    await s.beginTurn()
    const call = n => s.execute({ id: 'call_reused_1', name: 'plain', args: { n } })
    expect(types([await call(1), await call(2), await call(1)])).toEqual(['ok', 'CONFLICT', 'ok'])
    await s.beginTurn()
    expect((await call(2)).data.n).toBe(2)
    expect(runs.map(([, { n }]) => n)).toEqual([1, 2])
  })

  test('a call in flight is joined: one run, each its own copy', async () => {
    const { session, runs, release } = await open()
    const [one, two] = [await session({ sessionId: 's' }), await session({ sessionId: 's' })]
    const call = { id: 'call_joined_1', name: 'held', args: { n: 1 } }
    const answers = Promise.all([one.execute(call), two.execute(call), one.execute({ ...call })])
    release()
    const [a, b, c] = await answers
    expect(runs).toHaveLength(1)
    expect([a.meta._idempotent_cache_hit, b.meta._idempotent_cache_hit, c.meta._idempotent_cache_hit]).toEqual([
      undefined,
      true,
      true,
    ])
    a.data.list.push('changed')
    a.meta.warnings = ['changed']
    expect([b.data, c.data, (await one.execute(call)).data]).toEqual(Array(3).fill({ list: [1], n: 1 }))
  })

  test('a cancelled joiner does not cancel the others', async () => {
    const { session, release } = await open()
    const s = await session()
    const [first, second] = ['temp-1', 'temp-2'].map(id => s.execute({ id, name: 'held', args: {} }))
    expect(s.cancel('temp-2', 'impatient')).toBe(true)
    expect((await second).error).toMatchObject({
      type: 'CANCELLED',
      details: { outcome: 'continues', reason: 'impatient' },
    })
    release()
    expect((await first).ok).toBe(true)
  })

  test('VALIDATION, then corrected under the same id, runs', async () => {
    const { session, runs } = await open()
    const s = await session()
    const call = to => s.execute({ id: 'call_corrected', name: 'mail', args: { to } })
    expect(types([await call('nobody'), await call('a@example.org')])).toEqual(['VALIDATION', 'ok'])
    expect(runs).toHaveLength(1)
  })

  test.each([
    ['a bad e-mail', { to: 'nobody' }, '/to', 'format'],
    ['a bad date-time', { to: 'a@example.org', at: 'tomorrow' }, '/at', 'format'],
    ['a missing field', {}, '', 'required'],
    ['a bad enum', { to: 'a@example.org', kind: 'c' }, '/kind', 'enum'],
    ['a wrong nested value', { to: 'a@example.org', body: { lines: ['x', {}] } }, '/body/lines/1', 'type'],
  ])('%s has the right pointer', async (_what, args, instancePath, keyword) => {
    const { session } = await open()
    const { error } = await (await session()).execute({ name: 'mail', args })
    expect(error).toMatchObject({ type: 'VALIDATION', retryable: false, details: [{ instancePath, keyword }] })
  })
})
