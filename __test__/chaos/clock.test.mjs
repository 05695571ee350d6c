// The wall clock of one of two processes jumps while both pay.
import { setTimeout as sleep } from 'node:timers/promises'

import { FakeClock, hasFakeClock } from '../support/fake-clock.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { judge, judgeComplete } from './judge.mjs'
import { Stage, callIds, rounds, seeded } from './stage.mjs'

const ROUNDS = rounds(30, 2)
const JUMPS = 6
const CALLS = 120
/** Seconds, to both sides of a lease, and within the 24 hours that an idle session lasts. */
const OFFSETS = [-40_000, -3600, -5, 0, 5, 3600, 40_000]
const STORES = {
  file: async stage => ({ file: stage.file('sessions.sqlite'), leaseMs: 1000 }),
  Redis: async () => ({ redis: (await RedisServer.start()).url, leaseMs: 1000 }),
}

describe.each(Object.keys(STORES))('%s store', kind => {
  const check = hasFakeClock && (kind === 'file' || hasRedis) ? test : test.skip
  check(
    'a clock that jumps: a write runs at most once, each caller gets one answer',
    async () => {
      const random = seeded(`clock jumps on ${kind}`)
      const stage = await Stage.open()
      const store = await STORES[kind](stage)
      const clock = new FakeClock(stage.file('clock'))
      const seen = {}
      for (let round = 0; round < ROUNDS; round += 1) {
        const orders = { store, sessionId: `clock-${round}`, ids: callIds(round, CALLS), patient: true }
        const workers = [stage.start(orders), stage.start(orders, clock.env)]
        await Promise.all(workers.map(worker => worker.ready))
        for (let jump = 0; jump < JUMPS; jump += 1) {
          clock.jump(random.pick(OFFSETS))
          await sleep(random.below(100))
        }
        for (const worker of workers) {
          expect((await worker.ended).code).toBe(0)
          judgeComplete(worker, orders.ids)
        }
        judge({ ids: orders.ids, workers, paid: stage.paid(), seen })
        clock.jump(0)
      }
      console.log(`clock jumps on ${kind}: ${JSON.stringify(seen)}`)
      expect(seen.ok).toBeGreaterThan(0)
    },
    900_000,
  )
})
