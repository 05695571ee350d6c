// An act of unknown outcome that a call of another session of the same principal meets: the tool finds out what it has done.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { afterTest, temporaryFolder, toolSet } from '../support/tool-set.mjs'

const REFUND = {
  kind: 'write',
  properties: { order_id: { type: 'string' }, note: { type: 'string' } },
  required: ['order_id'],
  duplicate: { key: ['/order_id'], scope: 'principal', windowMs: 3_600_000, on: 'replay' },
}
const refund = (id, order = 'A', more = {}) => ({
  id: `call_0000${id}`,
  name: 'refund',
  args: { order_id: order, ...more },
})
const lostAnswer = () => Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
const duplicate = outcome => ({ ok: false, error: { type: 'CONFLICT', details: { reason: 'duplicate', outcome } } })

/** Two sessions of a principal, over a tool that loses its first answer. */
async function refunds(reconcile, { execute, options = {}, ...fields } = {}) {
  const [runs, asked] = [[], []]
  const module = {
    execute: context => {
      runs.push(context.meta.idempotencyKey)
      return execute
        ? execute(context, runs.length)
        : runs.length === 1
          ? lostAnswer()
          : { ok: true, data: runs.length }
    },
    ...(reconcile && { reconcile: question => (asked.push(question), reconcile(question)) }),
  }
  const gate = await openGate({ refund: { ...REFUND, ...fields } }, { handlers: { refund: module }, ...options })
  const open = (sessionId, more = {}) => gate.session({ sessionId, principal: 'ada', ...more })
  return { ...gate, open, one: await open('one'), other: await open('other'), runs, asked }
}

const happened = ({ args, idempotencyKey }) => ({ outcome: 'happened', data: { ...args, idempotencyKey } })
const notHappened = () => ({ outcome: 'not_happened' })

test('what has happened is the answer in both sessions, and the tool is asked once', async () => {
  const { one, other, runs, asked, registry, lines } = await refunds(happened)
  expect(await one.execute(refund('01'))).toMatchObject({ error: { partialSideEffects: true } })
  const data = { order_id: 'A', idempotencyKey: runs[0] }
  expect(await other.execute(refund('02'))).toMatchObject({ ok: true, data, meta: { reconciled: 'happened' } })
  expect(await one.execute(refund('01'))).toMatchObject({ ok: true, data, meta: { reconciled: 'happened' } })
  expect(await other.execute(refund('03'))).toMatchObject({ ok: true, data })
  expect([runs.length, asked.length]).toEqual([1, 1])
  await registry.close()
  expect(lines.filter(({ event }) => event === 'reconciled')).toMatchObject([
    { sessionId: 'one', callId: 'call_000001', outcome: 'happened', metBy: 'equal_call' },
  ])
})

test('what has not happened is free in both sessions', async () => {
  const { one, other, runs, asked } = await refunds(notHappened)
  await one.execute(refund('01'))
  expect(await other.execute(refund('02'))).toMatchObject({ ok: true, data: 2, meta: { reconciled: 'not_happened' } })
  expect(runs[1]).not.toBe(runs[0])
  // The call itself meets the one that has run instead.
  expect(await one.execute(refund('01'))).toMatchObject({ ok: true, data: 2 })
  expect([runs.length, asked.length]).toEqual([2, 1])
})

test('a call that runs again after its reconcile is the act from then on', async () => {
  const { one, other, runs } = await refunds(notHappened)
  await one.execute(refund('01'))
  expect(await one.execute(refund('01'))).toMatchObject({ ok: true, data: 2, meta: { reconciled: 'not_happened' } })
  expect(await other.execute(refund('02'))).toMatchObject({ ok: true, data: 2 })
  expect(runs).toHaveLength(2)
})

test.each([
  [happened, { ok: true, data: { order_id: 'A' } }, 1],
  [notHappened, { ok: true, data: 2 }, 2],
])('what the host has looked up counts for the other session: %p', async (reconcile, answer, count) => {
  const { one, other, runs, registry } = await refunds(reconcile)
  await one.execute(refund('01'))
  expect((await registry.reconcile({ olderThanMs: 0 })).calls).toHaveLength(1)
  expect(await other.execute(refund('02'))).toMatchObject(answer)
  expect(runs).toHaveLength(count)
})

test.each([
  ['refuse', duplicate('failed')],
  ['ask', { error: { type: 'CONFIRMATION_REQUIRED', message: expect.stringContaining('Tried at') } }],
  ['replay', { ok: false, error: { type: 'TRANSIENT', partialSideEffects: true } }],
])('what stays unknown is not done again: %s', async (on, answer) => {
  const { one, other, runs } = await refunds(() => ({ outcome: 'unknown' }), { duplicate: { ...REFUND.duplicate, on } })
  await one.execute(refund('01'))
  expect(await other.execute(refund('02'))).toMatchObject({ ...answer, meta: { reconciled: 'unknown' } })
  expect(runs).toHaveLength(1)
})

test('a question is asked about what was found out', async () => {
  const confirmation = { preview: 'Refund {order_id}' }
  const fields = { requiresConfirmation: true, confirmation, duplicate: { ...REFUND.duplicate, on: 'ask' } }
  const { one, other, runs } = await refunds(happened, fields)
  await one.confirm((await one.execute(refund('01'))).error.confirmation_request.token)
  const asked = await other.execute(refund('02'))
  expect(asked.error.confirmation_request.preview).toMatch(/^Already done at/)
  expect(asked.meta.reconciled).toBe('happened')
  expect(runs).toHaveLength(1)
})

test('the call of an ended session is looked up with the arguments that it had', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const { one, other, runs, asked } = await refunds(happened, { options: { store } })
  await one.execute(refund('01', 'A', { note: 'of the first' }))
  await one.end()
  const answer = await other.execute(refund('02', 'A', { note: 'of the second' }))
  expect(answer).toMatchObject({ ok: true, data: { note: 'of the first', idempotencyKey: runs[0] } })
  expect(asked).toHaveLength(1)
})

test('an act stays unknown where the record of its call is gone', async () => {
  const { one, other, runs, asked } = await refunds(happened, { duplicate: { ...REFUND.duplicate, on: 'refuse' } })
  await one.execute(refund('01'))
  // Sessions in memory keep no records after their end.
  await one.end()
  expect(await other.execute(refund('02'))).toMatchObject(duplicate('unknown'))
  expect([runs.length, asked.length]).toEqual([1, 0])
})

test('another principal neither meets the act nor has it looked up', async () => {
  const { one, open, asked, runs } = await refunds(happened)
  await one.execute(refund('01'))
  const stranger = await open('third', { principal: 'bob' })
  expect(await stranger.execute(refund('01'))).toMatchObject({ ok: true, data: 2 })
  expect([runs.length, asked.length]).toEqual([2, 0])
})

test('without `reconcile` the record of the call says what became of it', async () => {
  const { one, other } = await refunds(undefined, { duplicate: { ...REFUND.duplicate, on: 'refuse' } })
  await one.execute(refund('01'))
  expect(await other.execute(refund('02'))).toMatchObject(duplicate('failed'))
})

const STORES = [
  ['file', true, async () => ({ file: path.join(temporaryFolder(), 'sessions.sqlite') })],
  ['redis', hasRedis, async () => ({ redis: (await RedisServer.start()).url })],
  ['postgres', hasPostgres, async () => ({ postgres: (await PostgresServer.start()).url })],
].filter(([, isThere]) => isThere)

describe.each(STORES)('a process that is killed, on %s', (_, __, openStore) => {
  /** A payment service that is a file; the process dies before or after it has the refund. */
  const execute = `import { appendFileSync } from 'node:fs'
    const die = () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) }
    export async function execute({ args, meta }) {
      if (args.order_id === 'before') return die()
      appendFileSync(process.env.LEDGER, JSON.stringify({ order: args.order_id, key: meta.idempotencyKey }) + '\\n')
      return die()
    }
    export const reconcile = () => ({ outcome: 'unknown' })\n`

  test.each([
    ['after', 'happened'],
    ['before', 'not_happened'],
  ])('%s the payment: the other session hears %s, and it is paid once', async (order, outcome) => {
    const ledger = path.join(temporaryFolder(), 'ledger')
    const { artifact } = await toolSet({ refund: { ...REFUND, source: execute } })
    const store = await openStore()
    const ran = await runModule(`
      import { createRegistry } from ${JSON.stringify(PACKAGE)}
      process.env.LEDGER = ${JSON.stringify(ledger)}
      const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)} }).load()
      const session = await registry.createSession({ mode: 'text', sessionId: 'one', principal: 'ada' })
      await session.execute(${JSON.stringify(refund('01', order))})
    `)
    expect(ran).toMatchObject({ signal: 'SIGKILL', stderr: '' })
    const lines = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n').map(JSON.parse) : [])
    const handlers = {
      refund: {
        execute: ({ args, meta }) => {
          appendFileSync(ledger, `${JSON.stringify({ order: args.order_id, key: meta.idempotencyKey })}\n`)
          return { ok: true, data: { key: meta.idempotencyKey } }
        },
        reconcile: ({ idempotencyKey }) => {
          const found = lines().find(({ key }) => key === idempotencyKey)
          return found ? { outcome: 'happened', data: { key: found.key } } : { outcome: 'not_happened' }
        },
      },
    }
    const registries = await Promise.all([1, 2].map(() => createRegistry({ artifact, store, handlers }).load()))
    afterTest(() => Promise.all(registries.map(registry => registry.close())))
    const sessions = await Promise.all(
      registries.map((registry, n) =>
        registry.createSession({ mode: 'text', sessionId: `other-${n}`, principal: 'ada' }),
      ),
    )
    const answers = await Promise.all(sessions.map((session, n) => session.execute(refund(`1${n}`, order))))
    // One that meets the other one's call while it runs is refused, and hears of it when it asks again.
    const truths = await Promise.all(
      answers.map(async (answer, n) => (answer.ok ? answer : sessions[n].execute(refund(`2${n}`, order)))),
    )
    expect(lines()).toHaveLength(1)
    for (const truth of truths) expect(truth).toMatchObject({ ok: true, data: { key: lines()[0].key } })
    expect(answers.some(({ meta }) => meta.reconciled === outcome)).toBe(true)
  })
})
