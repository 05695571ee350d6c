// A memory store that is flooded with sessions, many times more than it keeps.
import { appendFileSync } from 'node:fs'

import { createRegistry } from '../../index.js'
import { afterTest } from '../support/tool-set.mjs'
import { Stage, rounds, seeded } from './stage.mjs'

const SESSIONS_KEPT = 20
const SESSIONS = rounds(20_000, 400)
const CALLS = SESSIONS * 5
const TOGETHER = 10

test(`${SESSIONS} sessions in a memory store of ${SESSIONS_KEPT}: a write runs at most once, each caller gets one answer`, async () => {
  const random = seeded('eviction flood')
  const stage = await Stage.open()
  const registry = await openRegistry(stage)
  const seen = {}
  for (let made = 0; made < CALLS; made += TOGETHER) {
    const calls = random.times(TOGETHER, TOGETHER, () => ({
      sessionId: `flood-${random.below(SESSIONS)}`,
      number: random.below(3),
    }))
    const kinds = await Promise.all(calls.map(call => pay(registry, call)))
    for (const kind of kinds) seen[kind] = (seen[kind] ?? 0) + 1
  }
  console.log(`eviction flood: ${JSON.stringify(seen)}`)
  const paid = stage.paid()
  expect([...paid].filter(([, times]) => times > 1)).toEqual([])
  // A caller that shares a running call gets its answer, and counts as replayed.
  expect(Object.keys(seen).filter(kind => !['ran', 'replayed', 'forgotten'].includes(kind))).toEqual([])
  expect(seen.ran).toBe(paid.size)
  expect(seen.forgotten).toBeGreaterThan(0)
  expect(seen.replayed + seen.forgotten).toBe(CALLS - seen.ran)
}, 900_000)

async function openRegistry(stage) {
  const registry = createRegistry({
    artifact: stage.artifact,
    limits: { maxSessions: SESSIONS_KEPT },
    handlers: {
      async pay({ args }) {
        await new Promise(resolve => setImmediate(resolve))
        appendFileSync(stage.effects, `${args.id}\n`)
        return { ok: true, data: args.id }
      },
    },
  })
  afterTest(() => registry.close({ timeoutMs: 1000 }))
  await registry.load()
  return registry
}

/** The kind of the answer of a call that may be repeated, in a session that may have been evicted. */
async function pay(registry, { sessionId, number }) {
  const session = await registry.createSession({ sessionId, mode: 'text', policy: { totalCalls: 1_000_000 } })
  const id = `${sessionId}_${number}`
  const { ok, data, error, meta } = await session.execute({ id: `call_${number}_0001`, name: 'pay', args: { id } })
  // A session with a connection is not evicted.
  await session.detach()
  if (!ok) return error.type === 'CONFLICT' ? 'forgotten' : JSON.stringify(error)
  if (data !== id) return `answered ${data} for ${id}`
  return meta._idempotent_cache_hit === true ? 'replayed' : 'ran'
}
