// How running handlers are stopped: by their deadlines and by who cancels.
import { validateToolResponse } from '../../index.js'
import { eventually, gateway, openGate, probe } from '../support/gate.mjs'

/** A deadline of a handler that has begun: one that is due before this thread comes to it is not started. */
const SOON_MS = 500

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
      { kind: 'read', timeoutMs: SOON_MS, retry: { maxAttempts: 1 } },
    )
    const answer = await call()
    expect(validateToolResponse(answer)).toBe(true)
    expect(answer.error).toMatchObject({
      type: 'TRANSIENT',
      retryable: true,
      partialSideEffects: false,
      details: { reason: 'timeout', timeoutMs: SOON_MS },
    })
    await eventually(() => signal?.aborted, 'the signal did not abort')
    expect([signal.reason.name, signal.reason.message]).toEqual(['TimeoutError', 'timeout'])
    expect(registry.getMetrics().probe.text).toMatchObject({ timeouts: 1 })
  })

  test('a write that times out may have taken effect; a replay says so, then has the late result', async () => {
    const { execute, end } = held()
    const { session, lines } = await probe(execute, { kind: 'write', timeoutMs: SOON_MS })
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
    const { call, lines, session } = await probe(late, { kind: 'write', timeoutMs: SOON_MS })
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
