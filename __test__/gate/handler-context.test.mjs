// What a handler is given.
import { eventually, openGate, probe } from '../support/gate.mjs'

/** Runs a handler that keeps its context. */
async function contextOf(sessionOptions = {}, fields = {}, call = {}) {
  let seen
  const opened = await probe(
    context => {
      seen = context
      return { ok: true }
    },
    fields,
    sessionOptions,
  )
  const answer = await opened.session.execute({ name: 'probe', ...call })
  expect(answer.ok).toBe(true)
  return { ...opened, context: seen, answer }
}

describe('the context', () => {
  test('works whole and taken apart', async () => {
    const { context } = await contextOf({}, { properties: { n: { type: 'integer', default: 3 } } })
    const { args, context: same } = context
    expect(same).toBe(context)
    expect(args).toEqual({ n: 3 })
    const { mode, session, messaging, audit, voice, services, meta, signal, capabilities } = context
    expect([mode, session.mode, services]).toEqual(['text', 'text', {}])
    for (const part of [messaging, audit, voice, meta, signal, capabilities]) expect(typeof part).toBe('object')
  })

  test('arguments are fresh for each call', async () => {
    const seen = []
    const { call } = await probe(
      ({ args }) => {
        seen.push(args)
        args.list.push(2)
        return { ok: true, data: args }
      },
      { properties: { list: { type: 'array' } } },
    )
    const args = { list: [1] }
    await call(args, 'call_fresh_args_1')
    await call(args, 'call_fresh_args_2')
    expect(args).toEqual({ list: [1] })
    expect(seen).toEqual([{ list: [1, 2] }, { list: [1, 2] }])
    expect(seen[0]).not.toBe(seen[1])
  })

  test('what the host passed, and null where it passed nothing', async () => {
    const ws = { readyState: 1, send() {} }
    const gemini = {}
    const { context } = await contextOf({ clientId: 'client-1', ws, geminiSession: gemini })
    expect([context.clientId, context.ws, context.geminiSession]).toEqual(['client-1', ws, gemini])
    expect(context.ws).toBe(ws)
    expect(context.tool).toEqual({ id: 'probe', version: context.meta.version, idempotent: true })
    expect(Object.isFrozen(context.tool)).toBe(true)
    const { context: bare } = await contextOf()
    expect([bare.clientId, bare.ws, bare.geminiSession]).toEqual([null, null, null])
  })

  test('services of registry and session, by name too; a service never hides a member', async () => {
    let seen
    const { session } = await openGate(
      {
        probe: {
          execute: context => {
            seen = context
            return { ok: true }
          },
        },
      },
      { services: { kb: 'registry', llm: 'registry' } },
    )
    const s = await session({ services: { llm: 'session', args: 'hides', meta: 'hides', constructor: 'hides' } })
    await s.execute({ name: 'probe' })
    expect([seen.kb, seen.llm, seen.services.kb, seen.services.llm, seen.services.args]).toEqual([
      'registry',
      'session',
      'registry',
      'session',
      'hides',
    ])
    expect(seen.args).toEqual({})
    expect(seen.meta.toolId).toBe('probe')
  })

  test('the state is a frozen snapshot', async () => {
    const { context, session } = await contextOf({ state: { cart: { items: [1] } } })
    const { state } = context.session
    expect(state).toMatchObject({ mode: 'text', isActive: true, cart: { items: [1] } })
    expect(Object.isFrozen(context.session) && Object.isFrozen(state) && Object.isFrozen(state.cart.items)).toBe(true)
    session.state.set('cart', null)
    expect(state.cart).toEqual({ items: [1] })
    expect(context.session).toMatchObject({
      sessionId: session.sessionId,
      isActive: true,
      toolsVersion: session.toolsVersion,
    })
  })

  test('meta says which call it is', async () => {
    const { context, answer } = await contextOf(
      { sessionId: 'meta-session' },
      { kind: 'read', properties: { top_k: { type: 'integer' } }, timeoutMs: 5000 },
      { id: 'call_meta_1' },
    )
    expect(context.meta).toMatchObject({
      toolId: 'probe',
      version: '1.0.0',
      category: 'retrieval',
      callId: 'call_meta_1',
      attempt: 1,
      clamped: [],
    })
    expect(context.meta.idempotencyKey).toMatch(/^tg_[0-9a-f]{32}$/)
    expect(context.meta.idempotencyKey).toBe(answer.meta.idempotencyKey)
    expect(context.meta.deadline).toBeGreaterThan(Date.now() - 60_000)
    expect(Object.isFrozen(context.meta)).toBe(true)
  })

  test('a tool without a deadline has none, a call without an id has none', async () => {
    const { context } = await contextOf({}, { timeoutMs: false })
    expect([context.meta.deadline, context.meta.callId]).toEqual([null, null])
  })

  test('the key is the same for the same call and differs across sessions', async () => {
    const keys = []
    for (const sessionId of ['one', 'one', 'two'])
      keys.push((await contextOf({ sessionId }, {}, { id: 'call_keys_123' })).context.meta.idempotencyKey)
    expect(keys[0]).toBe(keys[1])
    expect(keys[0]).not.toBe(keys[2])
  })

  test.each([
    ['voice', true],
    ['text', false],
  ])('voice in %s mode is active: %p', async (mode, active) => {
    const { context } = await contextOf({ mode })
    expect([context.voice.isActive(), context.capabilities]).toEqual([
      active,
      { messaging: false, voice: active, audit: true },
    ])
  })

  test('audit.log is a line with the tool, the call and the data', async () => {
    const { session, lines } = await probe(({ audit }) => {
      audit.log('seen', { n: 1, cut: '\ud83d' })
      audit.log('bare')
      audit.log('unwritable', { n: 1n })
      return { ok: true }
    })
    await session.execute({ id: 'call_logs_1', name: 'probe' })
    await eventually(() => lines.some(({ event }) => event === 'tool_execution'), 'the lines did not come')
    const logged = lines.filter(({ event }) => event === 'tool_log')
    expect(logged.map(({ name, data }) => [name, data])).toEqual([
      ['seen', { n: 1, cut: '\ufffd' }],
      ['bare', null],
      ['unwritable', null],
    ])
    for (const line of logged)
      expect(line).toMatchObject({
        toolId: 'probe',
        callId: 'call_logs_1',
        sessionId: session.sessionId,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      })
  })

  test('a handler that ended has a quiet signal', async () => {
    const { context, session } = await contextOf()
    expect(session.cancelAll()).toBe(0)
    expect(context.signal.aborted).toBe(false)
  })
})

describe('messaging', () => {
  const send = ({ messaging }) => {
    messaging.send({ type: 'hi' })
    return { ok: true }
  }
  const sendLater = async ({ messaging }) => {
    await messaging.send({ type: 'hi' })
    return { ok: true }
  }
  const gone = { type: 'TRANSIENT', message: expect.stringContaining('not connected') }

  test.each([
    ['a function', sent => ({ messaging: message => sent.push(message) }), [{ type: 'hi' }]],
    ['an object with send', sent => ({ messaging: { send: message => sent.push(message) } }), [{ type: 'hi' }]],
    ['an open socket', sent => ({ ws: { readyState: 1, send: text => sent.push(text) } }), ['{"type":"hi"}']],
  ])('goes to %s', async (_what, options, expected) => {
    const sent = []
    const { call } = await probe(send, {}, options(sent))
    expect((await call()).ok).toBe(true)
    expect(sent).toEqual(expected)
  })

  test.each([
    ['where there is none', {}],
    [
      'over a closed socket',
      {
        ws: {
          readyState: 3,
          send() {
            throw new Error('never asked')
          },
        },
      },
    ],
    ['over a closing socket', { ws: { readyState: 2, send() {} } }],
    [
      'through a host that throws',
      {
        messaging: () => {
          throw new Error('secret address')
        },
      },
    ],
    [
      'through a host that throws nothing',
      {
        messaging: () => {
          throw undefined
        },
      },
    ],
  ])('%s is TRANSIENT', async (_what, options) => {
    const { call } = await probe(send, { retry: { maxAttempts: 1 } }, options)
    const answer = await call()
    expect(answer.error).toMatchObject(gone)
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  test('through a host whose promise is rejected is TRANSIENT where it is awaited', async () => {
    const { call } = await probe(
      sendLater,
      { retry: { maxAttempts: 1 } },
      {
        messaging: async () => {
          throw new Error('secret')
        },
      },
    )
    expect((await call()).error).toMatchObject(gone)
  })
})

test('messaging.send is a promise, whose failure a handler may catch', async () => {
  const best = ({ messaging }) =>
    messaging
      .send({ type: 'note' })
      .catch(error => error.type)
      .then(told => ({ ok: true, data: { told: told ?? null } }))
  const late = async ({ messaging }) => {
    void messaging.send({ type: 'note' }).catch(() => {})
    return { ok: true }
  }
  const refuse = async () => {
    throw new Error('gone')
  }
  for (const [messaging, told] of [
    [() => {}, null],
    [refuse, 'TRANSIENT'],
    [undefined, 'TRANSIENT'],
  ]) {
    expect((await (await probe(best, {}, { messaging })).call()).data).toEqual({ told })
    expect((await (await probe(late, {}, { messaging })).call()).ok).toBe(true)
  }
})
