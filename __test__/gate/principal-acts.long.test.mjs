// A store that fails between the reservation of an act and the claim of its call: nothing has run, so the act is free.
import { openGate } from '../support/gate.mjs'
import { Cable, RedisServer, hasRedis } from '../support/redis-server.mjs'

const REFUND = {
  kind: 'write',
  properties: { order: { type: 'string' } },
  duplicate: { key: ['/order'], scope: 'principal', windowMs: 3_600_000, on: 'refuse' },
}
/** More pieces than a call sends and gets. */
const PIECES = 14

const withRedis = hasRedis ? test : test.skip

withRedis('an act that was never begun is done by the next call, wherever the connection breaks', async () => {
  const server = await RedisServer.start()
  const cable = await Cable.to(server.port)
  let runs = 0
  const tools = { refund: { ...REFUND, execute: () => ({ ok: true, data: (runs += 1) }) } }
  const [broken, direct] = [
    await openGate(tools, { store: { redis: cable.url, timeoutMs: 5000 } }),
    await openGate(tools, { store: { redis: server.url } }),
  ]
  const call = id => ({ id, name: 'refund', args: { order: 'A' } })
  let failed = 0
  for (let pieces = 0; pieces < PIECES; pieces += 1) {
    const principal = `user-${pieces}`
    const session = await openWhenBack(broken, { sessionId: `one-${pieces}`, principal })
    const before = runs
    cable.cutAfter(pieces)
    const first = await session.execute(call(`call_refund_1${pieces}`))
    cable.mend()
    const ran = runs - before
    failed += first.ok ? 0 : 1
    const other = await direct.session({ sessionId: `two-${pieces}`, principal })
    const second = await other.execute(call(`call_refund_2${pieces}`))
    expect([pieces, runs - before, second.ok]).toEqual([pieces, 1, ran === 0])
  }
  expect(failed).toBeGreaterThan(2)
})

/** The store is asked again once its pause is over. */
async function openWhenBack({ session }, options) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await session(options)
    } catch (error) {
      if (tries === 600) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}
