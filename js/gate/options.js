'use strict'

// Checks the host's options and converts them for the core. An unknown name throws: a misspelt option would
// silently do nothing.

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { toolSearchOf } = require('../tool-sets/declared-tools.js')

const REGISTRY_OPTIONS = [
  'artifact',
  'handlers',
  'services',
  'modes',
  'audit',
  'limits',
  'store',
  'environment',
  'onHandlerError',
  'onLog',
  'strayErrors',
  'strictNulls',
  'repair',
]
const SESSION_OPTIONS = [
  'sessionId',
  'principal',
  'resumeToken',
  'mode',
  'state',
  'roles',
  'services',
  'messaging',
  'policy',
  'exclusive',
  'turnPauseMs',
  'resumeOnly',
  'timeZone',
  'canAsk',
  'clientId',
  'ws',
  'geminiSession',
  'onCapabilityUsed',
  'onProgress',
  'onToolCall',
  'onToolsFound',
  'toolSearch',
  'toolsets',
]

const REDIS_OPTIONS = ['url', 'waitReplicas', 'waitTimeoutMs', 'allowEviction']
const MAX_REPLICAS = 100
const MIN_KEY_BYTES = 16
const POSTGRES_OPTIONS = ['url', 'schema', 'connections']
const MAX_CONNECTIONS = 100
const STORE_OPTIONS = ['file', 'redis', 'postgres', 'timeoutMs', 'leaseMs']

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @typedef {{ fits(value: unknown): boolean, expected: string }} OptionType */

/** @type {OptionType} */
const FUNCTION = { fits: value => typeof value === 'function', expected: 'a function' }
/** @type {OptionType} */
const OBJECT = { fits: isObject, expected: 'an object' }
/** @type {OptionType} */
const BOOLEAN = { fits: value => typeof value === 'boolean', expected: 'true or false' }
/** Registry options whose type is checked here. @type {Record<string, OptionType>} */
const REGISTRY_OPTION_TYPES = { handlers: OBJECT, onHandlerError: FUNCTION, strictNulls: BOOLEAN }
/** Session options whose type is checked here; the core checks their content. @type {Record<string, OptionType>} */
const SESSION_OPTION_TYPES = {
  onCapabilityUsed: FUNCTION,
  onProgress: FUNCTION,
  onToolCall: FUNCTION,
  onToolsFound: FUNCTION,
  state: OBJECT,
  policy: OBJECT,
  roles: {
    fits: value => Array.isArray(value) && value.every(role => typeof role === 'string'),
    expected: 'a list of names, such as `["admin"]`',
  },
  exclusive: BOOLEAN,
  resumeOnly: BOOLEAN,
  canAsk: BOOLEAN,
}

/** @param {unknown} options @param {string[]} known @param {string} what */
function checkOptionNames(options, known, what) {
  if (!isObject(options)) throw new TypeError(`${what} options must be an object`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`unknown ${what} option \`${unknown}\`; it takes ${known.join(', ')}`)
}

/** @param {object} options @param {Record<string, OptionType>} types */
function checkOptionTypes(options, types) {
  for (const [name, { fits, expected }] of Object.entries(types)) {
    const value = Reflect.get(options, name)
    if (value !== undefined && !fits(value)) throw new TypeError(`\`${name}\` must be ${expected}`)
  }
}

/**
 * Throws if the registry options are not an object, contain an unknown name, or one of them has a wrong type.
 * @param {import('../../index.js').RegistryOptions} options
 */
function checkRegistryOptions(options) {
  checkOptionNames(options, REGISTRY_OPTIONS, 'registry')
  checkOptionTypes(options, REGISTRY_OPTION_TYPES)
}

/** Converts registry options for the core. @param {import('../../index.js').RegistryOptions} options */
function nativeOptions(options) {
  checkRegistryOptions(options)
  const { modes = {}, limits = {}, store = 'memory', environment, strayErrors = 'crash' } = options
  if (strayErrors !== 'crash' && strayErrors !== 'report')
    throw new TypeError('`strayErrors` must be `crash` or `report`')
  return {
    modes,
    repair: repairSetting(options.repair),
    limits: checkedLimits(limits),
    store: storeChoice(store),
    ...auditOptions(options.audit ?? 'none', store),
    listensToWarnings: listensToWarnings(options.onLog),
    production: isProduction(environment),
  }
}

/** The core checks the names of rules, also those of modes. @param {import('../../index.js').RepairSetting} [repair] */
function repairSetting(repair = true) {
  if (typeof repair !== 'boolean' && !Array.isArray(repair))
    throw new TypeError('`repair` must be true, false or a list of rules, such as `["number_text"]`')
  return repair
}

/** @template {object} T @param {T} limits */
function checkedLimits(limits) {
  if (!isObject(limits)) throw new TypeError('`limits` must be an object')
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined && limit !== null && !(Number.isSafeInteger(limit) && Number(limit) >= 0))
      throw new TypeError(`\`limits.${name}\` must be a whole number that is not negative`)
  }
  return limits
}

const POSTGRES_URL = /^postgres(ql)?:\/\//

/**
 * Converts a store setting, such as an environment variable's value.
 * @param {string} [setting] `memory`, a `redis://`, `rediss://`, `postgres://` or `postgresql://` URL, or the path of a file
 * @returns {import('../../index.js').StoreChoice}
 */
function storeFromSetting(setting = 'memory') {
  if (setting === 'memory') return 'memory'
  if (/^rediss?:\/\//.test(setting)) return { redis: setting }
  return POSTGRES_URL.test(setting) ? { postgres: setting } : { file: setting }
}

/** Converts a store choice for the core. @param {import('../../index.js').StoreChoice} store */
function storeChoice(store) {
  if (store === 'memory') return { kind: 'memory' }
  if (!isObject(store))
    throw new TypeError(
      `unknown store \`${String(store)}\`; it must be \`memory\`, \`{ file }\`, \`{ redis }\` or \`{ postgres }\``,
    )
  checkOptionNames(store, STORE_OPTIONS, 'store')
  const { file, redis, postgres, timeoutMs, leaseMs } = /** @type {Record<string, unknown>} */ (store)
  if ([file, redis, postgres].filter(place => place !== undefined).length !== 1)
    throw new TypeError('`store` must name one place: `{ file }`, `{ redis }` or `{ postgres }`')
  const times = { timeoutMs: storeTime(timeoutMs, 'store.timeoutMs'), leaseMs: storeTime(leaseMs, 'store.leaseMs') }
  if (redis !== undefined) return { kind: 'redis', ...redisServer(redis), ...times }
  if (postgres !== undefined) return { kind: 'postgres', ...postgresServer(postgres), ...times }
  const place = file instanceof URL ? fileURLToPath(file) : file
  if (typeof place !== 'string' || place === '') throw new TypeError('`store.file` must be a path or a file URL')
  return { kind: 'file', path: path.resolve(place), ...times }
}

/**
 * A server by its URL alone, or with its options.
 * @param {unknown} redis
 */
function redisServer(redis) {
  if (!isObject(redis) || redis instanceof URL) return { url: redisUrl(redis) }
  checkOptionNames(redis, REDIS_OPTIONS, 'store.redis')
  const { url, waitReplicas, waitTimeoutMs, allowEviction } = /** @type {Record<string, unknown>} */ (redis)
  const isCount = typeof waitReplicas === 'number' && Number.isInteger(waitReplicas) && waitReplicas >= 0
  if (waitReplicas !== undefined && !(isCount && waitReplicas <= MAX_REPLICAS))
    throw new TypeError(`\`store.redis.waitReplicas\` must be a whole number from 0 to ${MAX_REPLICAS}`)
  if (allowEviction !== undefined && typeof allowEviction !== 'boolean')
    throw new TypeError('`store.redis.allowEviction` must be true or false')
  const timeout = waitTimeoutMs === undefined ? undefined : milliseconds(waitTimeoutMs, 'store.redis.waitTimeoutMs')
  return { url: redisUrl(url), waitReplicas, waitTimeoutMs: timeout, allowEviction }
}

/** @param {unknown} redis */
function redisUrl(redis) {
  const url = redis instanceof URL ? redis.href : redis
  // The message omits the URL: it can contain a password.
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url))
    throw new TypeError('`store.redis` must be a URL, such as `redis://127.0.0.1:6379`')
  return url
}

/**
 * A database by its URL alone, or with its options.
 * @param {unknown} postgres
 */
function postgresServer(postgres) {
  if (!isObject(postgres) || postgres instanceof URL) return { url: postgresUrl(postgres) }
  checkOptionNames(postgres, POSTGRES_OPTIONS, 'store.postgres')
  const { url, schema, connections } = /** @type {Record<string, unknown>} */ (postgres)
  if (schema !== undefined && typeof schema !== 'string')
    throw new TypeError('`store.postgres.schema` must be the name of a schema')
  const isCount = typeof connections === 'number' && Number.isInteger(connections) && connections >= 1
  if (connections !== undefined && !(isCount && connections <= MAX_CONNECTIONS))
    throw new TypeError(`\`store.postgres.connections\` must be a whole number from 1 to ${MAX_CONNECTIONS}`)
  return { url: postgresUrl(url), schema, connections }
}

/** @param {unknown} postgres */
function postgresUrl(postgres) {
  const url = postgres instanceof URL ? postgres.href : postgres
  // The message omits the URL: it can contain a password.
  if (typeof url !== 'string' || !POSTGRES_URL.test(url))
    throw new TypeError('`store.postgres` must be a URL, such as `postgres://127.0.0.1:5432/app`')
  return url
}

/** @param {unknown} value @param {string} name */
function storeTime(value, name) {
  if (value === undefined) return undefined
  const time = milliseconds(value, name)
  if (time < 100) throw new TypeError(`\`${name}\` must be 100 or more`)
  return time
}

/** @param {string} [environment] */
function isProduction(environment = process.env.NODE_ENV === 'production' ? 'production' : 'development') {
  if (environment === 'production') return true
  if (environment === 'development') return false
  throw new TypeError(`unknown environment \`${String(environment)}\`; it must be \`development\` or \`production\``)
}

/** @param {unknown} onLog */
function listensToWarnings(onLog) {
  if (onLog !== undefined && typeof onLog !== 'function') throw new TypeError('`onLog` must be a function')
  return onLog !== undefined
}

/**
 * The sink of audit lines, and the installation's key if the host gives it.
 * @param {import('../../index.js').AuditSink} audit @param {import('../../index.js').StoreChoice} store
 */
function auditOptions(audit, store) {
  const auditKey = auditKeyOf(isObject(audit) ? audit.key : undefined)
  const isKept = auditKey !== undefined || store !== 'memory'
  return { audit: auditSink(audit, isKept), auditKey }
}

/** @param {import('../../index.js').AuditSink} audit @param {boolean} isKeyKept whether the key outlives the process */
function auditSink(audit, isKeyKept) {
  if (audit === 'none' || audit === 'stdout') return audit
  if (typeof audit === 'function') return 'callback'
  if (typeof audit?.file !== 'string' || audit.file === '')
    throw new TypeError('`audit` must be `none`, `stdout`, `{ file }` or a function')
  checkOptionNames(audit, ['file', 'rotate', 'key', 'chain'], 'audit')
  const { file, rotate, chain } = audit
  if (chain !== undefined && typeof chain !== 'boolean') throw new TypeError('`audit.chain` must be true or false')
  if (chain === true && !isKeyKept)
    throw new TypeError(
      '`audit.chain` needs a key that outlives the process: give `audit.key`, or a `store` that keeps one',
    )
  return { file: { path: file, rotate: rotation(rotate), chain } }
}

/**
 * The installation's audit key: given, or in the environment variable TOOLGATE_AUDIT_KEY; `undefined` if neither is.
 * @param {unknown} [given]
 */
function auditKeyOf(given) {
  const name = given === undefined ? 'TOOLGATE_AUDIT_KEY' : '`audit.key`'
  const key = given ?? (process.env.TOOLGATE_AUDIT_KEY || undefined)
  if (key === undefined && given === undefined) return undefined
  // The message omits the key: it is a secret.
  if (typeof key !== 'string' || Buffer.byteLength(key) < MIN_KEY_BYTES)
    throw new TypeError(`${name} must be a text of ${MIN_KEY_BYTES} bytes or more`)
  return key
}

/** @param {import('../../index.js').AuditRotation} [rotate] */
function rotation(rotate) {
  if (rotate === undefined) return undefined
  if (rotate === null || typeof rotate !== 'object') throw new TypeError('`audit.rotate` must be an object')
  checkOptionNames(rotate, ['maxBytes', 'maxAgeMs', 'keep', 'compress'], 'audit.rotate')
  const { maxBytes, maxAgeMs, keep, compress } = rotate
  for (const [name, value] of Object.entries({ maxBytes, maxAgeMs })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`\`audit.rotate.${name}\` must be an integer above 0`)
    }
  }
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep >= 0)) {
    throw new TypeError('`audit.rotate.keep` must be an integer, 0 or more')
  }
  if (compress !== undefined && typeof compress !== 'boolean') {
    throw new TypeError('`audit.rotate.compress` must be true or false')
  }
  return { maxBytes, maxAgeMs, keep, compress }
}

/**
 * Converts session options for the core.
 * @param {import('../../index.js').SessionOptions} options
 * @param {string[]} services
 */
function sessionOptions(options, services) {
  checkOptionNames(options, SESSION_OPTIONS, 'session')
  const {
    sessionId,
    principal,
    resumeToken,
    mode,
    state,
    roles,
    policy,
    exclusive,
    resumeOnly,
    timeZone,
    canAsk,
    turnPauseMs,
  } = options
  toolSearchOf(options)
  if (typeof mode !== 'string' || mode === '') {
    throw new TypeError('`mode` is missing; name one, such as `voice` or `text`')
  }
  checkOptionTypes(options, SESSION_OPTION_TYPES)
  return {
    mode,
    services,
    policy,
    sessionId: optionalText(sessionId, 'sessionId'),
    principal: optionalText(principal, 'principal'),
    resumeToken: optionalText(resumeToken, 'resumeToken'),
    state: initialState(state),
    roles,
    exclusive,
    resumeOnly,
    timeZone: optionalText(timeZone, 'timeZone'),
    canAsk,
    turnPauseMs: turnPauseMs === undefined ? undefined : milliseconds(turnPauseMs, 'turnPauseMs'),
    listens: options.onCapabilityUsed !== undefined,
  }
}

/**
 * The initial state without `isActive`, which the core keeps: a session is active until it ends.
 * @param {Record<string, unknown> | undefined} state
 */
function initialState(state) {
  if (state === undefined || !Object.hasOwn(state, 'isActive')) return state
  const { isActive, ...rest } = state
  if (isActive !== true) throw new TypeError('`state.isActive` must be true: a session is active until `end()`')
  return rest
}

/**
 * A duration in whole milliseconds. `Infinity` means the core's maximum, 2³² − 1 ms (49 days).
 * @param {unknown} value
 * @param {string} name
 */
function milliseconds(value, name) {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0)
    throw new TypeError(`\`${name}\` must be a number of milliseconds, 0 or more`)
  return Math.min(Math.ceil(value), 2 ** 32 - 1)
}

/** @param {unknown} value @param {string} name */
function optionalText(value, name) {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '') throw new TypeError(`\`${name}\` must be a text that is not empty`)
  // In UTF-8, texts that differ in a lone surrogate only would become one.
  if (!value.isWellFormed()) throw new TypeError(`\`${name}\` must not contain a lone surrogate`)
  return value
}

module.exports = {
  auditKeyOf,
  checkOptionNames,
  checkRegistryOptions,
  isObject,
  isProduction,
  milliseconds,
  nativeOptions,
  sessionOptions,
  storeChoice,
  storeFromSetting,
}
