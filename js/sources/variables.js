'use strict'

// `${NAME}` in a source's configuration stands for a variable of the environment. A variable is read when a connection
// opens, so that a rotated secret is used without a restart, and its value never reaches a file or a message.

const { ToolError } = require('../answers/errors.js')

/** @typedef {import('./types.js').SourceConfig} SourceConfig */
/** @typedef {import('./types.js').Variables} Variables */

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const MALFORMED = /\$\{(?![A-Za-z_][A-Za-z0-9_]*\})/

/** Variables that every program gets, if they are set. The list for Windows is that of the MCP SDK. */
const PASSED_ON =
  process.platform === 'win32'
    ? [
        ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
        ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP'],
        ...['USERNAME', 'USERPROFILE', 'WINDIR'],
      ]
    : ['HOME', 'PATH']

/**
 * The variables that the configuration names and that are not set, sorted.
 * @param {Pick<SourceConfig, 'transport'>} config
 * @param {Variables} [env]
 */
function requireVariables({ transport }, env = process.env) {
  return [...new Set(namesIn(transport))].filter(name => env[name] === undefined).sort()
}

/** @param {string} text */
const hasMalformedVariable = text => MALFORMED.test(text)

/**
 * The values of the variables that the configuration names.
 * @param {Pick<SourceConfig, 'transport'>} config @param {Variables} env
 */
const secretsOf = ({ transport }, env) => namesIn(transport).map(name => env[name])

/** @param {unknown} transport */
const namesIn = transport => texts(transport).flatMap(text => [...text.matchAll(VARIABLE)].map(([, name]) => name))

/**
 * The transport with each variable replaced by its value.
 * @param {string} source its name
 * @param {Pick<SourceConfig, 'transport'>} config
 * @param {Variables} env
 * @throws {ToolError} if a variable is not set
 */
function expandedTransport(source, config, env) {
  const missing = requireVariables(config, env)
  if (missing.length > 0) {
    const names = missing.map(name => `\`${name}\``).join(', ')
    throw new ToolError('PERMANENT', `the source \`${source}\` needs ${names}, which the environment does not set`)
  }
  return expanded(config.transport, env)
}

/** The environment of a source's program. @param {Record<string, string>} own @param {Variables} env */
function programEnvironment(own, env) {
  const passed = PASSED_ON.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))
  return /** @type {Record<string, string>} */ ({ ...Object.fromEntries(passed), ...own })
}

/** @param {unknown} value @returns {string[]} */
function texts(value) {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

/** @template T @param {T} value @param {Variables} env @returns {T} */
function expanded(value, env) {
  /** @type {unknown} */
  let copy = value
  if (typeof value === 'string') copy = value.replaceAll(VARIABLE, (_, name) => env[name] ?? '')
  else if (Array.isArray(value)) copy = value.map(item => expanded(item, env))
  else if (typeof value === 'object' && value !== null)
    copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expanded(item, env)]))
  return /** @type {T} */ (copy)
}

module.exports = { expandedTransport, hasMalformedVariable, programEnvironment, requireVariables, secretsOf }
