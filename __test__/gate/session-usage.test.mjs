// What a session's answers put into the model's context, and repeated calls: counted, warned of once, reported.
import { gateway, openGate } from '../support/gate.mjs'

/** Bytes of an answer without its `meta`: what the gate counts. */
const bytesOf = ({ meta, ...answer }) => Buffer.byteLength(JSON.stringify(answer))

async function open(options) {
  const lines = []
  const gate = await openGate(
    {
      look: {
        kind: 'read',
        properties: { n: {} },
        execute: ({ args }) => ({ ok: true, data: 'x'.repeat(args.n ?? 1) }),
      },
      outer: { execute: async ({ callTool }) => ({ ok: (await callTool('look', { n: 4000 })).ok }) },
      pay: { kind: 'write', requiresConfirmation: true, execute: () => ({ ok: true, data: 'paid' }) },
    },
    { audit: line => lines.push(JSON.parse(line)), ...options },
  )
  return { ...gate, lines, warnings: () => lines.filter(({ event }) => event === 'context_warning') }
}

const call = (session, n, id) => session.execute({ id, name: 'look', args: { n } })

test('answers add up per turn and session: results, replays and refusals, each as it was given', async () => {
  const { session, registry } = await open()
  const s = await session()
  expect(s.usage()).toEqual({
    ...{ turn: 0, turnContextBytes: 0, turnContextTokens: 0 },
    ...{ contextBytes: 0, contextTokens: 0, loops: 0 },
  })
  await s.beginTurn()
  const first = [
    await call(s, 100, 'call_one_00000'),
    await call(s, 100, 'call_one_00000'),
    await s.execute({ name: 'invented' }),
  ]
  const inFirst = first.reduce((sum, answer) => sum + bytesOf(answer), 0)
  const tokens = Math.ceil(inFirst / 4)
  expect(s.usage()).toEqual({
    ...{ turn: 1, turnContextBytes: inFirst, turnContextTokens: tokens },
    ...{ contextBytes: inFirst, contextTokens: tokens, loops: 0 },
  })
  await s.beginTurn()
  const second = bytesOf(await call(s, 50))
  expect(s.usage()).toMatchObject({ turn: 2, turnContextBytes: second, contextBytes: inFirst + second })
  const { look, '(unknown)': unknown } = registry.getMetrics()
  const unknownBytes = bytesOf(first[2])
  expect([look.total.contextBytes, unknown.total.contextBytes]).toEqual([inFirst + second - unknownBytes, unknownBytes])
})

test('what a handler calls does not reach the model, and a confirmed call does', async () => {
  const { session } = await open()
  const s = await session()
  const outer = await s.execute({ name: 'outer' })
  expect(s.usage().contextBytes).toBe(bytesOf(outer))
  const asked = await s.execute({ name: 'pay' })
  const paid = await s.confirm(asked.error.confirmation_request.token)
  // The model gets the question without its token; the gate counts it as the host got it.
  expect(s.usage().contextBytes).toBe([outer, asked, paid].reduce((sum, answer) => sum + bytesOf(answer), 0))
})

test('a limit is warned of once per turn, and once per session', async () => {
  const limits = { turnContextTokens: 100, sessionContextTokens: 250 }
  const { session, warnings, registry } = await open({ limits })
  const s = await session()
  for (let turn = 1; turn <= 3; turn += 1) {
    await s.beginTurn()
    for (let n = 0; n < 2; n += 1) await call(s, 380 + n)
  }
  const seen = warnings().map(({ scope, turn, toolId, limit }) => [scope, turn, toolId, limit])
  expect(seen).toEqual([
    ['turn', 1, 'look', 100],
    ['turn', 2, 'look', 100],
    ['session', 2, 'look', 250],
    ['turn', 3, 'look', 100],
  ])
  for (const { tokens, limit } of warnings()) expect(tokens).toBeGreaterThan(limit)
  expect(registry.getMetrics().look.total.contextWarnings).toBe(4)
})

test('a limit of 0 never warns, and one that is no number is refused', async () => {
  const { session, warnings } = await open({ limits: { turnContextTokens: 0, sessionContextTokens: 0 } })
  await call(await session(), 600_000)
  expect(warnings()).toEqual([])
  for (const wrong of [-1, 1.5, '100']) await expect(open({ limits: { turnContextTokens: wrong } })).rejects.toThrow()
})

test('repeated calls are counted per session and tool', async () => {
  const { session, registry } = await open()
  const s = await session({ policy: { totalCalls: 100, retrievalCalls: 100 } })
  for (let n = 0; n < 6; n += 1) await call(s, 1, `call_again_${n}_0`)
  expect(s.usage().loops).toBeGreaterThan(1)
  expect(registry.getMetrics().look.total.loops).toBe(s.usage().loops)
  expect((await session()).usage().loops).toBe(0)
})

test('a call of an earlier turn that is answered late leaves the sum of the current turn', async () => {
  const { open: release, passed } = gateway()
  const lines = []
  const { session } = await openGate(
    {
      look: { kind: 'read', properties: { n: {} }, execute: ({ args }) => ({ ok: true, data: 'x'.repeat(args.n) }) },
      slow: { kind: 'read', execute: () => passed.then(() => ({ ok: true })) },
    },
    { audit: line => lines.push(JSON.parse(line)), limits: { turnContextTokens: 100 } },
  )
  const s = await session()
  await s.beginTurn()
  const late = s.execute({ name: 'slow' })
  await s.beginTurn()
  const first = await call(s, 250, 'call_first_000')
  release()
  await late
  const second = await call(s, 251, 'call_second_00')
  expect(s.usage()).toMatchObject({ turn: 2, turnContextBytes: bytesOf(first) + bytesOf(second) })
  expect(lines.filter(({ event }) => event === 'context_warning').map(({ turn }) => turn)).toEqual([2])
})
