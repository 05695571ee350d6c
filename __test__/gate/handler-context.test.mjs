// What a handler is given, and how it is stopped.
import { validateToolResponse } from '../../index.js'
import { eventually, gateway, openGate, probe } from '../support/gate.mjs'

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

describe('stopping', () => {
  /** A handler that says when it has been started, and its signal; it ends as the test lets it. */
  function held() {
    const started = gateway()
    const end = gateway()
    const execute = async context => {
      execute.signal = context.signal
      execute.runs = (execute.runs ?? 0) + 1
      started.open()
      return { ok: true, data: await end.passed }
    }
    return { execute, started: started.passed, end: end.open }
  }
  const never = () => new Promise(() => {})

  test('a read that never settles times out, and its signal says why', async () => {
    let signal
    const { call, registry } = await probe(
      context => {
        signal = context.signal
        return never()
      },
      { kind: 'read', timeoutMs: 20, retry: { maxAttempts: 1 } },
    )
    const answer = await call()
    expect(validateToolResponse(answer)).toBe(true)
    expect(answer.error).toMatchObject({
      type: 'TRANSIENT',
      retryable: true,
      partialSideEffects: false,
      details: { reason: 'timeout', timeoutMs: 20 },
    })
    await eventually(() => signal.aborted, 'the signal did not abort')
    expect([signal.reason.name, signal.reason.message]).toEqual(['TimeoutError', 'timeout'])
    expect(registry.getMetrics().probe.text).toMatchObject({ timeouts: 1 })
  })

  test('a write that times out may have taken effect; a replay says so, then has the late result', async () => {
    const { execute, end } = held()
    const { session, lines } = await probe(execute, { kind: 'write', timeoutMs: 20 })
    const run = () => session.execute({ id: 'call_late_write', name: 'probe' })
    expect((await run()).error).toMatchObject({
      type: 'TRANSIENT',
      retryable: false,
      partialSideEffects: true,
      details: { reason: 'timeout' },
    })
    const unknown = await run()
    expect(unknown.error).toMatchObject({
      type: 'CONFLICT',
      retryable: false,
      partialSideEffects: true,
      details: { outcome: 'unknown' },
    })
    end('done after all')
    await eventually(() => lines.some(({ late }) => late === true), 'the late end was not told')
    expect(await run()).toMatchObject({ ok: true, data: 'done after all', meta: { _idempotent_cache_hit: true } })
    expect(execute.runs).toBe(1)
  })

  test('the intents of a late result are dropped, and told', async () => {
    const end = gateway()
    const late = async () => {
      await end.passed
      return { ok: true, intents: [{ type: 'SUPPRESS_AUDIO', value: true }] }
    }
    const { call, lines, session } = await probe(late, { kind: 'write', timeoutMs: 20 })
    await call()
    end.open()
    await eventually(() => lines.some(({ event }) => event === 'intent_dropped'), 'the intent was not told')
    expect(session.state.get('shouldSuppressAudio')).toBe(false)
  })

  test("a cancelled read is aborted with the canceller's reason", async () => {
    const { execute, started } = held()
    const { session } = await probe(execute, { kind: 'read' })
    const answer = session.execute({ id: 'call_to_cancel', name: 'probe' })
    await started
    expect(session.cancel('call_to_cancel', 'barge-in')).toBe(true)
    expect(session.cancel('call_to_cancel', 'again')).toBe(false)
    expect((await answer).error).toMatchObject({
      type: 'CANCELLED',
      retryable: false,
      partialSideEffects: false,
      details: { outcome: 'aborted', reason: 'barge-in' },
    })
    await eventually(() => execute.signal.aborted, 'the signal did not abort')
    expect([execute.signal.reason.name, execute.signal.reason.message]).toEqual(['AbortError', 'barge-in'])
  })

  test('a cancelled write runs on: its outcome is unknown, then it is recorded', async () => {
    const { execute, started, end } = held()
    const { session, lines } = await probe(execute, { kind: 'write' })
    const run = () => session.execute({ id: 'call_write_cancel', name: 'probe' })
    const answer = run()
    await started
    expect(session.cancel('call_write_cancel')).toBe(true)
    expect((await answer).error).toMatchObject({
      type: 'CANCELLED',
      partialSideEffects: true,
      details: { outcome: 'unknown' },
    })
    expect(execute.signal.aborted).toBe(false)
    end('committed')
    await eventually(() => lines.some(({ event }) => event === 'tool_execution'), 'its end was not told')
    expect(await run()).toMatchObject({ ok: true, data: 'committed', meta: { _idempotent_cache_hit: true } })
    expect(session.cancel('call_write_cancel')).toBe(false)
    expect(execute.runs).toBe(1)
  })

  test('a signal that is first read after the abort is aborted', async () => {
    const end = gateway()
    const signals = {}
    const slow = async context => {
      await end.passed
      signals.slow = context.signal
    }
    const witness = context => {
      signals.witness = context.signal
      return never()
    }
    const { session } = await openGate({
      slow: { kind: 'read', execute: slow },
      witness: { kind: 'read', execute: witness },
    })
    const s = await session()
    for (const name of ['slow', 'witness']) {
      const answer = s.execute({ id: `call_of_${name}`, name })
      await eventually(() => name === 'slow' || signals.witness !== undefined, 'the witness did not start')
      s.cancel(`call_of_${name}`)
      await answer
    }
    // Aborts arrive in order: once the later one has, the earlier one has too.
    await eventually(() => signals.witness.aborted, 'the witness was not aborted')
    end.open()
    await eventually(() => signals.slow !== undefined, 'the handler did not go on')
    expect(signals.slow.aborted).toBe(true)
  })

  test('a handler that ended has a quiet signal', async () => {
    const { context, session } = await contextOf()
    expect(session.cancelAll()).toBe(0)
    expect(context.signal.aborted).toBe(false)
  })

  test('calls beside one that never settles are served', async () => {
    const { session } = await openGate({ stuck: { execute: never, timeoutMs: false }, echo: { properties: { n: {} } } })
    const s = await session()
    const stuck = s.execute({ id: 'call_stuck_1', name: 'stuck' })
    for (let n = 0; n < 5; n += 1)
      expect((await s.execute({ id: `call_beside_${n}`, name: 'echo', args: { n } })).data).toEqual({ n })
    s.cancelAll('enough')
    expect((await stuck).error.type).toBe('CANCELLED')
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
