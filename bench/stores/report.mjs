// What is said of the writes on durable stores.
import { latencyText } from '../report.mjs'

/**
 * @typedef {import('./measure-stores.mjs').Database} Database
 * @typedef {import('./measure-stores.mjs').StoreRow} StoreRow
 * @typedef {import('./measure-stores.mjs').StoreResults} StoreResults
 */

/** The part of the results that each database has. @type {Record<Database, string>} */
export const STORE_PARTS = { file: 'fileStore', redis: 'redisStore', postgres: 'postgresStore' }

/** The rows of all databases that were measured. @param {object} results @returns {StoreRow[]} */
export const storeRows = results => Object.values(STORE_PARTS).flatMap(part => results[part]?.rows ?? [])

/**
 * Toolgate's writes a second on one database over another's, so many in flight in one process.
 *
 * @param {object} results
 * @param {Database} database Toolgate's @param {string} other @param {number} inFlight
 */
export function storeRatio(results, database, other, inFlight) {
  const rows = storeRows(results).filter(row => row.processes === 1 && row.inFlight === inFlight)
  const own = rows.find(row => row.database === database)
  const others = rows.find(row => other in row.rates)
  return own && others && ownRate(own).perSecond / others.rates[other].perSecond
}

/** Toolgate's rate in a setting. @param {object} results @param {Database} database @param {{ inFlight: number, processes: number }} setting */
export function storeRate(results, database, { inFlight, processes }) {
  const isIt = row => row.database === database && row.processes === processes && row.inFlight === inFlight
  const row = storeRows(results).find(isIt)
  return row && ownRate(row)
}

/** @param {StoreRow} row */
const ownRate = row => row.rates[`toolgate-${row.database}`]

/** @param {StoreResults} measured */
export function storeLines({ rows, missing }) {
  const rate = ([name, { perSecond, p50Ms, p95Ms, p99Ms }]) =>
    `    ${name.padEnd(17)} ${perSecond.toFixed(0).padStart(6)} (ms: ${latencyText({ p50Ms, p95Ms, p99Ms })})`
  return [
    'Writes a second on a durable store, each claimed before its handler and settled after it, 64 calls a session',
    ...rows.flatMap(row => [
      `  ${row.database}, ${row.inFlight} in flight, ${row.processes === 1 ? 'one process' : 'two processes'}`,
      ...Object.entries(row.rates).map(rate),
    ]),
    ...missing.map(reason => `  skipped: ${reason}`),
  ]
}
