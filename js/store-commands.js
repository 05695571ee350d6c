'use strict'

// An operator's functions of a store: backup, restoration, check. The core runs them on a thread of its own.

const path = require('node:path')
const { fileURLToPath } = require('node:url')

const native = require('../native.js')
const { StoreError } = require('./errors.js')
const { checkOptionNames, storeChoice } = require('./options.js')

/**
 * Copies a file store to a new file while processes use it.
 * @param {import('../index.js').StoreChoice} store @param {string | URL} file
 * @returns {Promise<import('../index.js').StoreCopy>}
 */
async function backupStore(store, file) {
  return run({ do: 'backUp', store: fileOf(store), file: pathOf(file, 'file') })
}

/**
 * Makes a backup the store.
 * @param {string | URL} file @param {import('../index.js').StoreChoice} store @param {{ force?: boolean }} [options]
 * @returns {Promise<import('../index.js').StoreCopy>}
 */
async function restoreStore(file, store, options = {}) {
  checkOptionNames(options, ['force'], 'restore')
  const { force = false } = options
  if (typeof force !== 'boolean') throw new TypeError('`force` must be true or false')
  return run({ do: 'restore', file: pathOf(file, 'file'), store: fileOf(store), force })
}

/**
 * Checks a store and counts what it keeps.
 * @param {import('../index.js').StoreChoice} store
 * @returns {Promise<import('../index.js').StoreCheck>}
 */
async function checkStore(store) {
  const place = placeOf(store)
  return { kind: place.kind, ...(await run({ do: 'check', store: place })) }
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
 * @param {import('../index.js').StoreChoice} store
 * @returns {{ kind: 'file', path: string } | { kind: 'redis', url: string }}
 */
function placeOf(store) {
  const choice = storeChoice(store)
  if (choice.kind === 'memory')
    throw new TypeError('`store` must be `{ file }` or `{ redis }`: memory ends with its process')
  const { kind, path: file, url } = /** @type {any} */ (choice)
  return kind === 'file' ? { kind, path: file } : { kind, url }
}

/** @param {import('../index.js').StoreChoice} store @returns {string} */
function fileOf(store) {
  const place = placeOf(store)
  if (place.kind === 'file') return place.path
  throw new TypeError('`store` must be `{ file }`: a Redis server has backups of its own (`BGSAVE`, `appendonly`)')
}

/** @param {unknown} file @param {string} name */
function pathOf(file, name) {
  const named = file instanceof URL ? fileURLToPath(file) : file
  if (typeof named !== 'string' || named === '') throw new TypeError(`\`${name}\` must be a path or a file URL`)
  return path.resolve(named)
}

module.exports = { backupStore, checkStore, placeOf, restoreStore, run }
