// No row of a store keeps a sensitive value, but that of an open question: not of calls that run in the background, may run again, or
// are reconciled, and not after any of their ends.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { eventually, gateway, openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { delivered } from '../support/results.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const properties = { plain: { type: 'string' }, secret: { type: 'string', 'x-sensitive': true } }
const RECONCILED = `export async function execute() {
  return { ok: false, error: { type: 'TRANSIENT', message: 'no', retryable: false, partialSideEffects: true } }
}
export async function reconcile() { return { outcome: 'unknown' } }
`

/** A store, and all that it has written, as text. */
const STORES = {
  file: async () => {
    const folder = temporaryFolder()
    const names = () => readdirSync(folder).filter(name => name.startsWith('sessions.sqlite'))
    const bytes = () =>
      names()
        .map(name => readFileSync(path.join(folder, name), 'latin1'))
        .join('')
    return { store: { file: path.join(folder, 'sessions.sqlite') }, bytes }
  },
  Redis: async () => {
    const { url } = await RedisServer.start()
    const cli = (...words) => execFileSync('redis-cli', ['-u', url, ...words], { encoding: 'latin1' })
    const read = { hash: 'hgetall', string: 'get', set: 'smembers', zset: 'zrange', list: 'lrange', stream: 'xrange' }
    const ends = { zset: ['0', '-1'], list: ['0', '-1'], stream: ['-', '+'] }
    const rowsOf = key => {
      const type = cli('type', key).trim()
      return type === 'none' ? '' : cli(read[type], key, ...(ends[type] ?? []))
    }
    const bytes = () => cli('--scan').split('\n').filter(Boolean).map(rowsOf).join('')
    return { store: { redis: url }, bytes }
  },
  Postgres: async () => {
    const { url } = await PostgresServer.start()
    const bytes = () => {
      const dump = execFileSync('pg_dump', ['--data-only', '--inserts', url], {
        encoding: 'latin1',
        maxBuffer: 2 ** 27,
      })
      // Binary columns are written as hexadecimal digits.
      return dump.replaceAll(/\\x([0-9a-f]+)/g, (_, digits) => Buffer.from(digits, 'hex').toString('latin1'))
    }
    return { store: { postgres: url }, bytes }
  },
}

async function on(kind) {
  const { store, bytes } = await STORES[kind]()
  const running = gateway()
  const execute = async () => (await running.passed, { ok: true, data: 'done' })
  const idempotent = { category: 'action', sideEffects: 'writes', idempotent: true }
  const { registry, session: open } = await openGate(
    {
      read: { kind: 'read', background: true, properties, execute },
      put: { ...idempotent, background: { afterMs: 5 }, properties, execute },
      send: { kind: 'write', background: true, properties, execute },
      refund: { kind: 'write', properties, source: RECONCILED },
      pay: { kind: 'write', requiresConfirmation: true, lintAccepted: ['sensitive-confirmation'], properties, execute },
    },
    { store },
  )
  const session = await open({ sessionId: 'rows', principal: 'ada' })
  await session.beginTurn('1')
  const call = name =>
    session.execute({ id: `call_${name}_0001`, name, args: { plain: 'PLAIN', secret: `CANARY-${name}` } })
  return { registry, session, running, bytes, call }
}

describe.each([
  ['file', true],
  ['Redis', hasRedis],
  ['Postgres', hasPostgres],
])('on %s', (kind, isHere) => {
  const check = isHere ? test : test.skip

  check('calls that run in the background, and calls of uncertain outcome, keep no secret', async () => {
    const { session, running, bytes, call } = await on(kind)
    const stop = new AbortController()
    const results = (async () => {
      for await (const result of session.results({ signal: stop.signal })) await result.accept(result.response)
    })()
    for (const name of ['read', 'put', 'send', 'refund']) {
      await call(name)
      expect(bytes()).not.toContain(`CANARY-${name}`)
    }
    running.open()
    await eventually(async () => (await session.backgroundCalls()).length === 0, 'all results are delivered')
    stop.abort()
    await results
    expect(await delivered(session)).toEqual([])
    expect(bytes()).not.toContain('CANARY')
  })

  check('an open question holds them until it is answered', async () => {
    const { session, running, bytes, call } = await on(kind)
    running.open()
    const { token } = (await call('pay')).error.confirmation_request
    expect(bytes()).toContain('CANARY-pay')
    await session.deny(token)
    await eventually(() => !bytes().includes('CANARY-pay'), 'the denied question leaves nothing')
    const again = (await call('pay')).error.confirmation_request.token
    expect((await session.confirm(again)).ok).toBe(true)
    await eventually(() => !bytes().includes('CANARY-pay'), 'nor does the confirmed one')
  })
})
