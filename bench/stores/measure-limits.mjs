// What a limit of a principal adds to a call: equal writes without a limit, and with one that is never reached, in turns.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { note } from '../growth/gate.mjs'
import { median } from '../statistics.mjs'
import { compileToolSet } from '../tool-set.mjs'
import { hasPostgres, hasRedis, startPostgres, startRedis } from './servers.mjs'

const CHILD = fileURLToPath(new URL('./limits-child.mjs', import.meta.url))
/** Many short ones: the ratio of two that follow each other says most where the machine has other work. */
const ROUNDS = 9
const MILLISECONDS = 800
const QUICK_MILLISECONDS = 200
/** More than a run makes. */
const rateLimit = { calls: 1_000_000, windowMs: 3_600_000, per: 'principal' }
const limitedNote = {
  ...note,
  toolId: 'limited_note',
  description: 'Keeps a note, of a user not too often.',
  rateLimit,
}
/** Calls in flight, and whose they are. @type {[inFlight: number, principals: 'one' | 'many'][]} */
const WAYS = [
  [1, 'one'],
  [64, 'many'],
  [64, 'one'],
]

/**
 * @typedef {{ perSecond: number, p50Ms: number, p99Ms: number }} LimitRate
 * @typedef {{ store: string, inFlight: number, principals: string, without: LimitRate, limited: LimitRate, ratio: number, between: [number, number] }} LimitRow
 *   `ratio`: the time of a call with the limit, as times of that without: the median of the rounds' ratios; the middle half of them is
 *   `between`
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ rows: LimitRow[], missing: string[] }>}
 */
export async function measureLimits({ isQuick }) {
  const toolSet = await compileToolSet([note, limitedNote])
  const rounds = isQuick ? 1 : ROUNDS
  const milliseconds = isQuick ? QUICK_MILLISECONDS : MILLISECONDS
  const [rows, missing] = [[], []]
  if (!hasRedis) missing.push('`redis-server` is not installed')
  if (!hasPostgres) missing.push('`postgres` is not installed')
  try {
    for (const store of ['memory', 'file', ...(hasRedis ? ['redis'] : []), ...(hasPostgres ? ['postgres'] : [])])
      await withStore(store, async choose => {
        for (const [inFlight, principals] of WAYS) {
          const setting = { artifact: toolSet.path, inFlight, principals, milliseconds }
          rows.push({ store, inFlight, principals, ...(await measureRow(rounds, setting, choose)) })
        }
      })
    return { rows, missing }
  } finally {
    toolSet.remove()
  }
}

/**
 * @param {string} kind
 * @param {(choose: (round: string) => import('../../index.js').StoreChoice) => Promise<void>} run `choose`: a store for a run
 */
async function withStore(kind, run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-limits-'))
  const server = await { redis: startRedis, postgres: startPostgres }[kind]?.(folder)
  try {
    await run(round => {
      if (kind === 'memory') return 'memory'
      return kind === 'file' ? { file: path.join(folder, `${round}.sqlite`) } : { [kind]: server?.url }
    })
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {number} rounds @param {object} setting @param {(round: string) => import('../../index.js').StoreChoice} choose */
async function measureRow(rounds, setting, choose) {
  const samples = { without: [], limited: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const [name, tool] of [
      ['without', 'note'],
      ['limited', 'limited_note'],
    ])
      samples[name].push(
        await measureOnce({
          ...setting,
          tool,
          store: choose(`${setting.principals}-${setting.inFlight}-${tool}-${round}`),
        }),
      )
  const ratios = samples.limited.map(({ perSecond }, round) => samples.without[round].perSecond / perSecond)
  ratios.sort((one, other) => one - other)
  const quarter = Math.floor(ratios.length / 4)
  return {
    without: medianRate(samples.without),
    limited: medianRate(samples.limited),
    ratio: median(ratios),
    between: [ratios[quarter], ratios[ratios.length - 1 - quarter]],
  }
}

/** @param {object} setting @returns {Promise<LimitRate>} */
async function measureOnce(setting) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', CHILD, JSON.stringify(setting)])
  return JSON.parse(stdout)
}

/** @param {LimitRate[]} rates @returns {LimitRate} */
function medianRate(rates) {
  const of = field => median(rates.map(rate => rate[field]))
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') }
}

/** @param {{ rows: LimitRow[], missing: string[] }} results */
export function limitLines({ rows, missing }) {
  const calls = { one: 'of one principal', many: 'each of its own principal' }
  return [
    'A limit of a principal that is not reached: calls a second without and with it, and the time of a call as times of that without',
    ...rows.map(
      ({ store, inFlight, principals, without, limited, ratio, between }) =>
        `  ${store.padEnd(9)} ${String(inFlight).padStart(3)} in flight, ${calls[principals].padEnd(25)} ` +
        `${without.perSecond.toFixed(0).padStart(7)} ${limited.perSecond.toFixed(0).padStart(7)}   ${ratio.toFixed(2)} (${between.map(edge => edge.toFixed(2)).join('–')})` +
        `   p50 ${without.p50Ms.toFixed(3)} ${limited.p50Ms.toFixed(3)} ms`,
    ),
    ...missing.map(reason => `  not measured: ${reason}`),
  ]
}
