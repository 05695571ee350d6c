'use strict'

// `toolgate.lock.json`, beside the folder of sources: which definition of which tool was agreed to. A build reads it; only
// `toolgate mcp lock` and `approve` write it.

const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const path = require('node:path')

const LOCK_VERSION = 1
const NAME = 'toolgate.lock.json'

/**
 * @typedef {import('./lock-types.js').LockFile} LockFile
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 */

/** The lock of a folder of sources. @param {string} sourcesDir */
const lockPath = sourcesDir => path.join(path.dirname(path.resolve(sourcesDir)), NAME)

/**
 * @param {string} sourcesDir
 * @returns {LockFile} without sources if there is no file
 * @throws {Error} if it is no lock that this version reads
 */
function readLock(sourcesDir) {
  const file = lockPath(sourcesDir)
  if (!existsSync(file)) return { lockVersion: LOCK_VERSION, sources: {} }
  /** @type {LockFile} */
  let lock
  try {
    lock = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new Error(`\`${NAME}\` can't be read: ${/** @type {Error} */ (cause).message}`, { cause })
  }
  if (lock?.lockVersion !== LOCK_VERSION || typeof lock.sources !== 'object' || lock.sources === null)
    throw new Error(
      `\`${NAME}\` has version ${String(lock?.lockVersion)}; this version of toolgate reads ${LOCK_VERSION}`,
    )
  for (const [name, source] of Object.entries(lock.sources)) checkSource(name, source)
  return lock
}

/** @param {string} name @param {unknown} source @throws {Error} if it is not what a lock has of a source */
function checkSource(name, source) {
  const { tools } = /** @type {Partial<import('./lock-types.js').LockedSourceEntry>} */ (Object(source))
  const isTool = (/** @type {any} */ tool) =>
    typeof tool?.sha256 === 'string' && typeof tool.definition?.name === 'string'
  if (typeof tools !== 'object' || tools === null || !Object.values(tools).every(isTool))
    throw new Error(`\`${NAME}\` has no list of the tools of \`${name}\``)
}

/** Writes the lock, its members in the order of their names, so that two locks of the same tools are one text. @param {string} sourcesDir @param {LockFile} lock */
function writeLock(sourcesDir, lock) {
  const file = lockPath(sourcesDir)
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify({ lockVersion: LOCK_VERSION, sources: sorted(lock.sources) }, null, 2)}\n`)
  renameSync(temporary, file)
}

/** @param {LockFile['sources']} sources */
function sorted(sources) {
  const byName = (/** @type {Record<string, any>} */ members) =>
    Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)))
  const withTools = Object.entries(sources).map(([name, source]) => [name, { ...source, tools: byName(source.tools) }])
  return byName(Object.fromEntries(withTools))
}

module.exports = { readLock, writeLock }
