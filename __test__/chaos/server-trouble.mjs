// Two processes pay over one server, which is paused, killed, started again and cut off meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'

import { Cable } from '../support/redis-server.mjs'
import { judge } from './judge.mjs'
import { Stage } from './stage.mjs'

const CALLS = 60

/** What happens to the server, or on the way to it. */
const TROUBLES = {
  async paused({ server }) {
    server.pause()
    await sleep(Math.random() * 700)
    server.resume()
  },
  async restarted({ server }) {
    await server.kill()
    await sleep(Math.random() * 200)
    await server.startAgain()
  },
  async 'cut off'({ cable }) {
    cable.cut()
    await sleep(Math.random() * 500)
    cable.mend()
  },
  async 'a process killed'({ workers }) {
    workers[0].child.kill('SIGKILL')
  },
}

/**
 * Nothing happens twice, and nothing committed is missing.
 * @param {{ server: any, rounds: number, storeAt: (cable: Cable) => object, pauseMs?: number }} trouble `storeAt` names the store
 *   behind a cable; `pauseMs` is the pause before a refused call is repeated, and longer before each further time: the loop guard ends a call that is
 *   repeated too often
 */
export async function roundsOfTrouble({ server, rounds, storeAt, pauseMs = 20 }) {
  const stage = await Stage.open()
  const cable = await Cable.to(server.port)
  const store = { ...storeAt(cable), leaseMs: 1500, timeoutMs: 1500 }
  const seen = {}
  for (let round = 0; round < rounds; round += 1) {
    const [name, trouble] = Object.entries(TROUBLES)[round % Object.keys(TROUBLES).length]
    const orders = {
      store,
      sessionId: `round-${round}`,
      patient: true,
      pauseMs,
      ids: Array.from({ length: CALLS }, (_, n) => `call_${round}_${String(n).padStart(4, '0')}`),
    }
    const workers = [stage.start(orders), stage.start(orders)]
    await Promise.all(workers.map(worker => worker.ready))
    await sleep(Math.random() * 150)
    await trouble({ server, cable, workers })
    const ends = await Promise.all(workers.map(worker => worker.ended))
    const killed = name === 'a process killed'
    expect(ends.slice(killed ? 1 : 0).map(({ code }) => code)).toEqual(killed ? [0] : [0, 0])
    judge({ ids: orders.ids, workers, paid: stage.paid(), seen })
  }
  console.log(`${rounds} rounds of trouble: ${JSON.stringify(seen)}`)
}

/** A thousand equal calls at once over four processes run once, and all get the same answer. */
export async function burst(store) {
  const stage = await Stage.open()
  const orders = { store, sessionId: 'burst', ids: ['call_burst_0001'], burst: 250, slowMs: 300 }
  const workers = Array.from({ length: 4 }, () => stage.start(orders))
  await Promise.all(workers.map(worker => worker.ready))
  for (const worker of workers) worker.child.stdin.write('go\n')
  const ends = await Promise.all(workers.map(worker => worker.ended))
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  const answers = workers.flatMap(worker => worker.answers)
  const distinct = new Set(answers.map(({ ok, data }) => JSON.stringify({ ok, data })))
  expect([answers.length, distinct.size, [...distinct][0].includes('"ok":true')]).toEqual([1000, 1, true])
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect([...stage.paid()]).toEqual([['call_burst_0001', 1]])
}
