// Work that outlasts the turn: calls that are answered before they end, results that are delivered once, and calls that are
// completed from elsewhere.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createRegistry, failure, pending, success, ToolError, toResultNote } from '../../index.js'
import { eventually, gateway, openGate } from '../support/gate.mjs'
import { delivered, next } from '../support/results.mjs'
import { afterTest } from '../support/tool-set.mjs'

const now = { background: true }
/** A deadline that comes soon, and after a handler has left its call. */
const LEAVING_MS = 500

/** A session that takes results. */
async function taking(tools, options) {
  const gate = await openGate(tools, options)
  const session = await gate.session()
  for await (const _ of session.results({ wait: false }));
  return { ...gate, session }
}

describe('a background call', () => {
  test.each(['read', 'write'])('of a %s is answered at once, and its result comes once', async kind => {
    const held = gateway()
    const execute = async () => (await held.passed, success({ sum: 3 }))
    const { session, lines, registry } = await taking({ add: { kind, execute, ...now } })
    const first = await session.execute({ id: 'call_12345678', name: 'add', args: {} })
    expect(first).toMatchObject({
      ok: true,
      data: { status: 'running', callId: 'call_12345678' },
      meta: { pending: true },
    })
    expect(await session.backgroundCalls()).toEqual([
      { callId: 'call_12345678', toolId: 'add', turn: 1, startedAt: expect.any(Number), running: true },
    ])
    const again = await session.execute({ id: 'call_12345678', name: 'add', args: {} })
    expect(again).toMatchObject({ data: { status: 'running' }, meta: { pending: true, _idempotent_cache_hit: true } })
    held.open()
    const result = await next(session)
    expect(result).toMatchObject({ toolId: 'add', callId: 'call_12345678', turn: 1 })
    expect(result.response).toMatchObject({ ok: true, data: { sum: 3 }, meta: { callId: 'call_12345678' } })
    expect(result.response.meta).not.toHaveProperty('pending')
    expect([await result.accept(), await result.accept()]).toEqual([true, false])
    expect(await delivered(session)).toEqual([])
    expect(await session.backgroundCalls()).toEqual([])
    const replay = await session.execute({ id: 'call_12345678', name: 'add', args: {} })
    expect(replay).toMatchObject({ data: { sum: 3 }, meta: { _idempotent_cache_hit: true } })
    const events = lines.map(line => line.event).filter(event => /deferred|delivered/.test(event))
    expect(events).toEqual(['tool_deferred', 'result_delivered'])
    expect(registry.getMetrics().add.total).toMatchObject({ deferred: 1, results: { delivered: 1 } })
  })

  test('that ends in time has one answer and no result', async () => {
    const { session } = await taking({ add: { execute: () => success(1), background: { afterMs: 20_000 } } })
    expect(await session.execute({ id: 'a', name: 'add', args: {} })).toMatchObject({ ok: true, data: 1 })
    expect(await delivered(session)).toEqual([])
  })

  test('waits for its result where nobody takes results', async () => {
    const { session } = await openGate({ add: { execute: async () => success(1), ...now } }).then(async gate => ({
      session: await gate.session(),
    }))
    expect(await session.execute({ id: 'a', name: 'add', args: {} })).toMatchObject({ ok: true, data: 1 })
  })

  test('within a handler waits for its result', async () => {
    const tools = {
      outer: { execute: async context => success((await context.callTool('inner', {})).data) },
      inner: { execute: async () => success('inside'), ...now },
    }
    const { session } = await taking(tools)
    expect(await session.execute({ id: 'a', name: 'outer', args: {} })).toMatchObject({ ok: true, data: 'inside' })
  })

  test('fails as any call, and its deadline is a result', async () => {
    const tools = {
      breaks: { execute: async () => failure('PERMANENT', 'no such folder'), ...now },
      hangs: { kind: 'write', execute: () => new Promise(() => {}), timeoutMs: 20, ...now },
    }
    const { session } = await taking(tools)
    await session.execute({ id: 'a', name: 'breaks', args: {} })
    const first = await next(session)
    expect(first.response).toMatchObject({ ok: false, error: { type: 'PERMANENT', message: 'no such folder' } })
    await first.accept()
    await session.execute({ id: 'b', name: 'hangs', args: {} })
    const second = await next(session)
    expect(second.response.error).toMatchObject({
      type: 'TRANSIENT',
      details: { reason: 'timeout', outcome: 'unknown' },
    })
  })

  test('is cancelled by its effect class', async () => {
    const held = gateway()
    const execute = async ({ signal }) => {
      await Promise.race([held.passed, new Promise(resolve => signal.addEventListener('abort', resolve))])
      return success('done')
    }
    const { session } = await taking({ look: { execute, ...now }, send: { kind: 'write', execute, ...now } })
    await session.execute({ id: 'look_1234567', name: 'look', args: {} })
    await session.execute({ id: 'send_1234567', name: 'send', args: {} })
    expect(await session.cancelBackground('look_1234567', 'never mind')).toBe('aborted')
    expect(await session.cancelBackground('send_1234567', 'never mind')).toBe('unknown')
    expect(await session.cancelBackground('other')).toBe(null)
    const first = await next(session)
    expect(first.response.error).toMatchObject({
      type: 'CANCELLED',
      details: { outcome: 'aborted', reason: 'never mind' },
    })
    await first.accept()
    held.open()
    const second = await next(session)
    expect(second.response).toMatchObject({ ok: true, data: 'done' })
  })

  test('is over with its session', async () => {
    const { session } = await taking({ add: { execute: () => new Promise(() => {}), ...now } })
    await session.execute({ id: 'a', name: 'add', args: {} })
    const waiting = next(session)
    await session.end()
    expect(await waiting).toBe(undefined)
  })
})

describe('a delivery', () => {
  const tools = { add: { execute: async () => success('sum'), ...now } }

  test('is held by one attachment, and offered again if that one leaves', async () => {
    const { session, registry } = await taking(tools)
    const other = await registry.createSession({ mode: 'text', sessionId: session.sessionId })
    await session.execute({ id: 'a', name: 'add', args: {} })
    const held = await next(session)
    expect(await delivered(other)).toEqual([])
    const waiting = next(other)
    await session.detach()
    const taken = await waiting
    expect(taken.response.data).toBe('sum')
    expect([await held.accept(), await taken.accept()]).toEqual([false, true])
  })

  test('is a message for a model whose call was answered before', async () => {
    const { session } = await taking(tools)
    await session.execute({ id: 'a', name: 'add', args: {} })
    const note = toResultNote(await next(session))
    expect(note).toMatch(/^\[The result of `add`, asked earlier: \{"ok":true,"data":"sum".*\} Go on with that; .*\]$/)
  })

  test('has the bookkeeping if it is asked for', async () => {
    const { session } = await taking(tools)
    await session.execute({ id: 'a', name: 'add', args: {} })
    const result = await next(session)
    expect(toResultNote(result)).not.toMatch(/"registryVersion"/)
    expect(toResultNote(result, { meta: 'full' })).toMatch(/"intents":\[\],"meta":\{.*"registryVersion"/)
  })

  test('needs the roles of the tool', async () => {
    const { session: asking, registry } = await taking({
      add: { execute: async () => success('sum'), requiredRoles: ['admin'], ...now },
      other: { execute: async () => success('for all'), ...now },
    })
    const of = roles => registry.createSession({ mode: 'text', sessionId: asking.sessionId, roles })
    const [admin, guest] = [await of(['admin']), await of([])]
    for await (const _ of admin.results({ wait: false }));
    await admin.execute({ id: 'a', name: 'add', args: {} })
    await admin.execute({ id: 'b', name: 'other', args: {} })
    await eventually(async () => (await admin.backgroundCalls()).every(({ running }) => !running), 'both ended')
    expect(await delivered(guest)).toMatchObject([{ data: 'for all' }])
    expect(await delivered(admin)).toMatchObject([{ data: 'sum' }])
  })

  test('that is released is offered again', async () => {
    const { session } = await taking(tools)
    await session.execute({ id: 'a', name: 'add', args: {} })
    await (await next(session)).release()
    expect(await delivered(session)).toMatchObject([{ data: 'sum' }])
  })

  test.each([
    [null, 'results options must be an object'],
    [7, 'results options must be an object'],
    [{ wait: 'x' }, '`wait` must be true or false'],
    [{ wait: 0 }, '`wait` must be true or false'],
    [{ signal: 1 }, '`signal` must be an AbortSignal'],
    [{ signal: {} }, '`signal` must be an AbortSignal'],
    [{ waits: false }, 'unknown results option `waits`; it takes wait, signal'],
  ])('is not begun with the options %j', async (options, message) => {
    const { session } = await openGate(tools).then(async gate => ({ session: await gate.session() }))
    expect(() => session.results(options)).toThrow(new TypeError(message))
    // Nothing was begun: calls are waited for.
    expect(await session.execute({ id: 'a', name: 'add', args: {} })).toMatchObject({ data: 'sum' })
  })

  test('is not waited for past its signal, and nothing is lost by that', async () => {
    const held = gateway()
    const { session } = await taking({ add: { execute: async () => (await held.passed, success('sum')), ...now } })
    await session.execute({ id: 'a', name: 'add', args: {} })
    const controller = new AbortController()
    const waiting = (async () => {
      for await (const _ of session.results({ signal: controller.signal })) throw new Error('nothing was there')
      return 'stopped'
    })()
    controller.abort()
    expect(await waiting).toBe('stopped')
    held.open()
    expect((await next(session)).response.data).toBe('sum')
  })
})

describe('a call that is completed from elsewhere', () => {
  const job = (fields = {}) => {
    const tokens = []
    const execute = async context => {
      const token = await context.completionToken()
      tokens.push(token)
      return pending({ token })
    }
    return { tokens, tools: { job: { kind: 'write', execute, ...fields } } }
  }

  test('is answered with its completion where nobody takes results', async () => {
    const { tokens, tools } = job()
    const { registry, session: open, lines } = await openGate(tools)
    const session = await open()
    const answer = session.execute({ id: 'call_12345678', name: 'job', args: {} })
    await eventually(() => tokens.length === 1, 'a token')
    expect(await registry.complete(tokens[0], success({ id: 7 }))).toBe('completed')
    expect(await answer).toMatchObject({ ok: true, data: { id: 7 }, meta: { callId: 'call_12345678', toolId: 'job' } })
    expect(await registry.complete(tokens[0], success({ id: 8 }))).toBe('ended')
    expect(lines.filter(line => line.event === 'tool_completed')).toHaveLength(1)
  })

  test('is told to run, and its completion is delivered', async () => {
    const { tokens, tools } = job()
    const { registry, session } = await taking(tools)
    expect(await session.execute({ id: 'call_12345678', name: 'job', args: {} })).toMatchObject({
      meta: { pending: true },
    })
    const waiting = next(session)
    expect(await registry.complete(tokens[0], new ToolError('PERMANENT', 'the card was refused'))).toBe('completed')
    const result = await waiting
    expect(result.response.error).toMatchObject({ type: 'PERMANENT', message: 'the card was refused' })
  })

  test('may be completed before its handler has returned', async () => {
    const held = gateway()
    const tools = {
      job: {
        kind: 'write',
        execute: async context => {
          const token = await context.completionToken()
          expect(await context.services.gate.registry.complete(token, success('early'))).toBe('completed')
          await held.passed
          return pending({ token })
        },
      },
    }
    const services = { gate: {} }
    const { registry, session: open } = await openGate(tools, { services })
    services.gate.registry = registry
    const session = await open()
    for await (const _ of session.results({ wait: false }));
    const answer = session.execute({ id: 'a', name: 'job', args: {} })
    held.open()
    expect(await answer).toMatchObject({ ok: true, data: 'early' })
    expect(await delivered(session)).toEqual([])
  })

  test('is delivered after its handler has left it, where its callers were answered before', async () => {
    const [asked, held] = [gateway(), gateway()]
    const execute = async context => {
      const token = await context.completionToken()
      asked.open(token)
      await held.passed
      return pending({ token })
    }
    const { registry, session } = await taking({ job: { kind: 'write', execute, ...now } })
    const call = { id: 'call_12345678', name: 'job', args: {} }
    expect(await session.execute(call)).toMatchObject({ meta: { pending: true } })
    expect(await registry.complete(await asked.passed, success('early'))).toBe('completed')
    held.open()
    // Once the handler has left, none runs it here.
    await eventually(async () => (await session.cancelBackground(call.id)) === null, 'the end of the handler')
    expect(await delivered(session)).toMatchObject([{ ok: true, data: 'early' }])
  })

  test('has one token, whoever asks for it and however often', async () => {
    const tokens = []
    const execute = async context => {
      tokens.push(...(await Promise.all([context.completionToken(), context.completionToken()])))
      if (context.meta.attempt === 1) throw new ToolError('TRANSIENT', 'try again')
      return pending({ token: await context.completionToken() })
    }
    const { registry, session } = await taking({
      job: { kind: 'read', execute, retry: { maxAttempts: 2, baseDelayMs: 1 } },
    })
    await session.execute({ id: 'a', name: 'job', args: {} })
    expect(tokens).toHaveLength(4)
    expect(new Set(tokens).size).toBe(1)
    expect(await registry.complete(tokens[0], success('done'))).toBe('completed')
    expect(await delivered(session)).toMatchObject([{ data: 'done' }])
  })

  test('ends at its deadline, as unknown', async () => {
    const { tools, tokens } = job({ timeoutMs: LEAVING_MS })
    const { session, registry } = await taking(tools)
    await session.execute({ id: 'a', name: 'job', args: {} })
    const result = await next(session)
    expect(result.response.error).toMatchObject({ type: 'TRANSIENT', details: { outcome: 'unknown' } })
    expect(await registry.complete(tokens[0], success())).toBe('ended')
  })

  test.each([
    ['happened', { ok: true, data: { paid: 1 } }],
    ['not_happened', { ok: false, error: { type: 'TRANSIENT', retryable: true, partialSideEffects: false } }],
    ['unknown', { ok: false, error: { type: 'TRANSIENT', details: { outcome: 'unknown' } } }],
  ])('is looked up by its tool once it is past its deadline: %s', async (outcome, told) => {
    const { tools, tokens } = job({ timeoutMs: LEAVING_MS })
    const asked = []
    const reconcile = ({ idempotencyKey }) => {
      asked.push(idempotencyKey)
      return outcome === 'happened' ? { outcome, data: { paid: 1 } } : { outcome }
    }
    const gate = await taking(tools, { handlers: { job: { execute: tools.job.execute, reconcile } } })
    const { registry, session, lines } = gate
    const { meta } = await session.execute({ id: 'call_12345678', name: 'job', args: {} })
    expect(meta.pending).toBe(true)
    const { response } = await next(session)
    expect(response).toMatchObject({ ...told, meta: { callId: 'call_12345678', toolId: 'job' } })
    expect(asked).toHaveLength(1)
    expect(await registry.complete(tokens[0], success())).toBe('ended')
    await registry.close()
    expect(lines.filter(({ event }) => event === 'reconciled')).toMatchObject([{ outcome, metBy: 'delivery' }])
  })

  test('is not completed by another token, or with what is no result', async () => {
    const { tokens, tools } = job({ resultSchema: { type: 'object', required: ['id'] } })
    const { registry, session } = await taking(tools)
    await session.execute({ id: 'a', name: 'job', args: {} })
    const [, , ...rest] = tokens[0].split('.')
    const forged = [`tgr_${'0'.repeat(32)}`, tokens[0].split('.')[1], ...rest].join('.')
    for (const token of ['', 'x', forged, `${tokens[0]}x`, tokens[0].toUpperCase(), undefined])
      expect(await registry.complete(token, success({ id: 1 }))).toMatch(/unknown|ended/)
    expect(await registry.complete(tokens[0], success({ wrong: 1 }))).toBe('completed')
    expect((await next(session)).response.error).toMatchObject({ type: 'INTERNAL' })
  })

  test('whose handler returns a foreign token has failed', async () => {
    const execute = async () => pending({ token: 'tgr_1' })
    const { session } = await taking({ job: { kind: 'write', execute } })
    const answer = await session.execute({ id: 'a', name: 'job', args: {} })
    expect(answer.error).toMatchObject({ type: 'INTERNAL', message: expect.stringContaining('not of this call') })
  })

  test('outlives the registry that began it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-background-'))
    afterTest(() => rmSync(folder, { recursive: true }))
    const store = { file: join(folder, 'sessions.sqlite') }
    const { tokens, tools } = job({ timeoutMs: 60_000 })
    const first = await openGate(tools, { store })
    const session = await first.session({ sessionId: 'kept' })
    for await (const _ of session.results({ wait: false }));
    expect(await session.execute({ id: 'call_12345678', name: 'job', args: {} })).toMatchObject({
      meta: { pending: true },
    })
    await first.registry.close({ timeoutMs: 0 })

    const open = () => createRegistry({ artifact: first.artifact, handlers: { job: tools.job.execute }, store })
    const [worker, voice] = [open(), open()]
    await Promise.all([worker.load(), voice.load()])
    afterTest(() => Promise.all([worker.close(), voice.close()]))
    const resumed = await voice.createSession({ mode: 'voice', sessionId: 'kept' })
    const waiting = next(resumed)
    expect(await worker.complete(tokens[0], success('from elsewhere'))).toBe('completed')
    const result = await waiting
    expect(result.response).toMatchObject({ data: 'from elsewhere', meta: { callId: 'call_12345678' } })
    expect(await result.accept()).toBe(true)
    expect(await delivered(resumed)).toEqual([])
  })
})
