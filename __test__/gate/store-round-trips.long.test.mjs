// What a call costs on a server: the number of times that the gate asks and waits, counted between the two.
import { openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { Cable, RedisServer, hasRedis } from '../support/redis-server.mjs'

const CALLS = 100
const WRITE = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  lintAccepted: ['writes-without-confirmation'],
  properties: { n: { type: 'integer' } },
}
const TOOLS = {
  pay: { ...WRITE, execute: ({ args }) => ({ ok: true, data: args.n }) },
  look: { properties: { n: { type: 'integer' } }, execute: ({ args }) => ({ ok: true, data: args.n }) },
  ask: { ...WRITE, requiresConfirmation: true, execute: () => ({ ok: true, data: 'asked' }) },
}
const SERVERS = {
  Redis: { isHere: hasRedis, start: () => RedisServer.start(), storeAt: cable => ({ redis: cable.url }) },
  Postgres: {
    isHere: hasPostgres,
    start: () => PostgresServer.start(),
    // One connection: the trips are counted on it.
    storeAt: (cable, server) => ({ postgres: { url: server.urlAt(cable.port), connections: 1 } }),
  },
}

describe.each(Object.entries(SERVERS))('%s', (_, { isHere, start, storeAt }) => {
  const check = isHere ? test : test.skip

  async function open() {
    const server = await start()
    const cable = await Cable.to(server.port)
    const store = storeAt(cable, server)
    const gate = await openGate(TOOLS, { store })
    const policy = { totalCalls: 1000, retrievalCalls: 1000 }
    const session = await gate.session({ sessionId: 's', policy })
    await session.execute({ id: 'call_warm_up', name: 'look', args: { n: 0 } })
    const other = await openGate(TOOLS, { store: storeAt({ port: server.port, url: server.url }, server) })
    const holding = await gate.session({ sessionId: 's', policy, holdResults: 'writes' })
    return { cable, session, holding, elsewhere: await other.session({ sessionId: 's', policy }) }
  }

  const tripsOf = async (cable, work) => {
    const before = cable.roundTrips
    await work()
    return cable.roundTrips - before
  }

  // The gate also asks the server now and then whether it has lost its data.
  const expectTwoEach = trips => expect(trips / CALLS).toBeCloseTo(2, 1)

  check('a new call takes two round trips, with an id and without', async () => {
    const { cable, session } = await open()
    for (const name of ['pay', 'look']) {
      const trips = await tripsOf(cable, async () => {
        for (let n = 0; n < CALLS; n += 1) {
          const { ok } = await session.execute({ id: `call_${name}_${n}`, name, args: { n } })
          expect(ok).toBe(true)
        }
      })
      expectTwoEach(trips)
    }
    // With arguments of their own: an equal call of the turn under an id is no new one.
    const unnamed = await tripsOf(cable, async () => {
      for (let n = CALLS; n < 2 * CALLS; n += 1)
        expect(await session.execute({ name: 'look', args: { n } })).toMatchObject({ ok: true, data: n })
    })
    expectTwoEach(unnamed)
  })

  check('a write whose result is held takes two as well', async () => {
    const { cable, elsewhere, holding } = await open()
    let trips = 0
    // At most 100 results wait for their acceptance, which no call waits for.
    for (const half of [0, CALLS / 2]) {
      const ids = Array.from({ length: CALLS / 2 }, (_, n) => `call_held_${half + n}`)
      trips += await tripsOf(cable, async () => {
        for (const [n, id] of ids.entries())
          expect(await holding.execute({ id, name: 'pay', args: { n: half + n } })).toMatchObject({ ok: true })
      })
      for (const id of ids) expect(await holding.heldResult(id).accept()).toBe(true)
    }
    expectTwoEach(trips)
    for await (const result of elsewhere.results({ wait: false })) throw new Error(`${result.callId} is offered`)
  })

  check('what another process has done is found by the claim', async () => {
    const { session, elsewhere } = await open()
    const pay = { name: 'pay', args: { n: 7 } }
    const first = await elsewhere.execute({ id: 'call_shared_1', ...pay })
    expect(await session.execute({ id: 'call_shared_1', ...pay })).toMatchObject({
      ok: true,
      data: first.data,
      meta: { _idempotent_cache_hit: true },
    })
    // The same id with other arguments, in this turn and in a later one.
    const other = { id: 'call_shared_1', name: 'pay', args: { n: 8 } }
    expect(await session.execute(other)).toMatchObject({ error: { type: 'CONFLICT' } })
    // The first one begins turn 1.
    for (let turn = 1; turn <= 2; turn += 1) await session.beginTurn()
    const later = await session.execute(other)
    expect(later.error).toBeUndefined()
    expect(later.data).toBe(8)
  })

  check('a call that ran elsewhere without an id does not run again with one', async () => {
    const { session, elsewhere } = await open()
    const pay = { name: 'pay', args: { n: 9 } }
    expect(await elsewhere.execute(pay)).toMatchObject({ ok: true })
    const answer = await session.execute({ id: 'call_named_1', ...pay })
    expect(answer).toMatchObject({ ok: true, data: 9, meta: { _idempotent_cache_hit: true } })
  })

  check('a handler sees the state that another process has changed', async () => {
    const { session, elsewhere } = await open()
    await elsewhere.state.set('customer', 'C-1')
    await elsewhere.execute({ id: 'call_after_change', name: 'look', args: { n: 1 } })
    await session.execute({ id: 'call_that_sees', name: 'look', args: { n: 2 } })
    expect(session.state.get('customer')).toBe('C-1')
  })
})
