// Stores that answer and refuse every write: no instance is ready on them, the load names what refuses, and a store that has moved
// behind its address is found again.
import { mkdtempSync } from 'node:fs'

import { createHealthProbes } from '../../js/http/index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { Cable, RedisServer, hasRedis, until } from '../support/redis-server.mjs'
import { SmallDisk, missing } from '../support/small-disk.mjs'

const PAY = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  lintAccepted: ['writes-without-confirmation'],
  properties: { n: { type: 'integer' } },
  execute: () => ({ ok: true }),
}

const app = server => server.url.replace('redis://', 'redis://app:secret@')
const fullMemory = {
  begin: server => server.send('CONFIG SET maxmemory 1'),
  end: server => server.send('CONFIG SET maxmemory 0'),
  reason: 'redis is full (`maxmemory`)',
}
const lessRights = {
  urlOf: app,
  begin: server => server.send('ACL SETUSER app -@scripting'),
  end: server => server.send('ACL SETUSER app +@all'),
  reason: "'evalsha'",
}
const replica = {
  begin: server => server.send('REPLICAOF 127.0.0.1 1'),
  end: server => server.promote(),
  reason: "is a replica that can't be written to",
}
const setting = (server, change) => (server.query(`ALTER SYSTEM ${change}`), server.query('SELECT pg_reload_conf()'))
const readOnly = {
  begin: server => setting(server, 'SET default_transaction_read_only = on'),
  end: server => setting(server, 'RESET default_transaction_read_only'),
  reason: 'is a standby, or read-only',
}

/** Each trouble, on a server of its own: how it begins and ends, and how it is named. */
const TROUBLES = [
  ['redis', 'its memory is full', fullMemory],
  ['redis', 'its user lost a right', lessRights],
  ['redis', 'it became a replica', replica],
  ['postgres', 'it is read-only', readOnly],
].filter(([kind]) => (kind === 'redis' ? hasRedis : hasPostgres))

async function serverOf(kind) {
  if (kind === 'postgres') return PostgresServer.start()
  const server = await RedisServer.start()
  await server.send('ACL SETUSER app on >secret ~* +@all')
  return server
}

/** Makes calls with an id of their own. */
async function payer({ session: open }) {
  const session = await open({ policy: { totalCalls: 1_000_000 } })
  let calls = 0
  return () => session.execute({ id: `call_refused_${++calls}`, name: 'pay', args: { n: calls } })
}

const isReady = async ({ registry }) => (await createHealthProbes({ registry: () => registry }).ready()).status === 200

test.each(TROUBLES)(
  'no instance is ready on a store of which %s says that %s, and none begins',
  async (kind, _trouble, { urlOf = server => server.url, begin, end, reason }) => {
    const server = await serverOf(kind)
    const store = { [kind]: urlOf(server) }
    const gate = await openGate({ pay: PAY }, { store })
    const pay = await payer(gate)
    expect([(await pay()).ok, await isReady(gate)]).toEqual([true, true])

    await begin(server)
    await eventually(async () => !(await pay()).ok, 'a write is refused')
    await eventually(async () => !(await isReady(gate)), 'the instance is not ready')
    expect(await gate.registry.health()).toMatchObject({ ok: false, storeError: expect.stringContaining(reason) })
    expect((await pay()).error).toMatchObject({ type: 'TRANSIENT', retryable: true })
    await expect(openGate({ pay: PAY }, { store })).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringContaining(reason),
    })

    await end(server)
    await eventually(() => isReady(gate), 'the instance is ready again')
    await eventually(async () => (await pay()).ok, 'writes are taken again')
  },
)

const withRedis = hasRedis ? test : test.skip

withRedis('after a failover behind one address, the old connection is left for the new primary', async () => {
  const [old, next] = [await RedisServer.start(), await RedisServer.start()]
  const cable = await Cable.to(old.port)
  const gate = await openGate({ pay: PAY }, { store: { redis: cable.url } })
  const pay = await payer(gate)
  expect((await pay()).ok).toBe(true)
  await next.replicate(old)

  await next.promote()
  await old.replicate(next)
  cable.leadTo(next.port)
  const comers = cable.comers
  // No call is lost over it, nor any time.
  for (let n = 0; n < 5; n += 1) expect(await pay()).toMatchObject({ ok: true })
  expect(cable.comers - comers).toBe(1)
  expect(await isReady(gate)).toBe(true)
})

withRedis('a Redis Cluster is refused by name, whichever node is given', async () => {
  const nodes = [
    await RedisServer.start(undefined, ['--cluster-enabled', 'yes']),
    await RedisServer.start(undefined, ['--cluster-enabled', 'yes']),
  ]
  await nodes[0].send('CLUSTER ADDSLOTSRANGE 0 8191')
  await nodes[1].send('CLUSTER ADDSLOTSRANGE 8192 16383')
  await nodes[0].send(`CLUSTER MEET 127.0.0.1 ${nodes[1].port}`)
  for (const node of nodes) await until(async () => (await node.send('CLUSTER INFO')).includes('cluster_state:ok'))
  const single = await RedisServer.start(undefined, ['--cluster-enabled', 'yes'])
  // It has no slots yet, and then all of them.
  const isRefused = node =>
    expect(openGate({ pay: PAY }, { store: { redis: node.url } })).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringContaining('is a node of a Redis Cluster'),
    })
  await isRefused(single)
  await single.send('CLUSTER ADDSLOTSRANGE 0 16383')
  await until(async () => (await single.send('CLUSTER INFO')).includes('cluster_state:ok'))
  for (const node of [...nodes, single]) await isRefused(node)
})

test.each(['tmpfs', 'limit'].filter(kind => !missing[kind]))(
  'a file on a full disk is not ready, and ready once there is room (%s)',
  async kind => {
    const disk = await SmallDisk.start(kind)
    await disk.order('attach', { sessionId: 's' })
    const isOk = async () => (await disk.order('health')).ok
    expect(await isOk()).toBe(true)
    await disk.fill()
    await eventually(async () => !(await isOk()), 'it is not ready')
    expect((await disk.order('health')).storeError).toMatch(/can't grow|does not allow it to grow/)
    await disk.free()
    await eventually(isOk, 'it is ready again')
  },
)

test('a file that can not be made fails the load', async () => {
  const file = `${mkdtempSync('/tmp/toolgate-refused-')}/absent/sessions.sqlite`
  await expect(openGate({ pay: PAY }, { store: { file } })).rejects.toMatchObject({ code: 'STORE_REFUSED' })
})
