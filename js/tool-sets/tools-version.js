'use strict'

// The tool set that the host's own session was made with, compared with the loaded one.

const { RegistryVersionMismatch } = require('../answers/errors.js')
const { isProduction } = require('../gate/options.js')
const { Session } = require('../gate/session.js')

/**
 * In development a session of another tool set is a mistake; in production it goes on with the loaded one.
 * @param {import('../../index.js').ExecutionContext['session']} session
 * @param {string} actual the version of the loaded tool set
 * @param {import('../../index.js').RegistryOptions['environment']} environment
 * @throws {RegistryVersionMismatch} in development
 */
function checkToolsVersion(session, actual, environment) {
  const expected = session?.toolsVersion
  if (typeof expected !== 'string' || session instanceof Session || isProduction(environment)) return
  if (expected === actual) return
  throw new RegistryVersionMismatch(
    `the session runs tool set \`${expected}\`, the registry has ${actual}; make a new session`,
    expected,
    actual,
  )
}

module.exports = { checkToolsVersion }
