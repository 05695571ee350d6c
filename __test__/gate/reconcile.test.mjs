// A call whose outcome is not known is looked up by its tool, before its replay or an equal call is answered.
import { createRegistry, defineTool, ToolError, toModelResponse } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { toolSet } from '../support/tool-set.mjs'

const REFUND = { kind: 'write', properties: { order_id: { type: 'string' } }, required: ['order_id'] }
const refund = (id, order = 'A') => ({ id: `call_0000${id}`, name: 'refund', args: { order_id: order } })
const lostAnswer = () => Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))

/** A gate whose tool loses its answers at first. */
async function refunds(reconcile, { execute = lostAnswer, options = {}, ...fields } = {}) {
  const runs = []
  const module = {
    execute: context => (runs.push(context.meta.idempotencyKey), execute(context, runs.length)),
    reconcile,
  }
  const handlers = { refund: module }
  const gate = await openGate({ refund: { ...REFUND, ...fields } }, { handlers, ...options })
  return { gate, session: await gate.session({ sessionId: 's', services: { ledger: 'of the session' } }), runs }
}

test('the tool is asked with all that it needs, and its data is the answer', async () => {
  const asked = []
  const begun = Date.now()
  const { gate, session, runs } = await refunds(question => {
    asked.push({ ...question, aborted: question.signal.aborted })
    return { outcome: 'happened', data: { refund: 'r-1' } }
  })
  expect(await session.execute(refund('01'))).toMatchObject({ ok: false, error: { partialSideEffects: true } })
  const replay = await session.execute(refund('01'))
  expect(replay).toMatchObject({ ok: true, data: { refund: 'r-1' }, meta: { reconciled: 'happened' } })
  expect(toModelResponse(replay).meta).toEqual({ reconciled: 'happened', _idempotent_cache_hit: true })
  expect(asked).toMatchObject([
    { args: { order_id: 'A' }, idempotencyKey: runs[0], services: { ledger: 'of the session' }, aborted: false },
  ])
  expect(asked[0].startedAt).toBeGreaterThanOrEqual(begun)
  expect(asked[0].startedAt).toBeLessThanOrEqual(Date.now())
  await session.execute(refund('01'))
  expect([runs.length, asked.length]).toEqual([1, 1])
  const { reconciles } = gate.registry.getMetrics().refund.total
  expect(reconciles).toEqual({ happened: 1 })
  await gate.registry.close()
  expect(gate.lines.filter(line => line.event === 'reconciled')).toMatchObject([
    { toolId: 'refund', outcome: 'happened', metBy: 'replay', callId: 'call_000001' },
  ])
})

test('a call that has not happened runs again under the same key', async () => {
  const { session, runs } = await refunds(() => ({ outcome: 'not_happened' }), {
    execute: (_, run) => (run === 1 ? lostAnswer() : { ok: true, data: run }),
  })
  await session.execute(refund('01'))
  expect(await session.execute(refund('01'))).toMatchObject({ ok: true, data: 2, meta: { reconciled: 'not_happened' } })
  expect(runs[1]).toBe(runs[0])
})

test('an equal call is told the truth', async () => {
  const { session, runs } = await refunds(() => ({ outcome: 'happened', data: 7 }), {
    duplicate: { on: 'replay' },
  })
  await session.execute(refund('01'))
  expect(await session.execute(refund('02'))).toMatchObject({ ok: true, data: 7, meta: { reconciled: 'happened' } })
  expect(runs).toHaveLength(1)
})

test('what it throws goes to the host, and not to the model', async () => {
  const { gate, session } = await refunds(() => {
    throw new Error('the ledger at 10.0.0.7 is down')
  })
  await session.execute(refund('01'))
  const replay = await session.execute(refund('01'))
  expect(replay).toMatchObject({ ok: false, error: { type: 'TRANSIENT' }, meta: { reconciled: 'unknown' } })
  expect(JSON.stringify(replay)).not.toContain('10.0.0.7')
  expect(gate.thrown.map(error => error.message)).toContain('the ledger at 10.0.0.7 is down')
  await gate.registry.close()
  expect(JSON.stringify(gate.lines)).not.toContain('10.0.0.7')
})

test('one that hangs is stopped after the time of the tool, and its late answer changes nothing', async () => {
  let answer
  let signal
  const reconcile = question =>
    new Promise(resolve => {
      answer = resolve
      signal = question.signal
    })
  const { session } = await refunds(reconcile, { timeoutMs: 500 })
  await session.execute(refund('01'))
  const replay = await session.execute(refund('01'))
  expect(replay).toMatchObject({ ok: false, meta: { reconciled: 'unknown' } })
  await eventually(() => signal?.aborted, 'it is stopped')
  expect(signal.reason.name).toBe('TimeoutError')
  answer({ outcome: 'happened', data: 1 })
  expect((await session.execute(refund('01'))).ok).toBe(false)
})

test.each([
  ['nothing', undefined],
  ['another word', { outcome: 'perhaps' }],
  ['what JSON has not', { outcome: 'happened', data: 10n }],
  [
    'a circle',
    (() => {
      const circle = { outcome: 'happened' }
      circle.data = circle
      return circle
    })(),
  ],
  ['more than a result may have', { outcome: 'happened', data: 'x'.repeat(5000) }],
  ['data that is not promised', { outcome: 'happened', data: 'a text' }, { resultSchema: { type: 'object' } }],
])('%s is no answer', async (_, answer, fields = {}) => {
  const { session } = await refunds(() => answer, { ...fields, options: { limits: { maxResultBytes: 4096 } } })
  await session.execute(refund('01'))
  expect(await session.execute(refund('01'))).toMatchObject({ ok: false, meta: { reconciled: 'unknown' } })
})

test('the host has old calls looked up, with the services of the registry', async () => {
  const asked = []
  const reconcile = ({ args, services }) => {
    asked.push([args.order_id, services.ledger])
    return { outcome: args.order_id === 'A' ? 'happened' : 'not_happened' }
  }
  const { gate, session } = await refunds(reconcile, { options: { services: { ledger: 'of the registry' } } })
  await session.execute(refund('01', 'A'))
  await session.execute(refund('02', 'B'))
  expect(await gate.registry.reconcile()).toEqual({ happened: 0, notHappened: 0, unknown: 0, calls: [], more: false })
  const report = await gate.registry.reconcile({ olderThanMs: 0 })
  expect(report).toMatchObject({ happened: 1, notHappened: 1, unknown: 0, more: false })
  expect(report.calls.map(call => [call.callId, call.outcome])).toEqual([
    ['call_000001', 'happened'],
    ['call_000002', 'not_happened'],
  ])
  expect(asked.sort()).toEqual([
    ['A', 'of the registry'],
    ['B', 'of the registry'],
  ])
  expect(await session.execute(refund('01', 'A'))).toMatchObject({ ok: true, meta: { reconciled: 'happened' } })
})

test('closing the registry stops one that runs', async () => {
  let signal
  const { gate, session } = await refunds(question => {
    signal = question.signal
    return new Promise(() => {})
  })
  await session.execute(refund('01'))
  const replay = session.execute(refund('01'))
  await eventually(() => signal !== undefined, 'it runs')
  await gate.registry.close({ timeoutMs: 20 })
  await eventually(() => signal.aborted, 'it is stopped')
  expect(signal.reason.message).toBe('shutdown')
  expect((await replay).ok).toBe(false)
})

test.each([
  [{ olderThan: 1 }, '`olderThan`'],
  [{ olderThanMs: -1 }, '`olderThanMs`'],
  [{ limit: 0 }, '`limit`'],
  [{ limit: 1.5 }, '`limit`'],
])('options of a search are checked: %j', async (options, message) => {
  const { gate } = await refunds(() => ({ outcome: 'unknown' }))
  await expect(gate.registry.reconcile(options)).rejects.toThrow(message)
})

test('it is a function, in a handler and in a definition', async () => {
  const { artifact } = await toolSet({ refund: REFUND })
  const handlers = { refund: { execute: () => ({ ok: true }), reconcile: 'later' } }
  await expect(createRegistry({ artifact, handlers }).load()).rejects.toThrow('`reconcile` in the handler of `refund`')
  const tool = { description: 'x', sideEffects: 'writes', parameters: {}, execute: () => ({ ok: true }) }
  expect(() => defineTool({ ...tool, reconcile: true })).toThrow('`reconcile` is a boolean; write a function')
  expect(defineTool({ ...tool, reconcile: () => ({ outcome: 'unknown' }) }).reconcile).toBeInstanceOf(Function)
})

test('a tool in one file has it too', async () => {
  const source = `export default {
    description: 'Refunds an order.', version: '1.0.0', category: 'action', sideEffects: 'writes', idempotent: false,
    requiresConfirmation: false, allowedModes: ['text'], latencyBudgetMs: 600000, duplicate: false,
    lintAccepted: ['writes-without-confirmation'], parameters: { type: 'object', additionalProperties: false, properties: {} },
    execute() { throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) },
    reconcile({ idempotencyKey }) { return { outcome: 'happened', data: { key: idempotencyKey } } },
  }\n`
  const { mkdirSync, writeFileSync } = await import('node:fs')
  const path = await import('node:path')
  const { temporaryFolder, compileTools } = await import('../support/tool-set.mjs')
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, 'refund'))
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  writeFileSync(path.join(folder, 'refund', 'tool.js'), source)
  const { artifact } = await compileTools(folder)
  const registry = await createRegistry({ artifact }).load()
  const session = await registry.createSession({ mode: 'text' })
  const call = { id: 'call_000001', name: 'refund', args: {} }
  const first = await session.execute(call)
  expect(first).toMatchObject({ ok: false, error: { partialSideEffects: true } })
  const replay = await session.execute(call)
  expect(replay).toMatchObject({ ok: true, data: { key: first.meta.idempotencyKey } })
  await registry.close()
})

test('a failure without effects is answered as it was', async () => {
  let asked = 0
  const { session } = await refunds(() => (asked++, { outcome: 'happened' }), {
    execute: () => Promise.reject(new ToolError('PERMANENT', 'there is no such order')),
  })
  const first = await session.execute(refund('01'))
  expect(first.error.partialSideEffects).toBe(false)
  expect((await session.execute(refund('01'))).error).toEqual(first.error)
  expect(asked).toBe(0)
})
