// How long the oldest result of a store has been owed, as a process reports it that did not make the call.
import path from 'node:path'

import { prometheusText, success } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { samplesOf } from '../support/openmetrics.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { delivered } from '../support/results.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const STORES = {
  memory: { isHere: true, open: async () => 'memory' },
  file: { isHere: true, open: async () => ({ file: path.join(await temporaryFolder(), 'sessions.sqlite') }) },
  Redis: { isHere: hasRedis, open: async () => ({ redis: (await RedisServer.start()).url }) },
  Postgres: { isHere: hasPostgres, open: async () => ({ postgres: (await PostgresServer.start()).url }) },
}
const TOOLS = { add: { kind: 'write', execute: async () => success(3), background: true } }

describe.each(Object.entries(STORES))('in the store %s', (kind, { isHere, open }) => {
  const check = isHere ? test : test.skip

  check('a result is owed from its end until it is accepted', async () => {
    const store = await open()
    const gate = await openGate(TOOLS, { store })
    const { registry } = kind === 'memory' ? gate : await openGate(TOOLS, { store })
    const age = async () => (await registry.health()).owed.oldestAgeMs
    const session = await gate.session({ sessionId: 'owing' })
    for await (const _ of session.results({ wait: false }));
    expect(await session.execute({ id: 'call_12345678', name: 'add', args: {} })).toMatchObject({
      meta: { pending: true },
    })
    await eventually(async () => (await session.backgroundCalls()).every(({ running }) => !running), 'the call ended')
    await eventually(async () => (await age()) > 0, 'the result has an age')
    const samples = samplesOf(prometheusText(registry.getMetrics(), await registry.health()))
    expect(samples['toolgate_oldest_owed_result_age_seconds{}']).toBeGreaterThan(0)
    expect(await delivered(session)).toMatchObject([{ ok: true, data: 3 }])
    await eventually(async () => (await age()) === 0, 'nothing is owed any more')
  })
})
