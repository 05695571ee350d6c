// Refunds of four processes that are killed before and after the payment service has them, or lose its answer: each order is
// refunded once, and every process that asks hears the truth in the end.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

/** TOOLGATE_REFUNDS sets another number. */
const ORDERS = Number(process.env.TOOLGATE_REFUNDS ?? 100)
const LONGEST_MS = 300_000
const NAMES = ['a', 'b', 'c', 'd']

/** A payment service that is a file: a line for each refund that it has made, found by the key of the call. */
const handlerSource = folder => `
  import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'
  const ledger = ${JSON.stringify(path.join(folder, 'ledger'))}
  const made = key => {
    try { return readFileSync(ledger, 'utf8').split('\\n').filter(Boolean).map(JSON.parse).find(line => line.key === key) }
    catch { return undefined }
  }
  /** True for the first process that asks. */
  const first = what => {
    try { closeSync(openSync(${JSON.stringify(folder)} + '/' + what, 'wx')); return true } catch { return false }
  }
  const die = () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) }
  export async function execute({ args, meta }) {
    const order = Number(args.order_id)
    if (order % 4 === 0 && first('before-' + order)) return die()
    appendFileSync(ledger, JSON.stringify({ key: meta.idempotencyKey, order, by: process.pid }) + '\\n')
    if (order % 4 === 1 && first('after-' + order)) return die()
    if (order % 4 === 2 && first('lost-' + order)) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    return { ok: true, data: { key: meta.idempotencyKey } }
  }
  export async function reconcile({ idempotencyKey, args }) {
    if (Number(args.order_id) % 8 === 5 && first('reconcile-' + args.order_id)) return die()
    const found = made(idempotencyKey)
    return found === undefined ? { outcome: 'not_happened' } : { outcome: 'happened', data: { key: found.key } }
  }
`

const programSource = (artifact, store, name, { turn, heard }) => `
  import { createRegistry } from ${JSON.stringify(PACKAGE)}
  const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)}, onLog() {}, onHandlerError() {} }).load()
  const session = await registry.createSession({ mode: 'text', sessionId: 's', canAsk: false, policy: { totalCalls: 1000 } })
  // A session keeps its newest answers. Of an older call it says that it ran, and by which key.
  const truthOf = ({ ok, data, error }) =>
    ok ? data.key : error.details?.outcome === 'committed' ? error.details.idempotencyKey : undefined
  const orders = Array.from({ length: ${ORDERS} }, (_, n) => (n * 7 + ${NAMES.indexOf(name)} * 5) % ${ORDERS})
  const heard = new Set(${JSON.stringify([...heard.keys()])})
  for (const order of orders.filter(order => !heard.has(order))) {
    for (let tries = 0; ; tries++) {
      await session.beginTurn()
      const id = ['call', '${name}', ${turn}, order].join('_')
      const answer = await session.execute({ id, name: 'refund', args: { order_id: String(order) } })
      const truth = truthOf(answer)
      if (truth || tries === 600) { console.log(JSON.stringify([order, truth ?? answer.error])); break }
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  await registry.close()
`

/** Runs a process again, under new ids, as often as it is killed; it asks for what it has not heard. Returns what it heard of each order. */
async function persistent(artifact, store, name) {
  const heard = new Map()
  for (let turn = 0; turn <= ORDERS; turn++) {
    const { code, signal, stdout, stderr, overdue } = await runModule(
      programSource(artifact, store, name, { turn, heard }),
      { longestMs: LONGEST_MS },
    )
    for (const line of stdout.split('\n').filter(Boolean)) heard.set(...JSON.parse(line))
    if (signal === 'SIGKILL' && !overdue) continue
    expect([code, stderr]).toEqual([0, ''])
    return heard
  }
  throw new Error('it was killed more often than any order kills')
}

const STORES = [
  ['file', true, async () => ({ file: path.join(temporaryFolder(), 'sessions.sqlite') })],
  ['redis', hasRedis, async () => ({ redis: (await RedisServer.start()).url })],
  ['postgres', hasPostgres, async () => ({ postgres: (await PostgresServer.start()).url })],
].filter(([, isThere]) => isThere)

test.each(STORES)(
  'on %s no refund is doubled, and none is lost',
  async (_, __, open) => {
    const folder = temporaryFolder()
    const { artifact } = await toolSet({
      refund: {
        kind: 'write',
        properties: { order_id: { type: 'string' } },
        required: ['order_id'],
        duplicate: { key: ['/order_id'], windowMs: 3_600_000, on: 'replay' },
        source: handlerSource(folder),
      },
    })
    const store = await open()
    const heard = await Promise.all(NAMES.map(name => persistent(artifact, store, name)))
    const ledger = readFileSync(path.join(folder, 'ledger'), 'utf8').trim().split('\n').map(JSON.parse)
    const orders = Array.from({ length: ORDERS }, (_, order) => order)
    expect(ledger.map(({ order }) => order).sort((a, b) => a - b)).toEqual(orders)
    const keys = new Map(ledger.map(({ order, key }) => [order, key]))
    for (const told of heard)
      expect(new Map([...told].sort(([a], [b]) => a - b))).toEqual(new Map([...keys].sort(([a], [b]) => a - b)))
  },
  1_200_000,
)
