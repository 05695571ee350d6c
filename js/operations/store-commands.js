'use strict'

// An operator's functions of a store: backup, restoration, check, sessions. The core runs them on a thread of its own.

const path = require('node:path')
const { fileURLToPath } = require('node:url')

const native = require('../../native.js')
const { StoreError } = require('../answers/errors.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { auditOptions } = require('../gate/options.js')
const { storeChoice } = require('../gate/store-options.js')

/**
 * Copies a file store to a new file while processes use it.
 * @param {import('../../index.js').StoreChoice} store @param {string | URL} file
 * @returns {Promise<import('../../index.js').StoreCopy>}
 */
async function backupStore(store, file) {
  return run({ do: 'backUp', store: fileOf(store), file: pathOf(file, 'file') })
}

/**
 * Makes a backup the store.
 * @param {string | URL} file @param {import('../../index.js').StoreChoice} store @param {{ force?: boolean }} [options]
 * @returns {Promise<import('../../index.js').StoreCopy>}
 */
async function restoreStore(file, store, options = {}) {
  checkOptionNames(options, ['force'], 'restore')
  const { force = false } = options
  if (typeof force !== 'boolean') throw new TypeError('`force` must be true or false')
  return run({ do: 'restore', file: pathOf(file, 'file'), store: fileOf(store), force })
}

/**
 * Checks a store and counts what it keeps.
 * @param {import('../../index.js').StoreChoice} store
 * @returns {Promise<import('../../index.js').StoreCheck>}
 */
async function checkStore(store) {
  const place = placeOf(store)
  return { kind: place.kind, ...(await run({ do: 'check', store: place })) }
}

/**
 * Lists the sessions of a store.
 * @param {import('../../index.js').StoreChoice} store @param {{ principal?: string, limit?: number }} [options]
 * @returns {Promise<import('../../index.js').SessionList>}
 */
async function listSessions(store, options = {}) {
  checkOptionNames(options, ['principal', 'limit'], 'list')
  const { principal, limit = 100 } = options
  if (principal !== undefined) requireText(principal, 'principal')
  if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('`limit` must be an integer, 1 or more')
  return run({ do: 'listSessions', store: placeOf(store), principal, limit })
}

/**
 * Shows a session: metadata, the states of its calls and questions, and its grants.
 * @param {import('../../index.js').StoreChoice} store @param {string} sessionId
 * @returns {Promise<import('../../index.js').SessionOverview | null>}
 */
async function showSession(store, sessionId) {
  return run({ do: 'showSession', store: placeOf(store), id: requireText(sessionId, 'sessionId') })
}

/**
 * Ends a session from outside of its process.
 * @param {import('../../index.js').StoreChoice} store @param {string} sessionId
 * @returns {Promise<boolean | null>}
 */
async function endSession(store, sessionId) {
  return run({ do: 'endSession', store: placeOf(store), id: requireText(sessionId, 'sessionId') })
}

/**
 * Ends a grant from outside of the processes that use its session.
 * @param {import('../../index.js').StoreChoice} store @param {string} sessionId @param {string} grantId
 * @param {{ audit?: import('../../index.js').AuditSink }} [options]
 * @returns {Promise<boolean | null>}
 */
async function revokeGrant(store, sessionId, grantId, options = {}) {
  checkOptionNames(options, ['audit'], 'revoke')
  const { audit = 'none' } = options
  const named = { id: requireText(sessionId, 'sessionId'), grant: requireText(grantId, 'grantId') }
  return run({ do: 'revokeGrant', store: placeOf(store), ...named, ...auditFileOf(audit, store) })
}

/** @param {import('../../index.js').AuditSink} audit @param {import('../../index.js').StoreChoice} store */
function auditFileOf(audit, store) {
  if (audit === 'none') return {}
  const options = auditOptions(audit, store)
  if (typeof options.audit !== 'object') throw new TypeError('`audit` must be `none` or `{ file }`')
  return { audit: options.audit.file, auditKey: options.auditKey }
}

/**
 * Deletes all sessions of a principal.
 * @param {import('../../index.js').StoreChoice} store @param {{ principal: string }} options
 * @returns {Promise<import('../../index.js').ErasureReport>}
 */
async function eraseSessions(store, options) {
  checkOptionNames(options, ['principal'], 'erase')
  return run({ do: 'eraseSessions', store: placeOf(store), principal: requireText(options.principal, 'principal') })
}

/** @param {unknown} text @param {string} name @returns {string} */
function requireText(text, name) {
  if (typeof text !== 'string' || text === '') throw new TypeError(`\`${name}\` must be a text that is not empty`)
  return text
}

/** @param {Record<string, unknown>} command @returns {Promise<any>} the report */
async function run(command) {
  const started = native.runStoreCommand(JSON.stringify(command))
  try {
    return JSON.parse(await started)
  } catch (error) {
    throw new StoreError(/** @type {Error} */ (error).message)
  }
}

/**
 * The place of a store that other processes can use too.
 * @param {import('../../index.js').StoreChoice} store
 * @returns {{ kind: 'file', path: string } | { kind: 'redis', url: string } | { kind: 'postgres', url: string, schema?: string }}
 */
function placeOf(store) {
  const choice = storeChoice(store)
  if (choice.kind === 'memory')
    throw new TypeError('`store` must be `{ file }`, `{ redis }` or `{ postgres }`: memory ends with its process')
  if (choice.kind === 'file') return { kind: choice.kind, path: choice.path }
  if (choice.kind === 'redis') return { kind: choice.kind, url: choice.url }
  return { kind: choice.kind, url: choice.url, schema: choice.schema }
}

/** @param {import('../../index.js').StoreChoice} store @returns {string} */
function fileOf(store) {
  const place = placeOf(store)
  if (place.kind === 'file') return place.path
  throw new TypeError(
    '`store` must be `{ file }`: a server has backups of its own (Redis `BGSAVE`, Postgres `pg_dump`)',
  )
}

/** @param {unknown} file @param {string} name */
function pathOf(file, name) {
  const named = file instanceof URL ? fileURLToPath(file) : file
  if (typeof named !== 'string' || named === '') throw new TypeError(`\`${name}\` must be a path or a file URL`)
  return path.resolve(named)
}

module.exports = {
  backupStore,
  checkStore,
  endSession,
  eraseSessions,
  listSessions,
  placeOf,
  restoreStore,
  revokeGrant,
  run,
  showSession,
}
