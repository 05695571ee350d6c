// Turns, attachments, calls made together, cancellation.
import { eventLoop, eventually, gateway, openGate } from '../support/gate.mjs'
import { NUMBER, open, types } from '../support/counted-tools.mjs'

describe('turns and attachments', () => {
  test('turns count up from 1, once per id, for all attachments', async () => {
    const { session } = await open()
    const [one, two] = [await session({ sessionId: 's' }), await session({ sessionId: 's' })]
    expect(one.turn).toBe(1)
    const { turn } = await one.beginTurn('m1')
    expect([turn, one.turn, (await one.beginTurn('m1')).turn, two.turn]).toEqual([turn, turn, turn, 1])
    expect([(await two.beginTurn('m1')).turn, (await two.beginTurn('m2')).turn, one.turn]).toEqual([
      turn,
      turn + 1,
      turn,
    ])
  })

  test('voice supersedes an older voice attachment, not the text one; its running call goes on', async () => {
    const { session, release } = await open()
    const text = await session({ sessionId: 's' })
    const old = await session({ sessionId: 's', mode: 'voice' })
    const running = old.execute({ name: 'held' })
    const young = await session({ sessionId: 's', mode: 'voice' })
    expect((await old.execute({ name: 'plain' })).error).toMatchObject({
      type: 'SESSION_INACTIVE',
      details: { reason: 'superseded' },
    })
    release()
    expect(
      types([await running, await young.execute({ name: 'plain' }), await text.execute({ name: 'plain' })]),
    ).toEqual(['ok', 'ok', 'ok'])
  })

  test('text attachments live beside each other, unless they are made exclusive', async () => {
    const { session } = await open()
    const tabs = [
      await session({ sessionId: 's' }),
      await session({ sessionId: 's' }),
      await session({ sessionId: 's', exclusive: true }),
    ]
    expect(types(await Promise.all(tabs.map((tab, n) => tab.execute({ name: 'plain', args: { n } }))))).toEqual([
      'SESSION_INACTIVE',
      'SESSION_INACTIVE',
      'ok',
    ])
  })

  test.each([
    ['another', 'bob'],
    ['none', undefined],
  ])("%s principal can't resume a session", async (_what, principal) => {
    const { session } = await open()
    await session({ sessionId: 's', principal: 'alice' })
    await expect(session({ sessionId: 's', principal })).rejects.toMatchObject({ name: 'ToolError', type: 'AUTH' })
    expect((await (await session({ sessionId: 's', principal: 'alice' })).execute({ name: 'plain' })).ok).toBe(true)
  })

  test('detached: refused, and others go on', async () => {
    const { session } = await open()
    const [gone, stays] = [await session({ sessionId: 's' }), await session({ sessionId: 's' })]
    await gone.detach()
    await gone.detach()
    expect((await gone.execute({ name: 'plain' })).error).toMatchObject({
      type: 'SESSION_INACTIVE',
      details: { reason: 'detached' },
    })
    expect((await stays.execute({ name: 'plain' })).ok).toBe(true)
  })

  test('ended: final for every attachment, what runs is cancelled', async () => {
    const { session } = await open()
    const [one, two] = [await session({ sessionId: 's' }), await session({ sessionId: 's' })]
    const running = one.execute({ name: 'held' })
    await two.end('goodbye')
    await two.end('again')
    expect((await running).error).toMatchObject({ type: 'CANCELLED', details: { reason: 'goodbye' } })
    expect(types([await one.execute({ name: 'plain' }), await two.execute({ name: 'plain' })])).toEqual([
      'SESSION_INACTIVE',
      'SESSION_INACTIVE',
    ])
    await expect(one.beginTurn()).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
    await expect(session({ sessionId: 's' })).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
    expect([one.state.get('isActive'), one.state.applyIntent({ type: 'SUPPRESS_AUDIO', value: true })]).toEqual([
      false,
      false,
    ])
    expect(() => one.state.set('x', 1)).toThrow(TypeError)
  })

  test('ids are random where none is given', async () => {
    const { session } = await open()
    const ids = [(await session()).sessionId, (await session()).sessionId]
    expect(ids[0]).not.toBe(ids[1])
    expect(ids.every(id => /^[0-9a-f]{32}$/.test(id))).toBe(true)
  })

  test.each([
    ['no options', undefined],
    ['no mode', {}],
    ['an empty mode', { mode: '' }],
    ['an unknown option', { mode: 'text', user: 'x' }],
    ['a mode that is no text', { mode: 7 }],
    ['an empty id', { mode: 'text', sessionId: '' }],
    ['roles in a text', { mode: 'text', roles: 'admin' }],
    ['state in a list', { mode: 'text', state: [] }],
    ["a state that JSON can't carry", { mode: 'text', state: { n: 1n } }],
    ['the state of a built-in field', { mode: 'text', state: { shouldSuppressAudio: 'x' } }],
    ['an unknown policy number', { mode: 'text', policy: { calls: 1 } }],
    ['a listener that is none', { mode: 'text', onToolCall: 'x' }],
    ['exclusive in a text', { mode: 'text', exclusive: 'no' }],
  ])('%s is a TypeError', async (_what, options) => {
    const { registry } = await open()
    await expect(registry.createSession(options)).rejects.toThrow(TypeError)
  })
})

describe('executeAll', () => {
  test('answers in call order, one each; a write waits for all before it and holds all after it', async () => {
    const log = []
    const second = gateway()
    const steps = name => async () => {
      log.push(`+${name}`)
      // The first ends after the second.
      if (name === 'r1') await second.passed
      else await eventLoop()
      log.push(`-${name}`)
      if (name === 'r2') second.open()
      return { ok: true, data: name }
    }
    const kinds = { r1: 'read', r2: 'read', w: 'write', r3: 'read', r4: 'pure' }
    const { session } = await openGate(
      Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { kind, execute: steps(name) }])),
    )
    const s = await session()
    const answers = await s.executeAll(Object.keys(kinds).map(name => ({ name })))
    expect(answers.map(({ data }) => data)).toEqual(Object.keys(kinds))
    expect(log.slice(0, 2).sort()).toEqual(['+r1', '+r2'])
    expect(log.indexOf('+w')).toBe(4)
    expect(log.slice(4, 6)).toEqual(['+w', '-w'])
    expect(log.slice(6, 8).sort()).toEqual(['+r3', '+r4'])
  })

  test('of nothing is nothing', async () => {
    const { session } = await open()
    expect(await (await session()).executeAll([])).toEqual([])
  })

  test('the same call twice in one lot runs once', async () => {
    const { session, runs } = await open()
    const call = { id: 'call_doubled_1', name: 'make', args: { n: 1 } }
    const [one, two] = await (await session()).executeAll([call, call])
    expect([runs.length, one.data, two.data, two.meta._idempotent_cache_hit]).toEqual([
      1,
      { name: 'make', n: 1 },
      { name: 'make', n: 1 },
      true,
    ])
  })
})

test('executeText is execute as text', async () => {
  const { session } = await open()
  const s = await session()
  const call = { id: 'call_as_text_1', name: 'plain', args: { n: '</script>😀\u2028' } }
  const text = await s.executeText(call)
  const { meta, ...rest } = await s.execute(call)
  const { meta: textMeta, ...textRest } = JSON.parse(text)
  expect(textRest).toEqual(rest)
  expect(textMeta.idempotencyKey).toBe(meta.idempotencyKey)
})

test('cancelling what is not there is false', async () => {
  const { session } = await open()
  const s = await session()
  await s.execute({ id: 'call_settled_1', name: 'plain' })
  expect([s.cancel('call_settled_1'), s.cancel('nope'), s.cancel(undefined), s.cancelAll()]).toEqual([
    false,
    false,
    false,
    0,
  ])
})

test('cancel racing with the end gives one of the two answers, never both, never none', async () => {
  const { session } = await openGate({
    quick: { kind: 'read', ...NUMBER, execute: () => new Promise(resolve => setImmediate(resolve, { ok: true })) },
  })
  const s = await session({ policy: { totalCalls: 1000, retrievalCalls: 1000 } })
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const id = `call_racing_${n}`
      let count = 0
      const answer = s.execute({ id, name: 'quick', args: { n } }).then(given => {
        count += 1
        return given
      })
      const cancelled = await new Promise(resolve => setTimeout(() => resolve(s.cancel(id)), n % 3))
      return [(await answer).error?.type ?? 'ok', cancelled, count]
    }),
  )
  for (const [type, cancelled, count] of answers) expect([type, count]).toEqual([cancelled ? 'CANCELLED' : 'ok', 1])
  await eventually(() => s.cancelAll() === 0, 'something still waits')
})
