// Several processes on one store, killed at random moments and started again.
import { setTimeout as sleep } from 'node:timers/promises'

import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { judge, judgeComplete } from './judge.mjs'
import { Stage, callIds, rounds, seeded } from './stage.mjs'

const PROCESSES = 3
const CALLS = 80
const KILLS = rounds(40, 4)
const ROUNDS = rounds(20, 1)
const LEASE_MS = 1000

const STORES = {
  file: async stage => ({ file: stage.file('sessions.sqlite'), leaseMs: LEASE_MS }),
  Redis: async () => ({ redis: (await RedisServer.start()).url, leaseMs: LEASE_MS }),
}

describe.each(Object.keys(STORES))('%s store', kind => {
  const check = kind === 'Redis' && !hasRedis ? test.skip : test
  check(
    `${PROCESSES} processes with ${KILLS} random kills and restarts: a write runs at most once, each caller gets one answer`,
    async () => {
      const random = seeded(`crowd on ${kind}`)
      const stage = await Stage.open()
      const store = await STORES[kind](stage)
      const seen = {}
      for (let round = 0; round < ROUNDS; round += 1) await crowd({ stage, store, round, random, seen })
      console.log(`crowd on ${kind}: ${JSON.stringify(seen)}`)
      expect(seen.ok).toBeGreaterThan(0)
      expect(seen.replayed).toBeGreaterThan(0)
    },
    900_000,
  )
})

async function crowd({ stage, store, round, random, seen }) {
  const orders = { store, sessionId: `crowd-${round}`, ids: callIds(round, CALLS), patient: true }
  const running = Array.from({ length: PROCESSES }, () => stage.start(orders))
  const workers = [...running]
  for (let kill = 0; kill < KILLS; kill += 1) {
    const place = random.below(PROCESSES)
    const chosen = running[place]
    await chosen.ready
    await sleep(random.below(200))
    chosen.child.kill('SIGKILL')
    await chosen.ended
    running[place] = stage.start(orders)
    workers.push(running[place])
  }
  for (const worker of running) {
    expect((await worker.ended).code).toBe(0)
    judgeComplete(worker, orders.ids)
  }
  judge({ ids: orders.ids, workers, paid: stage.paid(), seen })
}
