// How calls run, as far as it is JavaScript's: attempts, what handlers say and call, listeners, and cancellation.
import { ToolError } from '../../index.js'
import { eventLoop, eventually, gateway, openGate, probe } from '../support/gate.mjs'

const quick = { retry: { maxAttempts: 3, baseDelayMs: 1 } }
const ok = data => ({ ok: true, data })

describe('attempts', () => {
  const failing = (...errors) => {
    const seen = []
    const execute = ({ meta }) => {
      seen.push([meta.attempt, meta.idempotencyKey])
      if (errors.length >= meta.attempt) throw errors[meta.attempt - 1]
      return ok(meta.attempt)
    }
    return { seen, execute }
  }

  test('network failures, statuses and what says so are tried again, with one key', async () => {
    const { seen, execute } = failing(
      Object.assign(new Error('x'), { code: 'ECONNRESET' }),
      Object.assign(new Error('x'), { response: { status: 503 } }),
    )
    const { call, thrown } = await probe(execute, quick)
    const answer = await call()
    expect(answer).toMatchObject({ ok: true, data: 3, meta: { attempts: 3 } })
    expect(new Set(seen.map(([, key]) => key)).size).toBe(1)
    expect(seen.map(([attempt]) => attempt)).toEqual([1, 2, 3])
    expect(thrown).toHaveLength(2)
  })

  test('each attempt has arguments of its own', async () => {
    const { call } = await probe(
      ({ args, meta }) => {
        args.list.push(meta.attempt)
        if (meta.attempt === 1) throw new ToolError('TRANSIENT', 'busy')
        return ok(args.list)
      },
      { ...quick, properties: { list: { type: 'array' } } },
    )
    expect((await call({ list: [] })).data).toEqual([2])
  })

  test('a write is never tried again, and its bare TRANSIENT may have happened', async () => {
    const { seen, execute } = failing(new ToolError('TRANSIENT', 'no connection'))
    const { call } = await probe(execute, { kind: 'write', ...quick })
    expect((await call()).error).toMatchObject({ type: 'TRANSIENT', retryable: false, partialSideEffects: true })
    expect(seen).toHaveLength(1)
  })

  test('a write that says nothing was sent is retryable, for the model', async () => {
    const { seen, execute } = failing(new ToolError('TRANSIENT', 'queue is full', { retryable: true }))
    const { call } = await probe(execute, { kind: 'write', ...quick })
    expect((await call()).error).toMatchObject({ type: 'TRANSIENT', retryable: true, partialSideEffects: false })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['seconds', () => ({ 'retry-after': '60' })],
    ['a date', () => new Headers({ 'Retry-After': new Date(Date.now() + 60_000).toUTCString() })],
    ['milliseconds', () => ({ 'retry-after-ms': '60000' })],
  ])('Retry-After in %s that is past the deadline is not waited for', async (_how, headers) => {
    const { seen, execute } = failing(Object.assign(new Error('x'), { status: 429, headers: headers() }))
    const { call } = await probe(execute, { ...quick, timeoutMs: 5000 })
    const { error } = await call()
    expect(error).toMatchObject({ type: 'TRANSIENT', retryable: true })
    expect(error.retryAfterMs).toBeGreaterThan(30_000)
    expect(seen).toHaveLength(1)
  })
})

describe('progress', () => {
  test('news go to the listener as copies, until the call is answered', async () => {
    const heard = []
    let late
    const { call } = await probe(
      ({ progress }) => {
        late = progress
        const update = { done: 1, of: [2] }
        const told = progress(update)
        update.of.push(3)
        return ok([told, progress(undefined), progress(1n), progress('x'.repeat(20_000))])
      },
      {},
      { onProgress: news => heard.push(news) },
    )
    expect((await call({}, 'call_progress_1')).data).toEqual([true, false, false, false])
    expect(heard).toEqual([{ toolId: 'probe', callId: 'call_progress_1', update: { done: 1, of: [2] } }])
    expect(late('more')).toBe(false)
    expect(heard).toHaveLength(1)
  })

  test('at most a hundred of one call; a listener that throws harms none', async () => {
    let count = 0
    const { call, thrown } = await probe(
      ({ progress }) => ok(Array.from({ length: 150 }, (_, n) => progress(n)).filter(Boolean).length),
      {},
      {
        onProgress() {
          count += 1
          throw new Error('listener')
        },
      },
    )
    expect((await call()).data).toBe(100)
    expect([count, thrown.length]).toEqual([100, 100])
  })

  test('nothing after a cancellation, and without a listener nobody minds', async () => {
    const heard = []
    const started = gateway()
    const end = gateway()
    let said
    let stopped
    const { session, call } = await probe(
      async ({ progress, signal }) => {
        stopped = signal
        started.open()
        await end.passed
        said = progress(1)
        return ok()
      },
      {},
      { onProgress: news => heard.push(news) },
    )
    const answer = call({}, 'call_cancelled_1')
    await started.passed
    session.cancel('call_cancelled_1')
    expect((await answer).error.type).toBe('CANCELLED')
    await eventually(() => stopped.aborted, 'the handler is told to stop')
    end.open()
    await eventLoop()
    expect([said, heard]).toEqual([false, []])
    const { call: unheard } = await probe(({ progress }) => ok(progress('x')))
    expect((await unheard()).data).toBe(true)
  })
})

describe('calls within calls', () => {
  const family = async (options = {}, registryOptions = {}) => {
    const answers = []
    const gate = await openGate(
      {
        parent: {
          properties: { tool: {}, args: {} },
          execute: async ({ args, callTool }) => {
            const answer = await callTool(args.tool, args.args)
            answers.push(answer)
            return ok(answer)
          },
        },
        child: {
          kind: 'read',
          properties: { n: { type: 'integer' } },
          execute: ({ args, meta }) => ok({ n: args.n, key: meta.idempotencyKey }),
        },
        pay: { kind: 'write', requiresConfirmation: true, properties: { n: {} }, execute: () => ok('paid') },
      },
      registryOptions,
    )
    return { ...gate, s: await gate.session(options), answers }
  }
  const through = (s, tool, args, id = 'call_parent_1') => s.execute({ id, name: 'parent', args: { tool, args } })

  test('resolve with the whole answer, whatever it is', async () => {
    const { s, answers } = await family()
    await through(s, 'child', { n: 1 })
    await through(s, 'child', { n: 'x' }, 'call_parent_2')
    await through(s, 'nope', undefined, 'call_parent_3')
    await through(s, 'child', '{', 'call_parent_4')
    expect(answers.map(({ ok: fine, error, meta }) => [fine, error?.type, meta.parentCallId])).toEqual([
      [true, undefined, 'call_parent_1'],
      [false, 'VALIDATION', 'call_parent_2'],
      [false, 'NOT_FOUND', 'call_parent_3'],
      [false, 'VALIDATION', 'call_parent_4'],
    ])
  })

  test("a confirmation is asked for, its token is the host's alone", async () => {
    const { s, answers } = await family()
    await through(s, 'pay', { n: 1 })
    const [{ error }] = answers
    expect(error).toMatchObject({
      type: 'CONFIRMATION_REQUIRED',
      confirmation_request: { tool: 'pay', args: { n: 1 } },
    })
    expect(JSON.stringify(answers)).not.toContain('tgc_')
    const [{ token }] = await s.listPending()
    expect((await s.confirm(token)).data).toBe('paid')
  })

  test('listeners hear of them too', async () => {
    const calls = []
    const uses = []
    const { s } = await family({
      onToolCall: ({ name }) => calls.push(name),
      onCapabilityUsed: ({ toolId }) => uses.push(toolId),
    })
    await through(s, 'child', { n: 1 })
    expect([calls.sort(), uses]).toEqual([
      ['child', 'parent'],
      ['child', 'parent'],
    ])
  })

  test('from a context that is over they are refused', async () => {
    let kept
    const { call } = await probe(({ callTool }) => {
      kept = callTool
      return ok()
    })
    await call()
    expect((await kept('probe')).error).toMatchObject({ type: 'CANCELLED', details: { outcome: 'aborted' } })
  })
})

describe('listeners', () => {
  test('a write whose caller was cancelled was used all the same, once', async () => {
    const uses = []
    const end = gateway()
    const started = gateway()
    const { session, call } = await probe(
      async () => {
        started.open()
        await end.passed
        return ok()
      },
      { kind: 'write' },
      { onCapabilityUsed: use => uses.push(use) },
    )
    const answer = call({}, 'call_shielded_1')
    await started.passed
    session.cancel('call_shielded_1', 'barge-in')
    expect((await answer).error).toMatchObject({
      type: 'CANCELLED',
      partialSideEffects: true,
      details: { outcome: 'unknown' },
    })
    end.open()
    await eventually(async () => (await call({}, 'call_shielded_1')).ok, 'the write has ended')
    expect(uses).toEqual([{ toolId: 'probe', callId: 'call_shielded_1', turn: 1 }])
  })

  test('tracking fires once, after retries succeeded', async () => {
    const uses = []
    const calls = []
    const { call } = await probe(
      ({ meta }) => {
        if (meta.attempt < 3) throw new ToolError('TRANSIENT', 'busy')
        return ok()
      },
      quick,
      {
        onCapabilityUsed: use => uses.push(use),
        onToolCall: made => calls.push(made.name),
      },
    )
    expect((await call({}, 'call_tracked_1')).meta.attempts).toBe(3)
    expect([uses.length, calls]).toEqual([1, ['probe']])
  })
})

describe('limits', () => {
  test('a full queue refuses, and the session goes on', async () => {
    const end = gateway()
    const { session } = await openGate(
      {
        slow: {
          properties: { n: {} },
          execute: async () => {
            await end.passed
            return ok()
          },
        },
      },
      { limits: { sessionCalls: 2, queuedCalls: 1 } },
    )
    const s = await session({ policy: { totalCalls: 100 } })
    const answers = [1, 2, 3, 4].map(n => s.execute({ name: 'slow', args: { n } }))
    expect((await answers[3]).error).toMatchObject({
      type: 'TRANSIENT',
      retryable: true,
      retryAfterMs: 1000,
      partialSideEffects: false,
    })
    end.open()
    expect((await Promise.all(answers)).map(({ ok: fine }) => fine)).toEqual([true, true, true, false])
    expect((await s.execute({ name: 'slow', args: { n: 4 } })).ok).toBe(true)
  })

  test.each([
    ['a negative number', { sessionCalls: -1 }],
    ['a fraction', { queueMs: 1.5 }],
    ['an unknown one', { calls: 1 }],
  ])('%s is refused', async (_what, limits) => {
    await expect(openGate({ any: {} }, { limits })).rejects.toThrow(TypeError)
  })
})
