// What runs a write once, and remembers that it ran: Toolgate on a durable store, and what a team writes by hand for the same.
//
// Each contender takes a session, a call's key and its arguments, and answers with the handler's result: of a repeated key the
// recorded one. A call is claimed before its handler starts and settled after it, both durable when they are answered.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import path from 'node:path'

import { toolgate } from '../toolgate.mjs'

const peers = createRequire(new URL('../peers/package.json', import.meta.url))

/** @typedef {{ run(session: string, key: string, args: object): Promise<unknown>, close(): unknown }} Contender */
/** @typedef {{ folder: string, serverUrl?: string, artifact: string, callsPerSession: number, handler(args: object): Promise<object> }} Setting */

/** @type {Record<string, (setting: Setting) => Promise<Contender>>} */
export const contenders = {
  'toolgate-file': setting => gate(setting, { file: path.join(setting.folder, 'store.sqlite') }),
  'toolgate-redis': setting => gate(setting, { redis: setting.serverUrl }),
  'toolgate-postgres': setting => gate(setting, { postgres: setting.serverUrl }),
  'node-sqlite': handWrittenSqlite,
  ioredis: handWrittenRedis,
  bullmq: queue,
  pg: handWrittenPostgres,
  dbos: workflows,
}

/** @param {Setting} setting @param {object} store */
async function gate({ artifact, handler }, store) {
  const handlers = { note: async ({ args }) => ({ ok: true, data: await handler(args) }) }
  const registry = toolgate.createRegistry({ artifact, handlers, audit: 'none', store })
  await registry.load()
  /** @type {Map<string, Promise<import('../../index.js').Session>>} */
  const sessions = new Map()
  const policy = { retrievalCalls: 1e9, totalCalls: 1e9 }
  const open = sessionId => registry.createSession({ sessionId, mode: 'text', policy })
  return {
    async run(sessionId, _key, args) {
      if (!sessions.has(sessionId)) sessions.set(sessionId, open(sessionId))
      const session = await sessions.get(sessionId)
      // Without a provider's id: its record is found by a hash of its arguments, which is the dearer way.
      const answer = await session.execute({ name: 'note', args })
      if (!answer.ok) throw new Error(`${answer.error.type}: ${answer.error.message}`)
      return answer.data
    },
    close: () => registry.close(),
  }
}

/** Statements of `node:sqlite`, which are synchronous. @param {Setting} setting */
async function handWrittenSqlite({ folder, handler }) {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path.join(folder, 'hand.sqlite'))
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS calls (session TEXT, key TEXT, outcome TEXT, PRIMARY KEY (session, key)) WITHOUT ROWID',
  )
  const claim = database.prepare('INSERT OR IGNORE INTO calls VALUES (?, ?, NULL)')
  const settle = database.prepare('UPDATE calls SET outcome = ? WHERE session = ? AND key = ?')
  const look = database.prepare('SELECT outcome FROM calls WHERE session = ? AND key = ?')
  return {
    async run(session, key, args) {
      if (claim.run(session, key).changes === 0) return JSON.parse(String(look.get(session, key)?.outcome))
      const result = await handler(args)
      settle.run(JSON.stringify(result), session, key)
      return result
    },
    close: () => database.close(),
  }
}

const CLAIM = `
local outcome = redis.call('HGET', KEYS[1], ARGV[1])
if outcome then return outcome end
redis.call('HSET', KEYS[1], ARGV[1], '')
redis.call('PEXPIRE', KEYS[1], 3600000)
return false`

/** One Lua script by `ioredis`, sent by its hash. @param {Setting} setting */
async function handWrittenRedis({ serverUrl, handler }) {
  const { Redis } = peers('ioredis')
  const redis = new Redis(serverUrl)
  redis.defineCommand('claim', { numberOfKeys: 1, lua: CLAIM })
  return {
    async run(session, key, args) {
      const outcome = await redis.claim(`calls:${session}`, key)
      if (outcome !== null) return JSON.parse(outcome)
      const result = await handler(args)
      await redis.hset(`calls:${session}`, key, JSON.stringify(result))
      return result
    },
    close: () => redis.quit(),
  }
}

/** A job of BullMQ, and its result awaited. @param {Setting} setting */
async function queue({ serverUrl, handler }) {
  const { Queue, QueueEvents, Worker } = peers('bullmq')
  const { hostname: host, port } = new URL(serverUrl)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const jobs = new Queue('calls', { connection })
  const events = new QueueEvents('calls', { connection })
  const worker = new Worker('calls', ({ data }) => handler(data), { connection, concurrency: 256 })
  await Promise.all([events.waitUntilReady(), worker.waitUntilReady()])
  return {
    async run(session, key, args) {
      const job = await jobs.add('note', args, { jobId: `${session}-${key}` })
      return job.waitUntilFinished(events)
    },
    close: () => Promise.all([worker.close(), events.close(), jobs.close()]),
  }
}

/** Two processes that make their tables at once fail, `IF NOT EXISTS` or not. @param {string} serverUrl @param {() => Promise<unknown>} makeTables */
async function alone(serverUrl, makeTables) {
  const { Client } = peers('pg')
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query('SELECT pg_advisory_lock(1)')
  await makeTables()
  await client.end()
}

/** Prepared statements of `pg` over its pool, which has 10 connections unless one says otherwise. @param {Setting} setting */
async function handWrittenPostgres({ serverUrl, handler }) {
  const { Pool } = peers('pg')
  const pool = new Pool({ connectionString: serverUrl })
  const columns = 'session TEXT, key TEXT, outcome JSONB, PRIMARY KEY (session, key)'
  await alone(serverUrl, () => pool.query(`CREATE TABLE IF NOT EXISTS calls (${columns})`))
  const statement = (name, text) => values => pool.query({ name, text, values })
  const claim = statement('claim', 'INSERT INTO calls VALUES ($1, $2) ON CONFLICT DO NOTHING')
  const settle = statement('settle', 'UPDATE calls SET outcome = $3 WHERE session = $1 AND key = $2')
  const look = statement('look', 'SELECT outcome FROM calls WHERE session = $1 AND key = $2')
  return {
    async run(session, key, args) {
      if ((await claim([session, key])).rowCount === 0) return (await look([session, key])).rows[0].outcome
      const result = await handler(args)
      await settle([session, key, JSON.stringify(result)])
      return result
    },
    close: () => pool.end(),
  }
}

/**
 * A session is a workflow of DBOS and each call a step of it, whose result is recorded when it has run: one write a call, where the
 * others claim before it, too.
 *
 * @param {Setting} setting
 */
async function workflows({ serverUrl, handler, callsPerSession }) {
  // Workflows of another executor are not recovered at the start: the processes share their database.
  process.env.DBOS__VMID = randomUUID()
  const { DBOS } = peers('@dbos-inc/dbos-sdk')
  const url = new URL(serverUrl)
  url.pathname = '/dbos'
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url.href, logLevel: 'error' })
  /** @type {Map<string, ReturnType<typeof mailbox>>} */
  const sessions = new Map()
  const runSession = DBOS.registerWorkflow(
    async session => {
      for (let step = 0; step < callsPerSession; step++) {
        const call = await sessions.get(session).next()
        if (call === null) return
        call.answer(await DBOS.runStep(() => handler(call.args), { name: call.key }))
      }
      sessions.delete(session)
    },
    { name: 'session' },
  )
  await alone(serverUrl, () => DBOS.launch())
  const started = []
  return {
    async run(session, key, args) {
      if (!sessions.has(session)) {
        sessions.set(session, mailbox())
        started.push(await DBOS.startWorkflow(runSession, { workflowID: session })(session))
      }
      return sessions.get(session).put(key, args)
    },
    async close() {
      for (const session of sessions.values()) session.end()
      await Promise.all(started.map(handle => handle.getResult()))
      await DBOS.shutdown()
    },
  }
}

/** What takes the calls of a session to its workflow, one after the other; null ends it. */
function mailbox() {
  /** @type {{ key: string, args: object, answer(result: object): void } | null | undefined} */
  let call
  let wake = () => {}
  const deliver = value => {
    call = value
    wake()
  }
  return {
    put: (key, args) => new Promise(resolve => deliver({ key, args, answer: resolve })),
    end: () => deliver(null),
    async next() {
      if (call === undefined) await new Promise(resolve => (wake = () => resolve(undefined)))
      const taken = call
      call = undefined
      return taken
    },
  }
}
