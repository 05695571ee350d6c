// The same act twice: asked about, refused, and done once by processes that race for it.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { openGate } from '../support/gate.mjs'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const REFUND = {
  kind: 'write',
  properties: { order_id: { type: 'string' }, amount: { type: 'number' } },
  required: ['order_id', 'amount'],
}
const refund = (id, order, amount = 5) => ({ id: `call_0000${id}`, name: 'refund', args: { order_id: order, amount } })

async function refunds(fields, session = {}) {
  let runs = 0
  const execute = () => ({ ok: true, data: ++runs })
  const gate = await openGate({ refund: { ...REFUND, duplicate: undefined, ...fields, execute } })
  return { gate, session: await gate.session({ sessionId: 's', ...session }), runs: () => runs }
}

test('a write that is called again is asked about, and runs again only after a yes', async () => {
  const { session, runs } = await refunds({})
  expect((await session.execute(refund('01', 'A'))).data).toBe(1)
  const asked = await session.execute(refund('02', 'A'))
  expect(asked.error.type).toBe('CONFIRMATION_REQUIRED')
  const { token, preview } = asked.error.confirmation_request
  expect(preview).toMatch(/^Already done at \d\d:\d\d UTC: Refund, with the same arguments\. Do it again\? /u)
  expect(runs()).toBe(1)
  expect((await session.confirm(token)).data).toBe(2)
  expect((await session.execute(refund('03', 'B'))).data).toBe(3)
})

test('where its user can not be asked it is refused, with what became of the act', async () => {
  const { session, runs } = await refunds({ duplicate: { key: ['/order_id'] } }, { canAsk: false })
  const first = await session.execute(refund('01', 'A'))
  const { error } = await session.execute(refund('02', 'A', 6))
  expect(error.type).toBe('CONFLICT')
  expect(error.details).toEqual({ reason: 'duplicate', outcome: 'committed', at: expect.any(String) })
  expect(Math.abs(Date.parse(error.details.at) - Date.parse(first.meta.timestamp))).toBeLessThan(60_000)
  expect(runs()).toBe(1)
})

test('`canAsk` is true or false', async () => {
  const { gate } = await refunds({})
  await expect(gate.session({ canAsk: 'no' })).rejects.toThrow('`canAsk`')
})

test('an audit line says what became of a duplicate, and of the act', async () => {
  const execute = () => ({ ok: true })
  const tools = { refund: { ...REFUND, duplicate: { on: 'replay' }, execute } }
  const { registry, session: open, lines } = await openGate(tools)
  const session = await open()
  await session.execute(refund('01', 'A'))
  await session.execute(refund('02', 'A'))
  await registry.close()
  const found = lines.filter(line => line.event === 'duplicate_found')
  expect(found).toMatchObject([{ toolId: 'refund', answer: 'replayed', outcome: 'committed', callId: 'call_000002' }])
})

test('four processes that race for equal refunds under different ids do each once', async () => {
  const log = path.join(temporaryFolder(), 'refunds.log')
  const handler = `import { appendFileSync } from 'node:fs'
    export async function execute({ args }) {
      appendFileSync(${JSON.stringify(log)}, args.order_id + '\\n')
      await new Promise(resolve => setTimeout(resolve, 2))
      return { ok: true }
    }`
  const tools = await toolSet({
    refund: { ...REFUND, duplicate: { key: ['/order_id'], on: 'refuse' }, source: handler },
  })
  const file = path.join(temporaryFolder(), 'sessions.sqlite')
  const orders = 12
  const source = name => `
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = createRegistry({ artifact: ${JSON.stringify(tools.artifact)}, store: { file: ${JSON.stringify(file)} } })
    await registry.load()
    const session = await registry.createSession({ mode: 'text', sessionId: 's', policy: { totalCalls: 1000 } })
    process.stdout.write('ready\\n')
    await new Promise(resolve => process.stdin.once('data', resolve))
    const told = []
    for (let order = 0; order < ${orders}; order++) {
      const calls = [1, 2].map(n => ({ id: 'call_${name}_' + order + '_' + n, name: 'refund', args: { order_id: 'order-' + order, amount: n } }))
      for (const answer of await Promise.all(calls.map(call => session.execute(call))))
        told.push(answer.ok ? 'done' : (answer.error.details?.reason ?? answer.error.type + ' ' + answer.error.message))
    }
    console.log(JSON.stringify(told))
    process.stdin.destroy()
    await registry.close()
  `
  const children = []
  const onLine = (line, child) => {
    if (line !== 'ready') return
    children.push(child)
    if (children.length === 4) for (const ready of children) ready.stdin.write('go\n')
  }
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map(name => runModule(source(name), { onLine })))
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, '']))
  const told = ended.flatMap(({ stdout }) => JSON.parse(stdout.trim().split('\n').at(-1)))
  const done = readFileSync(log, 'utf8').trim().split('\n').sort()
  expect(done).toEqual(Array.from({ length: orders }, (_, order) => `order-${order}`).sort())
  expect(told.filter(answer => answer === 'done')).toHaveLength(orders)
  expect(told.filter(answer => answer === 'duplicate')).toHaveLength(8 * orders - orders)
})

describe('where equal acts are looked for', () => {
  /** What becomes of an equal call in the same turn, and in the next one. */
  async function again(fields) {
    const { session } = await refunds(fields)
    await session.beginTurn()
    await session.execute(refund('01', 'A'))
    const same = await session.execute(refund('02', 'A'))
    await session.beginTurn()
    const next = await session.execute(refund('03', 'A'))
    return [same, next].map(({ ok, error }) => error?.type ?? ok)
  }

  test.each([
    ['a tool that says nothing: its turn', {}, ['CONFIRMATION_REQUIRED', true]],
    ['a tool with `duplicate`: its session', { duplicate: {} }, ['CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED']],
    ['as the tool says', { duplicate: { scope: 'turn' } }, ['CONFIRMATION_REQUIRED', true]],
  ])('%s', async (_, fields, became) => {
    expect(await again(fields)).toEqual(became)
  })
})
