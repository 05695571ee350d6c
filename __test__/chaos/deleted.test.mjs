// The store file is deleted or moved away while two processes pay.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { judge, judgeComplete } from './judge.mjs'
import { Stage, callIds, rounds, seeded } from './stage.mjs'

const ROUNDS = rounds(30, 2)
const CALLS = 80
const NAME = 'sessions.sqlite'
const PARTS = [NAME, `${NAME}-wal`, `${NAME}-shm`]

// Windows keeps a file that is open.
const check = process.platform === 'win32' ? test.skip : test

check(
  'a deleted file: no write runs twice, and each caller gets one answer',
  async () => {
    const lose = async folder => PARTS.forEach(part => rmSync(`${folder}/${part}`, { force: true }))
    const seen = await pay({ name: 'deleted file', lose, isPutBack: false })
    expect(seen.transient).toBeGreaterThan(0)
  },
  900_000,
)

check(
  'a file that is moved away and put back: no write runs twice, and each caller gets one answer',
  async () => {
    const lose = async (folder, random) => {
      const present = PARTS.filter(part => existsSync(`${folder}/${part}`))
      mkdirSync(`${folder}/away`)
      for (const part of present) renameSync(`${folder}/${part}`, `${folder}/away/${part}`)
      await sleep(random.below(300))
      for (const part of present) renameSync(`${folder}/away/${part}`, `${folder}/${part}`)
    }
    const seen = await pay({ name: 'moved file', lose, isPutBack: true })
    expect(seen.ok).toBeGreaterThan(0)
    expect(seen.transient).toBeGreaterThan(0)
  },
  900_000,
)

async function pay({ name, lose, isPutBack }) {
  const random = seeded(name)
  const stage = await Stage.open()
  const seen = {}
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = stage.file(`store-${round}`)
    mkdirSync(folder)
    const store = { file: `${folder}/${NAME}`, leaseMs: 1000, timeoutMs: 1000 }
    const orders = { store, sessionId: `${name}-${round}`, ids: callIds(round, CALLS) }
    const workers = [stage.start(orders), stage.start(orders)]
    await Promise.all(workers.map(worker => worker.ready))
    await sleep(random.below(150))
    await lose(folder, random)
    for (const worker of workers) {
      expect((await worker.ended).code).toBe(0)
      judgeComplete(worker, orders.ids)
    }
    judge({ ids: orders.ids, workers, paid: stage.paid(), seen, isRefusable: true })
    if (isPutBack) await payAgain({ stage, orders, workers, seen })
  }
  console.log(`${name}: ${JSON.stringify(seen)}`)
  return seen
}

/** The same calls in a new process: the file has the records of the first ones. */
async function payAgain({ stage, orders, workers, seen }) {
  const later = stage.start(orders)
  expect((await later.ended).code).toBe(0)
  judgeComplete(later, orders.ids)
  const paid = stage.paid()
  judge({ ids: orders.ids, workers: [later], paid, seen })
  judge({ ids: orders.ids, workers: [...workers, later], paid, seen: {}, isRefusable: true })
}
