// A server, Redis or Postgres, that is stopped and started again: calls are not held up by it for long, it is asked now and then, and used
// again once it answers.
import { eventually, openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { Cable, RedisServer, hasRedis } from '../support/redis-server.mjs'

/** How long the store's circuit breaker stays open: `WINDOW` in src/store/shared/breaker.rs. */
const WINDOW_MS = 1000
const WRITE = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  lintAccepted: ['writes-without-confirmation'],
}

/** Each server: whether it is installed, its start, and its address behind a cable. */
const SERVERS = [
  ['redis', hasRedis, () => RedisServer.start(), (_server, cable) => cable.url],
  ['postgres', hasPostgres, () => PostgresServer.start(), (server, cable) => server.urlAt(cable.port)],
].filter(([, isInstalled]) => isInstalled)

test.each(SERVERS)(
  'while the server is gone it is asked once a while, not once a call; then it is used again: %s',
  async (kind, _isInstalled, start, urlOf) => {
    const server = await start()
    const cable = await Cable.to(server.port)
    const store = { [kind]: urlOf(server, cable), timeoutMs: 3000 }
    let paid = 0
    const properties = { n: { type: 'integer' } }
    const tools = {
      look: { properties, execute: () => ({ ok: true }) },
      pay: { ...WRITE, properties, execute: () => ({ ok: true, data: ++paid }) },
    }
    const gate = await openGate(tools, { store })
    const policy = { totalCalls: 1_000_000, retrievalCalls: 1_000_000 }
    const session = await gate.session({ sessionId: 's', policy })
    let calls = 0
    const call = name => session.execute({ id: `call_outage_${++calls}`, name, args: { n: calls } })
    expect((await call('pay')).ok).toBe(true)

    await server.kill()
    // Whatever it takes until the store is found to be gone.
    for (let n = 0; n < 3; n += 1) await call('look')
    const [comers, from] = [cable.comers, Date.now()]
    for (let n = 0; n < 300; n += 1) {
      const answer = await call(n % 3 === 0 ? 'pay' : 'look')
      expect([answer.ok, answer.error?.type, answer.meta.warnings]).toEqual(
        n % 3 === 0 ? [false, 'TRANSIENT', undefined] : [true, undefined, ['store_unavailable']],
      )
    }
    // One probe for each time that the breaker was open; a probe is one connection.
    expect(cable.comers - comers).toBeLessThanOrEqual(1 + (Date.now() - from) / WINDOW_MS)
    await expect(gate.session({ sessionId: 'another' })).rejects.toMatchObject({ type: 'TRANSIENT' })
    expect(paid).toBe(1)

    // Who starts meanwhile is not refused: the server may come.
    const late = await openGate(tools, { store })
    await expect(late.session()).rejects.toMatchObject({ type: 'TRANSIENT' })

    await server.startAgain()
    await eventually(async () => (await call('look')).meta.warnings === undefined, 'the store is used again')
    expect(await call('pay')).toMatchObject({ ok: true, data: 2 })
    expect((await gate.session({ sessionId: 'another' })).turn).toBe(1)
  },
)
