// Two instances of a service behind a balancer that asks for `/readyz`, on one server with the sessions. One of them is cut off from
// it: it gets no users until it can serve them, and those that it has go on reading.
import { once } from 'node:events'
import { createServer } from 'node:http'

import { createHealthProbes } from '../../js/http/index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { Cable, RedisServer, hasRedis } from '../support/redis-server.mjs'
import { afterTest } from '../support/tool-set.mjs'

const READY = { ok: true, draining: false, registry: true, store: true, audit: true, auditLinesLost: 0 }

const LOOK = { kind: 'read', properties: { n: { type: 'integer' } }, execute: () => ({ ok: true, data: 'seen' }) }

const SERVERS = [
  ['redis', hasRedis, () => RedisServer.start(), (_server, cable) => cable.url],
  ['postgres', hasPostgres, () => PostgresServer.start(), (server, cable) => server.urlAt(cable.port)],
].filter(([, isInstalled]) => isInstalled)

/** An instance: each request to `/chat` is a session of its own with one call. */
async function startInstance(store) {
  const gate = await openGate({ look: LOOK }, { store })
  const probes = createHealthProbes({ registry: () => gate.registry })
  const server = createServer(async (request, response) => {
    if (probes.answer(request, response)) return
    const chat = async () => {
      const session = await gate.session()
      return (await session.execute({ id: 'call_of_the_chat', name: 'look' })).ok
    }
    response.writeHead((await chat().catch(() => false)) ? 200 : 503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(() => server.close())
  const get = path => fetch(`http://127.0.0.1:${server.address().port}${path}`)
  return { gate, get, ready: async () => (await get('/readyz')).status === 200 }
}

/** Sends each request to the next instance that is ready. */
function balancerOf(instances) {
  let turn = 0
  return async () => {
    const states = await Promise.all(instances.map(instance => instance.ready()))
    const ready = instances.filter((_instance, n) => states[n])
    if (ready.length === 0) return 'no instance'
    return (await ready[turn++ % ready.length].get('/chat')).status
  }
}

describe.each(SERVERS)('%s', (kind, _isInstalled, start, urlOf) => {
  test.each(['cut', 'silence'])(
    'an instance whose way to the store is %s gets no users until it is back',
    async way => {
      const server = await start()
      const [near, far] = [await Cable.to(server.port), await Cable.to(server.port)]
      const cutOff = await startInstance({ [kind]: urlOf(server, near) })
      const other = await startInstance({ [kind]: urlOf(server, far) })
      const chat = balancerOf([cutOff, other])
      const chats = async () => Promise.all(Array.from({ length: 6 }, chat))
      expect(await chats()).toEqual(Array(6).fill(200))

      near[way]()
      await eventually(async () => !(await cutOff.ready()), 'the instance says that it is not ready')
      const answer = await cutOff.get('/readyz')
      expect([answer.status, await answer.json()]).toEqual([503, { ...READY, ok: false, store: false }])
      expect((await cutOff.get('/healthz')).status).toBe(200)
      expect(await chats()).toEqual(Array(6).fill(200))
      expect(await other.gate.registry.health()).toMatchObject({ ok: true, storeError: null })

      near.mend()
      await eventually(() => cutOff.ready(), 'the instance is ready again')
      expect((await cutOff.get('/chat')).status).toBe(200)
      expect(await chats()).toEqual(Array(6).fill(200))
    },
  )

  test('an attached session reads on, whoever asks for the health meanwhile', async () => {
    const server = await start()
    const cable = await Cable.to(server.port)
    const { gate, ready } = await startInstance({ [kind]: urlOf(server, cable) })
    const session = await gate.session({ policy: { totalCalls: 1000, retrievalCalls: 1000 } })
    await session.execute({ id: 'call_before', name: 'look' })
    cable.cut()
    // Each call would take the seconds of the store's limit, and all of them the time of this test many times over.
    for (let n = 0; n < 100; n += 1) {
      const answer = await session.execute({ id: `call_meanwhile_${n}`, name: 'look', args: { n } })
      // The first call waits, and says so too.
      expect([n, answer.ok, answer.meta.warnings]).toEqual([n, true, expect.arrayContaining(['store_unavailable'])])
      await ready()
    }
  })
})
