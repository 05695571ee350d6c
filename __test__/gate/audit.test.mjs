// Audit lines: one JSON object a fact, to a function or a file; never a sensitive value, never a token.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

import { ToolError } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { eventually, openGate } from '../support/gate.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const SECRET = '4242424242424242'
/** Ends the handler of `late_intent`. */
let endLate
const TOOLS = {
  pay: {
    kind: 'write',
    properties: { to: { type: 'string' }, card: { type: 'string', 'x-sensitive': true, pattern: '^[0-9]{16}$' } },
    required: ['to'],
    execute: ({ audit, args }) => {
      audit.log('paid', { to: args.to, card: 'visa', receipt: `of ${args.card}`, numbers: [args.card] })
      return { ok: true, data: { paid: true }, intents: [{ type: 'SUPPRESS_AUDIO', value: true }] }
    },
  },
  order: {
    kind: 'write',
    requiresConfirmation: true,
    properties: { item: { type: 'string' }, card: { type: 'string', 'x-sensitive': true } },
  },
  brief: {
    kind: 'write',
    requiresConfirmation: true,
    confirmation: { ttlMs: 20 },
    properties: { item: { type: 'string' }, card: { type: 'string', 'x-sensitive': true } },
  },
  look: {
    kind: 'read',
    properties: { n: {} },
    latencyBudgetMs: 1,
    execute: () => new Promise(resolve => setTimeout(resolve, 10, { ok: true })),
  },
  fails: {
    execute: () => {
      throw new ToolError('PERMANENT', 'as expected')
    },
  },
  never: { kind: 'read', timeoutMs: 10, retry: { maxAttempts: 1 }, execute: () => new Promise(() => {}) },
  late_intent: {
    kind: 'write',
    // It has begun by then.
    timeoutMs: 500,
    execute: () => new Promise(resolve => (endLate = resolve)),
  },
}

/** A life with every event that a host can bring about; resolves with its audit lines. */
async function life(gate) {
  const { registry, session, lines } = gate
  const s = await session({ sessionId: 'life', policy: { totalCalls: 30, retrievalCalls: 30 } })
  await s.beginTurn('t1')
  await s.execute({ id: 'call_pay_0001', name: 'pay', args: { to: 'shop', card: SECRET } })
  await s.execute({ id: 'call_pay_0001', name: 'pay', args: { to: 'shop', card: SECRET } })
  await s.execute({ id: 'call_pay_0002', name: 'pay', args: { to: 'shop', card: `${SECRET}x` } })
  await s.execute({ id: 'call_pay_0003', name: 'pay', args: { to: {}, card: SECRET } })
  await s.execute({ name: 'fails' })
  for (let n = 0; n < 5; n += 1) await s.execute({ id: `call_look_${n}_xx`, name: 'look', args: { n: 0 } })
  const cancelled = s.execute({ id: 'call_never_001', name: 'never' })
  s.cancel('call_never_001', 'barge-in')
  await cancelled
  await s.execute({ id: 'call_never_002', name: 'never' })
  endLate = undefined
  await s.execute({ id: 'call_late_0001', name: 'late_intent' })
  await eventually(() => endLate !== undefined, 'its handler runs')
  endLate({ ok: true, intents: [{ type: 'SUPPRESS_AUDIO', value: false }] })
  const ask = async (item, id, name = 'order') =>
    (await s.execute({ id, name, args: { item, card: SECRET } })).error.confirmation_request.token
  const tokens = [await ask('a', 'call_order_01'), await ask('b', 'call_order_02')]
  await s.confirm(tokens[0])
  await s.deny(tokens[1], 'no')
  tokens.push(await ask('c', 'call_brief_01', 'brief'))
  await eventually(async () => (await s.listPending()).length === 0, 'the third question expires')
  await s.confirm(tokens[2])
  s.state.set('theme', SECRET)
  const small = await session({ sessionId: 'life', policy: { totalCalls: 0 } })
  await small.execute({ id: 'call_over_0001', name: 'look', args: { n: 9 } })
  await s.beginTurn('t2')
  await eventually(() => lines.some(({ event }) => event === 'intent_dropped'), 'the late intent was not told')
  await s.end('goodbye')
  registry.lock()
  await eventually(() => lines.some(({ event }) => event === 'registry_locked'), 'the last line did not come')
  return { lines, tokens }
}

describe('to a function', () => {
  let lines
  let tokens
  const of = (event, match = {}) =>
    lines.filter(line => line.event === event && Object.entries(match).every(([name, value]) => line[name] === value))
  async function told() {
    ;({ lines, tokens } = await life(await openGate(TOOLS)))
  }

  test('each fact has its line', async () => {
    await told()
    const base = {
      sessionId: 'life',
      mode: 'text',
      turn: 1,
      registryVersion: expect.stringMatching(/^1\.0\.[0-9a-f]{8}$/),
    }
    expect(of('tool_execution', { callId: 'call_pay_0001' })).toEqual([
      expect.objectContaining({
        ...base,
        toolId: 'pay',
        toolVersion: '1.0.0',
        ok: true,
        category: 'action',
        attempts: 1,
        duration: expect.any(Number),
        idempotencyKey: expect.stringMatching(/^tg_/),
        argsHash: expect.stringMatching(/^[0-9a-f]{32}$/),
        resultBytes: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
    ])
    expect(of('tool_execution', { toolId: 'fails' })[0]).toMatchObject({ ok: false, errorType: 'PERMANENT' })
    expect(of('tool_execution', { callId: 'call_never_002' })[0]).toMatchObject({
      timedOut: true,
      errorType: 'TRANSIENT',
    })
    expect(of('tool_refused', { callId: 'call_pay_0002' })).toEqual([
      expect.objectContaining({ ...base, errorType: 'VALIDATION', message: expect.any(String) }),
    ])
    expect(of('tool_replayed')).toContainEqual(
      expect.objectContaining({ ...base, callId: 'call_pay_0001', originalTurn: 1, ageMs: expect.any(Number) }),
    )
    expect(of('tool_cancelled')).toEqual([
      expect.objectContaining({ callId: 'call_never_001', reason: 'barge-in', outcome: 'aborted' }),
    ])
    expect(of('tool_log')).toEqual([
      expect.objectContaining({
        name: 'paid',
        toolId: 'pay',
        callId: 'call_pay_0001',
        data: { to: 'shop', card: '***', receipt: 'of ***', numbers: ['***'] },
        sessionId: 'life',
      }),
    ])
    expect(of('confirmation_requested').map(({ callId }) => callId)).toEqual([
      'call_order_01',
      'call_order_02',
      'call_brief_01',
    ])
    expect(of('confirmation_granted').map(({ callId }) => callId)).toEqual(['call_order_01'])
    expect(of('confirmation_denied')).toEqual([
      expect.objectContaining({ toolId: 'order', callId: 'call_order_02', reason: 'no' }),
    ])
    expect(of('confirmation_expired')).toEqual([expect.objectContaining({ toolId: 'brief' })])
    expect(of('intent_applied')).toEqual([expect.objectContaining({ toolId: 'pay', intent: 'SUPPRESS_AUDIO' })])
    expect(of('intent_dropped')[0]).toMatchObject({
      toolId: 'late_intent',
      intent: 'SUPPRESS_AUDIO',
      reason: expect.any(String),
    })
    expect(of('state_changed')).toEqual([expect.objectContaining({ field: 'theme' })])
    expect(of('latency_warning').length).toBeGreaterThan(0)
    expect(of('latency_warning')[0]).toMatchObject({ toolId: 'look', targetMs: 1, latencyMs: expect.any(Number) })
    expect(of('budget_warning')).toEqual([expect.objectContaining({ callId: 'call_over_0001' })])
    expect(of('loop_detected').map(({ refused }) => refused)).toEqual([false, true])
    expect(of('turn_summary')[0]).toMatchObject({
      turn: 1,
      calls: expect.any(Number),
      retrievals: expect.any(Number),
      latencyMs: expect.any(Number),
    })
    expect(of('session_started')).toEqual([expect.objectContaining({ sessionId: 'life', mode: 'text' })])
    expect(of('session_attached')).toHaveLength(2)
    expect(of('session_ended')).toEqual([expect.objectContaining({ reason: 'goodbye' })])
    expect(of('registry_loaded')).toEqual([expect.objectContaining({ tools: Object.keys(TOOLS).length })])
    expect(of('registry_locked')).toHaveLength(1)
  })

  test('no sensitive value and no token is in any of them', async () => {
    await told()
    const all = JSON.stringify(lines)
    expect(tokens).toHaveLength(3)
    for (const token of tokens) expect(all).not.toContain(token)
    expect(all).not.toContain(SECRET)
    expect(all).not.toMatch(/tgc_/)
  })

  test('hashes of equal arguments are equal within an installation, and nobody can compute them', async () => {
    const gate = await openGate(TOOLS)
    const s = await gate.session()
    for (const [n, args] of [
      [1, { to: 'a' }],
      [2, '{ "to": "a" }'],
      [3, { to: 'b' }],
    ])
      await s.execute({ id: `call_hashed_${n}`, name: 'pay', args })
    await eventually(
      () => gate.lines.filter(({ event }) => event === 'tool_execution').length === 3,
      'the lines did not come',
    )
    const [one, two, three] = gate.lines
      .filter(({ event }) => event === 'tool_execution')
      .map(({ argsHash }) => argsHash)
    expect(one).toBe(two)
    expect(one).not.toBe(three)
  })

  test('a sink that throws harms no call', async () => {
    const thrown = []
    const { session } = await openGate(TOOLS, {
      audit: () => {
        throw new Error('disk full')
      },
      onHandlerError: error => thrown.push(error.message),
    })
    const answer = await (await session()).execute({ name: 'pay', args: { to: 'x' } })
    expect(answer.ok).toBe(true)
    await eventually(() => thrown.length > 0, "the sink's failure was not told")
    expect(thrown[0]).toBe('disk full')
  })
})

describe('to a file', () => {
  test('one line each, only for its owner, appended', async () => {
    const file = path.join(temporaryFolder(), 'audit.jsonl')
    for (let round = 0; round < 2; round += 1) {
      const { registry, session } = await openGate(TOOLS, { audit: { file } })
      await (
        await session({ sessionId: `round-${round}` })
      ).execute({ name: 'pay', args: { to: 'x\n"y"', card: SECRET } })
      await registry.close()
    }
    const text = readFileSync(file, 'utf8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.filter(({ event }) => event === 'tool_execution').map(({ sessionId }) => sessionId)).toEqual([
      'round-0',
      'round-1',
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(text).not.toContain(SECRET)
  })

  test('nothing is lost where the process closes and ends', async () => {
    const file = path.join(temporaryFolder(), 'audit.jsonl')
    const { artifact } = await toolSet({ echo: { properties: { n: {} } } })
    const ran = await runModule(`
      import { createRegistry } from ${JSON.stringify(PACKAGE)}
      const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, audit: { file: ${JSON.stringify(file)} } }).load()
      const session = await registry.createSession({ mode: 'text', policy: { totalCalls: 1000 } })
      await Promise.all(Array.from({ length: 500 }, (_, n) => session.execute({ id: 'call_kept_' + n, name: 'echo', args: { n } })))
      await registry.close()
      process.exit(0)
    `)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line.includes('"tool_execution"')),
    ).toHaveLength(500)
  })
})

test('to stdout', async () => {
  const { artifact } = await toolSet({ echo: {} })
  const { stdout } = await runModule(`
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, audit: 'stdout' }).load()
    await registry.close()
  `)
  expect(JSON.parse(stdout.trim())).toMatchObject({ event: 'registry_loaded', tools: 1 })
})

test('to nowhere by default: nothing is written', async () => {
  const { artifact } = await toolSet({ echo: {} })
  const ran = await runModule(`
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    await (await createRegistry({ artifact: ${JSON.stringify(artifact)} }).load()).close()
  `)
  expect([ran.stdout, ran.stderr, existsSync(path.join(path.dirname(artifact), 'audit.jsonl'))]).toEqual([
    '',
    '',
    false,
  ])
})

test('every line is heard before close() resolves, however many there are', async () => {
  const { registry, session, lines } = await openGate(TOOLS)
  const s = await session({ policy: { totalCalls: 5000 } })
  const calls = Array.from({ length: 1500 }, (_, n) =>
    s.execute({ id: `call_line_${n}`, name: 'nothing_of_this_name', args: { n } }),
  )
  // All in one turn of the event loop: more lines than Node hands over in the next.
  await Promise.all(calls)
  await registry.close()
  expect(lines.filter(({ event }) => event === 'tool_refused')).toHaveLength(1500)
})
