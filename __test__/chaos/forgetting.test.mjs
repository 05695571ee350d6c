// Redis servers that lose data while processes pay: FLUSHALL, an empty restart, and a failover to a replica.
import { setTimeout as sleep } from 'node:timers/promises'

import { Cable, RedisServer, hasRedis } from '../support/redis-server.mjs'
import { judge, judgeComplete } from './judge.mjs'
import { Stage, callIds, rounds, seeded } from './stage.mjs'

const ROUNDS = rounds(30, 1)
const CALLS = 30
const REPLICATED = 'call_replicated_0001'
const CLAIMED_LATE = 'call_claimed_late_0001'
const withRedis = hasRedis ? test : test.skip

const LOSSES = {
  FLUSHALL: server => server.send('FLUSHALL'),
  'an empty restart': server => server.startEmpty(),
}

describe.each(Object.entries(LOSSES))('%s', (name, lose) => {
  withRedis(
    'no write runs twice, and each caller gets one answer',
    async () => {
      const random = seeded(name)
      const stage = await Stage.open()
      const server = await RedisServer.start()
      const seen = {}
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = callIds(round, CALLS)
        const orders = { store: { redis: server.url, timeoutMs: 300 }, sessionId: `loss-${round}`, ids }
        const workers = [stage.start(orders), stage.start(orders)]
        await Promise.all(workers.map(worker => worker.ready))
        await sleep(random.below(100))
        await lose(server)
        for (const worker of workers) {
          expect((await worker.ended).code).toBe(0)
          judgeComplete(worker, ids)
        }
        judge({ ids, workers, paid: stage.paid(), seen, isRefusable: true })
      }
      console.log(`${name}: ${JSON.stringify(seen)}`)
      expect(seen.transient).toBeGreaterThan(0)
    },
    900_000,
  )
})

describe('failover to a replica', () => {
  withRedis(
    'with `waitReplicas` no write runs twice, and each caller gets one answer',
    async () => {
      const random = seeded('failover with waitReplicas')
      const stage = await Stage.open()
      const seen = {}
      for (let round = 0; round < ROUNDS; round += 1) {
        const { primary, replica, cable } = await pair()
        const spare = await RedisServer.start()
        const store = { redis: { url: cable.url, waitReplicas: 1 }, leaseMs: 1500, timeoutMs: 2500 }
        const orders = { store, sessionId: `failover-${round}`, ids: callIds(round, CALLS), patient: true }
        const workers = [stage.start(orders), stage.start(orders)]
        await Promise.all(workers.map(worker => worker.ready))
        // A replica without the installation's key has lost its data: everything is refused until the host accepts it.
        await replica.catchUp(primary)
        await sleep(random.below(200))
        await failOver({ primary, replica, cable })
        // The promoted server needs a replica of its own: its claims wait for one as well.
        await spare.replicate(replica)
        for (const worker of workers) {
          expect((await worker.ended).code).toBe(0)
          judgeComplete(worker, orders.ids)
        }
        judge({ ids: orders.ids, workers, paid: stage.paid(), seen })
      }
      console.log(`failover with waitReplicas: ${JSON.stringify(seen)}`)
      expect(seen.ok).toBeGreaterThan(0)
    },
    900_000,
  )

  withRedis('without `waitReplicas` only the claims that the replica lacks are forgotten', async () => {
    const { stage, call, primary, replica, cable } = await paying({})
    expect(await call(REPLICATED)).toMatchObject({ ok: true })
    await replica.replicate(primary)
    await replica.promote()
    expect(await call(CLAIMED_LATE)).toMatchObject({ ok: true })
    await failOver({ primary, replica, cable })
    expect(await call(REPLICATED)).toMatchObject({ ok: true, replayed: true })
    expect(await call(CLAIMED_LATE)).toMatchObject({ ok: true, replayed: false })
    expect([...stage.paid()]).toEqual([
      [REPLICATED, 1],
      [CLAIMED_LATE, 2],
    ])
  })

  withRedis('with `waitReplicas` a claim that the replica lacks has not run', async () => {
    const { stage, call, primary, replica, cable } = await paying({ waitReplicas: 1 })
    expect(await call(REPLICATED)).toMatchObject({ ok: true })
    await replica.replicate(primary)
    await replica.promote()
    expect(await call(CLAIMED_LATE, { patient: false })).toMatchObject({ ok: false, error: 'TRANSIENT' })
    await failOver({ primary, replica, cable })
    await (await RedisServer.start()).replicate(replica)
    expect(await call(REPLICATED)).toMatchObject({ ok: true, replayed: true })
    expect(await call(CLAIMED_LATE)).toMatchObject({ ok: true, replayed: false })
    expect([...stage.paid()]).toEqual([
      [REPLICATED, 1],
      [CLAIMED_LATE, 1],
    ])
  })
})

/** A primary, its replica, and the way to the primary. */
async function pair() {
  const [primary, replica] = [await RedisServer.start(), await RedisServer.start()]
  await replica.replicate(primary)
  return { primary, replica, cable: await Cable.to(primary.port) }
}

async function failOver({ primary, replica, cable }) {
  await primary.kill()
  await replica.promote()
  cable.moveTo(replica.port)
}

/**
 * A pair, and a call from a new process for each. The call is repeated until its answer is final: a replica that has just
 * connected may confirm late.
 */
async function paying(settings) {
  const stage = await Stage.open()
  const servers = await pair()
  const store = { redis: { url: servers.cable.url, ...settings } }
  const call = async (id, { patient = true } = {}) => {
    const worker = stage.start({ store, sessionId: 'failover', ids: [id], patient })
    await worker.ended
    judgeComplete(worker, [id])
    return worker.answers.at(-1)
  }
  return { stage, call, ...servers }
}
