// One process of the chaos suite: calls a payment again and again and says each answer on a line of its own.
//
// Its orders come as one JSON argument: { artifact, store, effects, sessionId, ids, burst?, patient?, pauseMs?, package? }. The handler's
// effect is a line appended to `effects`, before which and after which it waits for a moment: a kill finds it in any place. SIGTERM
// lets the running call end. `package` is the folder of another copy of the package.
import { appendFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const {
  artifact,
  store,
  effects,
  sessionId,
  ids,
  burst = 1,
  patient = false,
  pauseMs = 20,
  slowMs = 4,
  package: folder = new URL('../../', import.meta.url).href,
} = JSON.parse(process.argv[2])
const tell = line => writeSync(1, `${JSON.stringify(line)}\n`)

const { createRegistry } = await import(new URL('index.js', folder).href)
const registry = createRegistry({
  artifact,
  store,
  handlers: {
    async pay({ args }) {
      await sleep(Math.random() * slowMs)
      appendFileSync(effects, `${args.id}\n`)
      await sleep(Math.random() * slowMs)
      return { ok: true, data: { paid: args.id, by: process.pid } }
    },
  },
})
await registry.load()

async function attached() {
  for (;;) {
    try {
      return await registry.createSession({ sessionId, mode: 'text', policy: { totalCalls: 1_000_000 } })
    } catch (error) {
      if (error.type !== 'TRANSIENT') throw error
      await sleep(50)
    }
  }
}

const session = await attached()
let isStopping = false
process.once('SIGTERM', () => {
  isStopping = true
})
tell({ ready: true })

async function pay(id) {
  for (let attempt = 1; ; attempt += 1) {
    const { ok, data, error, meta } = await session.execute({ id, name: 'pay', args: { id } })
    const again = !ok && patient && error.type === 'TRANSIENT' && error.retryable
    tell({
      id,
      ok,
      data,
      again,
      error: error?.type,
      outcome: error?.details?.outcome,
      replayed: meta._idempotent_cache_hit === true,
      warnings: meta.warnings,
    })
    if (!again) return
    await sleep(attempt * pauseMs)
    await beginTurn()
  }
}

/** A repeat is of a new turn, which begins once the store answers: however long that takes, the repeats are no loop. */
async function beginTurn() {
  while (!isStopping) {
    try {
      return await session.beginTurn()
    } catch {
      await sleep(pauseMs)
    }
  }
}

if (burst > 1) {
  await new Promise(resolve => process.stdin.once('data', resolve))
  process.stdin.destroy()
  await Promise.all(Array.from({ length: burst }, () => pay(ids[0])))
} else {
  for (const id of ids) if (!isStopping) await pay(id)
}
await registry.close({ timeoutMs: 1000 })
