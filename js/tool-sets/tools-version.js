'use strict'

// The tool set that the host's own session was made with, compared with the loaded one.

const { RegistryVersionMismatch } = require('../answers/errors.js')
const { isProduction } = require('../gate/options.js')
const { Session } = require('../gate/session.js')

/** @typedef {{ sessionVersion: string, registryVersion: string }} Mismatch */

/**
 * In development a session of another tool set is a mistake; in production it goes on with the loaded one, and its call
 * is reported.
 * @param {import('../../index.js').ExecutionContext['session']} session
 * @param {string} actual the version of the loaded tool set
 * @param {import('../../index.js').RegistryOptions['environment']} environment
 * @returns {Mismatch | null}
 * @throws {RegistryVersionMismatch} in development
 */
function checkToolsVersion(session, actual, environment) {
  const expected = session?.toolsVersion
  if (typeof expected !== 'string' || session instanceof Session || expected === actual) return null
  if (isProduction(environment)) return { sessionVersion: expected, registryVersion: actual }
  throw new RegistryVersionMismatch(
    `the session runs tool set \`${expected}\`, the registry has ${actual}; make a new session`,
    expected,
    actual,
  )
}

/**
 * The log line about such a call.
 * @param {Mismatch} mismatch
 * @returns {import('../../index.js').CoreWarning}
 */
const mismatchLine = mismatch => ({
  at: new Date().toISOString(),
  level: 'warn',
  message: 'a call stated another tool set than the loaded one; it goes on with the loaded one',
  ...mismatch,
})

module.exports = { checkToolsVersion, mismatchLine }
