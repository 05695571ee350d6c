'use strict'

// What an operator reads of audit files: their verification, and selected lines.

const path = require('node:path')
const { fileURLToPath } = require('node:url')

const native = require('../../native.js')
const { StoreError } = require('../answers/errors.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { auditKeyOf } = require('../gate/options.js')
const { placeOf } = require('../operations/store-commands.js')

/**
 * Verifies the chains of audit files.
 * @param {string | URL | (string | URL)[]} files
 * @param {{ key?: string, store?: import('../../index.js').StoreChoice, inOrder?: boolean }} [options]
 * @returns {Promise<import('../../index.js').AuditVerification[]>}
 */
async function verifyAudit(files, options = {}) {
  checkOptionNames(options, ['key', 'store', 'inOrder'], 'verification')
  const { key, store, inOrder = false } = options
  if (typeof inOrder !== 'boolean') throw new TypeError('`inOrder` must be true or false')
  const request = { files: [files].flat().map(pathOf), key: keySource(key, store), inOrder }
  if (request.files.length === 0) throw new TypeError('`files` must name a file')
  const started = native.verifyAudit(JSON.stringify(request))
  try {
    const chains = JSON.parse(await started)
    return chains.map((/** @type {{ file: string, report: object }} */ { file, report }) => ({ file, ...report }))
  } catch (error) {
    throw new StoreError(/** @type {Error} */ (error).message)
  }
}

/**
 * The hashes by which audit lines of confirmations name a preview, and arguments.
 * @param {string} text
 * @param {{ key?: string, store?: import('../../index.js').StoreChoice }} [options]
 * @returns {Promise<{ previewHash: string, finalArgsHash: string | null }>} the latter null if the text is no JSON object
 */
async function auditHashes(text, options = {}) {
  checkOptionNames(options, ['key', 'store'], 'hash')
  if (typeof text !== 'string') throw new TypeError('`text` must be a text')
  const { key, store } = options
  const started = native.auditHashes(JSON.stringify({ text: text.toWellFormed(), key: keySource(key, store) }))
  try {
    return JSON.parse(await started)
  } catch (error) {
    throw new StoreError(/** @type {Error} */ (error).message)
  }
}

/** @param {string} [key] @param {import('../../index.js').StoreChoice} [store] */
function keySource(key, store) {
  const given = auditKeyOf(key)
  if (given !== undefined) return { key: given }
  if (store !== undefined) return { store: placeOf(store) }
  throw new TypeError('no key is given: `key`, TOOLGATE_AUDIT_KEY, or a `store` that keeps one')
}

/**
 * The lines of an audit file and its rotated files, the oldest first, in batches of whole lines.
 * @param {string} file
 * @param {{ sessionId?: string, callId?: string, since?: string }} [filter] `since`: as `at` of a line
 * @returns {Generator<string, number>} returns the number of lines that a killed process left incomplete
 * @throws {StoreError} if a file can't be read
 */
function* auditLines(file, filter = {}) {
  try {
    const lines = new native.NativeAuditLines(JSON.stringify({ file: pathOf(file), ...filter }))
    for (let batch = lines.next(); batch !== null; batch = lines.next()) yield batch
    return lines.incomplete
  } catch (error) {
    throw new StoreError(/** @type {Error} */ (error).message)
  }
}

/** @param {unknown} file */
function pathOf(file) {
  const named = file instanceof URL ? fileURLToPath(file) : file
  if (typeof named !== 'string' || named === '') throw new TypeError('`files` must be paths or file URLs')
  return path.resolve(named)
}

module.exports = { auditHashes, auditLines, verifyAudit }
