// Sessions in a Postgres database: shared by processes, through a pooler, and a setting that is wrong.
import { storeFromSetting } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'

const WRITE = {
  sideEffects: 'writes',
  idempotent: false,
  category: 'action',
  lintAccepted: ['writes-without-confirmation'],
  properties: { n: { type: 'integer' } },
}
const CALLS = 40

/** Two registries on one store, as two processes have them, with one count of what was paid. */
async function twoGates(store) {
  let paid = 0
  const tools = { pay: { ...WRITE, execute: () => ({ ok: true, data: ++paid }) } }
  const gates = [await openGate(tools, { store }), await openGate(tools, { store })]
  const policy = { totalCalls: 1000, retrievalCalls: 1000 }
  const open = gate => gate.session({ sessionId: 's', policy })
  const sessions = [await open(gates[0]), await open(gates[1])]
  return { gates, sessions, paid: () => paid }
}

/** Sends each call through both registries at once. */
async function payTwice({ sessions, paid }) {
  const send = (session, n) => session.execute({ id: `call_postgres_${n}`, name: 'pay', args: { n } })
  const numbers = Array.from({ length: CALLS }, (_, n) => n)
  const answers = await Promise.all(numbers.flatMap(n => sessions.map(session => send(session, n))))
  expect(answers.filter(({ ok }) => !ok)).toEqual([])
  const distinct = new Set(answers.map(({ data }) => data))
  expect([paid(), distinct.size]).toEqual([CALLS, CALLS])
}

const withPostgres = hasPostgres ? test : test.skip
const withPooler = hasPostgres && hasPgbouncer ? test : test.skip

withPostgres('a session is shared, and goes on after a restart of the server', async () => {
  const server = await PostgresServer.start()
  const shared = await twoGates({ postgres: { url: server.url, schema: 'agents', connections: 2 } })
  await payTwice(shared)
  // Beside the row of the store's own.
  expect(server.query("SELECT count(*) FROM agents.sessions WHERE id NOT LIKE '%#probe'")).toEqual(['1'])
  await server.kill()
  await server.startAgain()
  const again = await shared.sessions[0].execute({ id: 'call_postgres_0', name: 'pay', args: { n: 0 } })
  expect([again.ok, again.meta._idempotent_cache_hit, shared.paid()]).toEqual([true, true, CALLS])
})

withPooler.each(['transaction', 'statement'])(
  'a pooler in %s mode gives each statement to another connection, and nothing runs twice',
  async mode => {
    const server = await PostgresServer.start()
    await payTwice(await twoGates({ postgres: await startPgbouncer(server, mode), timeoutMs: 20_000 }))
  },
)

withPostgres('a database that is not in UTF8 is refused', async () => {
  const server = await PostgresServer.start()
  server.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
  const gate = openGate(
    { pay: { ...WRITE, execute: () => ({ ok: true }) } },
    { store: { postgres: server.url.replace(/postgres$/, 'latin') } },
  )
  await expect(gate).rejects.toMatchObject({ code: 'STORE_REFUSED', message: expect.stringContaining('`LATIN1`') })
})

test.each([
  [{ postgres: 'http://h' }, '`store.postgres` must be a URL, such as `postgres://127.0.0.1:5432/app`'],
  [{ postgres: { url: 'postgres://h', schema: 1 } }, '`store.postgres.schema` must be the name of a schema'],
  [
    { postgres: { url: 'postgres://h', connections: 0 } },
    '`store.postgres.connections` must be a whole number from 1 to 100',
  ],
  [
    { postgres: 'postgres://h', redis: 'redis://h' },
    '`store` must name one place: `{ file }`, `{ redis }` or `{ postgres }`',
  ],
  [
    { postgres: 'postgres://u:hidden@h:x' },
    'store: the postgres address is not valid: invalid connection string: invalid value for option `port`',
  ],
])('%j is a wrong setting', async (store, message) => {
  const gate = openGate({ look: { execute: () => ({ ok: true }) } }, { store })
  await expect(gate).rejects.toMatchObject({ message: expect.stringContaining(message) })
})

test('a setting names a database by its URL', () => {
  for (const postgres of ['postgres://h/db', 'postgresql://h/db'])
    expect(storeFromSetting(postgres)).toEqual({ postgres })
})
