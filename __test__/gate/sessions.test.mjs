// Sessions: replays, joins, budgets, turns, attachments, state.
import { validateToolResponse } from '../../index.js'
import { eventually, gateway, openGate } from '../support/gate.mjs'

const NUMBER = { properties: { n: {} } }

/** Tools that count their runs; `held` waits for the test. */
async function open(options) {
  const runs = []
  const hold = gateway()
  const note =
    name =>
    ({ args }) => {
      runs.push([name, args])
      return { ok: true, data: { name, ...args } }
    }
  const gate = await openGate(
    {
      look: { kind: 'read', ...NUMBER, execute: note('look') },
      make: { kind: 'write', ...NUMBER, execute: note('make') },
      plain: { ...NUMBER, execute: note('plain') },
      mail: {
        properties: {
          to: { type: 'string', format: 'email' },
          at: { type: 'string', format: 'date-time' },
          kind: { enum: ['a', 'b'] },
          body: {
            type: 'object',
            additionalProperties: false,
            properties: { lines: { type: 'array', items: { type: 'string' } } },
          },
        },
        required: ['to'],
        execute: note('mail'),
      },
      held: {
        kind: 'read',
        ...NUMBER,
        execute: async ({ args }) => {
          runs.push(['held', args])
          await hold.passed
          return { ok: true, data: { list: [1], ...args } }
        },
      },
      admin: { requiredRoles: ['admin'], execute: note('admin') },
      starts_voice: { allowedModes: ['text'], execute: note('starts_voice') },
      ends_voice: { allowedModes: ['voice'], execute: note('ends_voice') },
      says: {
        properties: { intents: { type: 'array' }, data: {} },
        execute: ({ args }) => ({ ok: true, data: args.data, intents: args.intents }),
      },
    },
    options,
  )
  return { ...gate, runs, release: hold.open }
}

const types = answers => answers.map(({ error }) => error?.type ?? 'ok')

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

  test('two stable ids run twice, two unstable ids share a key and run once', async () => {
    const { session, runs } = await open()
    const s = await session()
    for (const id of [
      'call_stable_1',
      'call_stable_2',
      'call_1',
      'temp_0001_x',
      'plain:0',
      'functions.plain:1',
      'plain_2',
    ])
      await s.execute({ id, name: 'plain', args: { n: 1 } })
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
    ['a wrong nested value', { to: 'a@example.org', body: { lines: ['x', 5] } }, '/body/lines/1', 'type'],
  ])('%s has the right pointer', async (_what, args, instancePath, keyword) => {
    const { session } = await open()
    const { error } = await (await session()).execute({ name: 'mail', args })
    expect(error).toMatchObject({ type: 'VALIDATION', retryable: false, details: [{ instancePath, keyword }] })
  })
})

describe('budgets and loops', () => {
  test('voice: the third retrieval and the fourth call are refused, the next turn starts fresh', async () => {
    const { session, runs, registry } = await open()
    const s = await session({ mode: 'voice' })
    await s.beginTurn()
    const turn = async () =>
      types([
        await s.execute({ name: 'look', args: { n: 1 } }),
        await s.execute({ name: 'look', args: { n: 2 } }),
        await s.execute({ name: 'look', args: { n: 3 } }),
        await s.execute({ name: 'plain', args: { n: 4 } }),
        await s.execute({ name: 'plain', args: { n: 5 } }),
      ])
    expect(await turn()).toEqual(['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'BUDGET_EXCEEDED'])
    await s.beginTurn()
    expect(await turn()).toEqual(['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'BUDGET_EXCEEDED'])
    expect(runs).toHaveLength(6)
    expect(registry.getMetrics().look.voice.errors).toEqual({ BUDGET_EXCEEDED: 2 })
  })

  test('a refusal is not stored: the same id runs in the next turn', async () => {
    const { session } = await open()
    const s = await session({ policy: { totalCalls: 1 } })
    await s.beginTurn()
    const call = { id: 'call_refused_1', name: 'plain', args: {} }
    await s.execute({ name: 'plain', args: { n: 0 } })
    const first = await s.execute(call)
    await s.beginTurn()
    expect(types([first, await s.execute(call)])).toEqual(['BUDGET_EXCEEDED', 'ok'])
    expect(first.error.suggestion).toMatch(/next turn/)
  })

  test('the same call with the same outcome: a warning at three, refused at five', async () => {
    const { session, runs } = await open()
    const s = await session()
    const answers = []
    for (let n = 1; n <= 5; n += 1)
      answers.push(await s.execute({ id: `call_looping_${n}`, name: 'plain', args: { n: 0 } }))
    expect(types(answers)).toEqual(['ok', 'ok', 'ok', 'ok', 'LOOP_DETECTED'])
    expect(answers.map(({ meta }) => meta.warnings?.length ?? 0)).toEqual([0, 0, 1, 0, 0])
    expect(runs).toHaveLength(4)
  })

  test('a user who repeats a question in five turns is no loop', async () => {
    const { session } = await open()
    const s = await session()
    for (let n = 0; n < 6; n += 1) {
      await s.beginTurn()
      expect((await s.execute({ name: 'look', args: { n: 0 } })).ok).toBe(true)
    }
  })

  test('tools of another mode are restricted, and the suggestion says where they are', async () => {
    const { session } = await open()
    const voice = await (await session({ mode: 'voice' })).execute({ name: 'starts_voice' })
    const text = await (await session()).execute({ name: 'ends_voice' })
    expect(types([voice, text])).toEqual(['MODE_RESTRICTED', 'MODE_RESTRICTED'])
    expect([voice.error.suggestion, text.error.suggestion].map(said => /text|voice/.exec(said)[0])).toEqual([
      'text',
      'voice',
    ])
  })

  test('roles', async () => {
    const { session } = await open()
    const run = async roles => (await session({ roles })).execute({ name: 'admin' })
    expect(types([await run([]), await run(['user']), await run(['user', 'admin'])])).toEqual(['AUTH', 'AUTH', 'ok'])
  })
})

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
    const steps = name => async () => {
      log.push(`+${name}`)
      await new Promise(resolve => setTimeout(resolve, name === 'r1' ? 30 : 1))
      log.push(`-${name}`)
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
