// What runs a write once, and remembers that it ran: Toolgate on a durable store, and what a team writes by hand for the same.
//
// Each contender takes a session, a call's key and its arguments, and answers with the handler's result: of a repeated key the
// recorded one. A call is claimed before its handler starts and settled after it, both durable when they are answered.
import { createRequire } from 'node:module'
import path from 'node:path'

import { toolgate } from '../toolgate.mjs'

const peers = createRequire(new URL('../peers/package.json', import.meta.url))

/** @typedef {{ run(session: string, key: string, args: object): Promise<unknown>, close(): unknown }} Contender */
/** @typedef {{ folder: string, redisUrl?: string, artifact: string, handler(args: object): Promise<object> }} Setting */

/** @type {Record<string, (setting: Setting) => Promise<Contender>>} */
export const contenders = {
  'toolgate-file': setting => gate(setting, { file: path.join(setting.folder, 'store.sqlite') }),
  'toolgate-redis': setting => gate(setting, { redis: setting.redisUrl }),
  'node-sqlite': handWrittenSqlite,
  ioredis: handWrittenRedis,
  bullmq: queue,
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
    async run(sessionId, key, args) {
      if (!sessions.has(sessionId)) sessions.set(sessionId, open(sessionId))
      const session = await sessions.get(sessionId)
      const answer = await session.execute({ name: 'note', callId: key, args })
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
async function handWrittenRedis({ redisUrl, handler }) {
  const { Redis } = peers('ioredis')
  const redis = new Redis(redisUrl)
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
async function queue({ redisUrl, handler }) {
  const { Queue, QueueEvents, Worker } = peers('bullmq')
  const { hostname: host, port } = new URL(redisUrl)
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
