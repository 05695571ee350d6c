'use strict'

// Reads `sources/*.json`: the MCP servers whose tools pass the gate. All faults are found, not the first.

const { readFileSync, readdirSync } = require('node:fs')
const path = require('node:path')

const { SchemaValidator } = require('../tool-sets/schema-validator.js')
const { isInstance, messageOf } = require('../values/foreign.js')
const { hasMalformedVariable, requireVariables } = require('./variables.js')

/** @typedef {import('./types.js').SourceConfig} SourceConfig */
/** @typedef {import('./types.js').SourceProblem} SourceProblem */

const NAME = /^[a-z][a-z0-9_]{0,31}$/
const SCHEMA_FILE = path.join(__dirname, '../../schemas/source.schema.json')

/** @type {Readonly<import('./types.js').SourceLimits>} */
const DEFAULT_LIMITS = Object.freeze({
  messageBytes: 4 * 1024 * 1024,
  listBytes: 4 * 1024 * 1024,
  tools: 500,
  pages: 64,
  unaskedPerSecond: 200,
  stderrBytes: 64 * 1024,
  calls: 16,
  connections: 64,
  connectMs: 15_000,
  idleMs: 30 * 60_000,
})

/** @type {SchemaValidator | undefined} */
let validator

/**
 * @param {string} folder which may be missing
 * @returns {{ configs: Map<string, SourceConfig>, problems: SourceProblem[] }} the configurations without faults, by name
 */
function readSourceConfigs(folder) {
  /** @type {Map<string, SourceConfig>} */
  const configs = new Map()
  /** @type {SourceProblem[]} */
  const problems = []
  for (const entry of jsonFiles(folder)) {
    const file = path.join(folder, entry)
    const name = entry.slice(0, -'.json'.length)
    const read = NAME.test(name) ? readConfig(file) : { problems: [{ pointer: '', message: badName(name) }] }
    problems.push(...read.problems.map(problem => ({ file, ...problem })))
    if ('config' in read && read.config !== undefined)
      configs.set(name, placed(read.config, path.resolve(folder, '..')))
  }
  return { configs, problems }
}

/**
 * A program runs in the folder that has the folder of sources, wherever the process was started.
 * @param {SourceConfig} config @param {string} home @returns {SourceConfig}
 */
function placed(config, home) {
  const { transport } = config
  if ('url' in transport) return config
  // A variable may stand for a whole path, which is known when it is expanded.
  const { cwd = '.' } = transport
  return { ...config, transport: { ...transport, cwd: cwd.startsWith('${') ? cwd : path.resolve(home, cwd) } }
}

/** @param {string} folder */
function jsonFiles(folder) {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .sort()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return []
    throw error
  }
}

/** @param {string} name */
const badName = name =>
  `the file's name is the source's name: \`${name}\` must be a lower-case letter, then at most 31 of \`a-z\`, \`0-9\` and \`_\``

/** @param {string} file @returns {{ config?: SourceConfig, problems: Omit<SourceProblem, 'file'>[] }} */
function readConfig(file) {
  /** @type {unknown} */
  let value
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return { problems: [{ pointer: '', message: notJson(error) }] }
  }
  const problems = faultsOf(value)
  return problems.length > 0 ? { problems } : { config: withDefaults(/** @type {SourceConfig} */ (value)), problems }
}

/** Node quotes the text around the fault, which may be a secret. @param {unknown} error */
function notJson(error) {
  if (!isInstance(error, SyntaxError)) return `the file can't be read: ${messageOf(error)}`
  // Windows editors write it, and it would be part of the lock's digest.
  if (/\ufeff/.test(error.message)) return 'the file begins with a byte order mark: save it as UTF-8 without one'
  const position = /position \d+/.exec(error.message)?.[0]
  return `the file is not JSON${position === undefined ? '' : ` (at ${position})`}`
}

/** @param {unknown} value */
function faultsOf(value) {
  validator ??= new SchemaValidator(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')))
  const { errors } = validator.validate(value)
  // Two rules about one value, such as its type, can find the same fault.
  const faults = new Map(errors.map(({ instancePath: pointer, message }) => [message, { pointer, message }]))
  if (faults.size > 0) return [...faults.values()]
  return malformedVariables(/** @type {SourceConfig} */ (value).transport, '/transport')
}

/** @param {unknown} value @param {string} pointer @returns {Omit<SourceProblem, 'file'>[]} */
function malformedVariables(value, pointer) {
  if (typeof value === 'string') {
    const message = 'a variable is written `${NAME}`: letters, digits and `_`, and no digit first'
    return hasMalformedVariable(value) ? [{ pointer, message }] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) =>
    malformedVariables(item, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

/**
 * @param {Partial<Omit<SourceConfig, 'limits'>> & Pick<SourceConfig, 'transport'>
 *   & { limits?: Partial<import('./types.js').SourceLimits> }} value that fits the schema
 * @returns {SourceConfig}
 */
function withDefaults({ transport, shared, prefix, reads, elicitation, sampling, roots, limits, tools }) {
  return {
    transport,
    shared: shared ?? false,
    ...(prefix === undefined ? {} : { prefix }),
    reads: reads ?? [],
    elicitation: elicitation ?? 'ask',
    sampling: sampling ?? false,
    roots: roots ?? false,
    limits: { ...DEFAULT_LIMITS, ...limits },
    tools: tools ?? {},
  }
}

/**
 * The settings that a host gives.
 * @param {string} name @param {unknown} value
 * @returns {{ config?: SourceConfig, problems: SourceProblem[] }} `file`: the source's name
 */
function givenConfig(name, value) {
  const faults = NAME.test(name) ? faultsOf(value) : [{ pointer: '', message: badName(name) }]
  if (faults.length > 0) return { problems: faults.map(fault => ({ file: `sources.${name}`, ...fault })) }
  return { config: withDefaults(/** @type {SourceConfig} */ (value)), problems: [] }
}

module.exports = { DEFAULT_LIMITS, givenConfig, readSourceConfigs, requireVariables, withDefaults }
