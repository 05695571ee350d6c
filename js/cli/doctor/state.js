'use strict'

// Checks the store and the audit that the environment names.

const { accessSync, constants, existsSync, statSync } = require('node:fs')
const path = require('node:path')

const { checkStore } = require('../../operations/store-commands.js')
const { auditKeyOf } = require('../../gate/options.js')
const { storeFromSetting } = require('../../gate/store-options.js')
const { messageOf } = require('../../values/foreign.js')
const { counted } = require('../counted.js')
const { ok, problem, warning } = require('./check-result.js')

/**
 * Whether the store that TOOLGATE_STORE names can be used. Its address is not printed: it may contain a password.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./check-result.js').CheckResult[]>}
 */
async function checkStoreOf({ TOOLGATE_STORE: setting = '' }) {
  if (setting === '') return []
  const unusable = (/** @type {unknown} */ error) =>
    problem('store', `the store of TOOLGATE_STORE can't be used: ${messageOf(error)}`, 'correct TOOLGATE_STORE')
  let choice
  try {
    choice = storeFromSetting(setting)
  } catch (error) {
    return [unusable(error)]
  }
  if (choice === 'memory') return [ok('store', 'TOOLGATE_STORE is `memory`: what is kept ends with its process')]
  if ('file' in choice && !existsSync(String(choice.file)))
    return [writable('store', String(choice.file), 'the file of TOOLGATE_STORE')]
  try {
    const { kind, counts, problems } = await checkStore(choice)
    const what = `the ${kind} store of TOOLGATE_STORE`
    if (problems.length > 0)
      return [problem('store', `${what}: ${problems.join('; ')}`, '`toolgate store check` shows the settings')]
    return [ok('store', `${what} can be used; it keeps ${counted(counts?.sessions ?? 0, 'session')}`)]
  } catch (error) {
    return [unusable(error)]
  }
}

/**
 * Whether the audit that TOOLGATE_AUDIT names can be written, and verified later.
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('./check-result.js').CheckResult[]}
 */
function checkAuditOf({ TOOLGATE_AUDIT: file = '', TOOLGATE_STORE: store = 'memory' }) {
  try {
    const key = auditKeyOf()
    if (['', 'none', 'stdout'].includes(file)) return []
    const result = writable('audit', file, `\`${file}\` of TOOLGATE_AUDIT`)
    if (key !== undefined || (store !== '' && store !== 'memory')) return [result]
    return [
      result,
      warning(
        'audit',
        `nothing will verify \`${file}\`: no key outlives the process`,
        'set TOOLGATE_AUDIT_KEY, or a TOOLGATE_STORE that keeps a key',
      ),
    ]
  } catch (error) {
    return [problem('audit', messageOf(error), 'correct TOOLGATE_AUDIT_KEY')]
  }
}

/** Whether a file can be written, or created; the check itself writes nothing. @param {'store' | 'audit'} check @param {string} file @param {string} what */
function writable(check, file, what) {
  const found = statSync(file, { throwIfNoEntry: false })
  try {
    accessSync(found === undefined ? path.dirname(path.resolve(file)) : file, constants.W_OK)
    if (found === undefined || found.isFile()) return ok(check, `${what} can be written`)
  } catch {
    // The problem is reported below.
  }
  return problem(check, `${what} can't be written`, 'create its folder, or correct its permissions')
}

module.exports = { checkAuditOf, checkStoreOf }
