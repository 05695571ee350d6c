// A Redis server that forgets: evicting ones are refused, lost data is noticed, and a write waits for its replicas.
import { connect } from 'node:net'

import { eventually, openGate } from '../support/gate.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'

const withRedis = hasRedis ? test : test.skip
const WRITE = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  lintAccepted: ['writes-without-confirmation'],
}

/** Sends a command to a server. Resolves with the first piece of its reply. */
function send(server, command) {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.on('error', reject)
    socket.once('data', reply => {
      socket.destroy()
      resolve(reply.toString())
    })
  })
}

function deferred() {
  const made = {}
  made.promise = new Promise(resolve => (made.resolve = resolve))
  return made
}

/** A gate with a write that counts its runs. */
async function paying(store, options) {
  let paid = 0
  const tools = { pay: { ...WRITE, properties: {}, execute: () => ({ ok: true, data: ++paid }) } }
  return { ...(await openGate(tools, { store, ...options })), paid: () => paid }
}

withRedis('a server that evicts keys fails the load, unless that is accepted', async () => {
  const server = await RedisServer.start()
  expect(await send(server, 'CONFIG SET maxmemory-policy allkeys-lru')).toBe('+OK\r\n')
  await expect(paying({ redis: server.url })).rejects.toMatchObject({
    code: 'STORE_REFUSED',
    message: expect.stringContaining('`maxmemory-policy allkeys-lru`'),
  })
  const lines = []
  const { session } = await paying(
    { redis: { url: server.url, allowEviction: true } },
    { onLog: line => lines.push(line.message) },
  )
  expect((await (await session()).execute({ id: 'call_evict_001', name: 'pay' })).ok).toBe(true)
  expect(lines).toContain(
    'redis evicts keys (`maxmemory-policy allkeys-lru`), and a call that it forgets can run twice',
  )
})

withRedis('after FLUSHALL writes are refused until the host accepts the store', async () => {
  const server = await RedisServer.start()
  const { registry, session, paid } = await paying({ redis: server.url })
  const call = { id: 'call_flush_001', name: 'pay' }
  const first = await session()
  expect((await first.execute(call)).ok).toBe(true)
  expect((await registry.health()).storeError).toBeNull()
  expect(await send(server, 'FLUSHALL')).toBe('+OK\r\n')
  expect(await first.execute(call)).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  // The last answer of the store is used for two seconds.
  await eventually(async () => !(await registry.health()).ok, 'the loss is reported')
  expect(await registry.health()).toMatchObject({
    ok: false,
    storeError: expect.stringContaining('`registry.acceptStore()`'),
  })
  expect(paid()).toBe(1)
  await registry.acceptStore()
  expect(await registry.health()).toMatchObject({ ok: true, storeError: null })
  expect(await (await session()).execute({ ...call, id: 'call_flush_002' })).toMatchObject({ ok: true, data: 2 })
})

withRedis('a call that waits for the same call of another process is refused when its record is lost', async () => {
  const server = await RedisServer.start()
  const held = deferred()
  const started = deferred()
  const execute = async () => {
    started.resolve()
    await held.promise
    return { ok: true, data: 'paid' }
  }
  const call = { id: 'call_lost_0001', name: 'pay' }
  // The lease of the lost claim is longer than a test may take.
  const store = { redis: server.url, leaseMs: 3_600_000 }
  const gates = []
  for (let number = 0; number < 2; number += 1)
    gates.push(await openGate({ pay: { ...WRITE, properties: {}, execute } }, { store }))
  const [running, joining] = await Promise.all(gates.map(({ session }) => session({ sessionId: 's' })))
  const first = running.execute(call)
  await started.promise
  const joined = joining.execute(call)
  // It has joined: without the loss it waits as long as the handler.
  expect(await Promise.race([joined, new Promise(resolve => setTimeout(resolve, 300, 'waits'))])).toBe('waits')
  expect(await send(server, 'FLUSHALL')).toBe('+OK\r\n')
  expect(await joined).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  held.resolve()
  expect(await first).toMatchObject({ ok: true, data: 'paid' })
})

withRedis('without enough replicas a write does not run', async () => {
  const server = await RedisServer.start()
  const { session, paid } = await paying({ redis: { url: server.url, waitReplicas: 1, waitTimeoutMs: 100 } })
  const answer = await (await session()).execute({ id: 'call_wait_0001', name: 'pay' })
  expect(answer).toMatchObject({ ok: false, error: { type: 'TRANSIENT', partialSideEffects: false } })
  expect(paid()).toBe(0)
})

test.each([
  [{ url: 'http://x' }, 'must be a URL'],
  [{ url: 'redis://x', waitReplicas: 1.5 }, '`store.redis.waitReplicas` must be a whole number from 0 to 100'],
  [{ url: 'redis://x', allowEviction: 'yes' }, '`store.redis.allowEviction` must be true or false'],
  [{ url: 'redis://x', waitTimeoutMs: -1 }, '`store.redis.waitTimeoutMs` must be'],
  [{ url: 'redis://x', replicas: 1 }, 'replicas'],
])('a wrong option of the server is a TypeError: %j', async (redis, message) => {
  await expect(paying({ redis })).rejects.toThrow(message)
})
