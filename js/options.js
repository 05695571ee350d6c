'use strict'

// Options as hosts write them, checked and in the core's words. A name that is not known throws: a misspelt option would
// silently do nothing.

const path = require('node:path')
const { fileURLToPath } = require('node:url')

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
]
const SESSION_OPTIONS = [
  'sessionId',
  'principal',
  'mode',
  'state',
  'roles',
  'services',
  'messaging',
  'policy',
  'exclusive',
  'clientId',
  'ws',
  'geminiSession',
  'onCapabilityUsed',
  'onProgress',
  'onToolCall',
]

const STORE_OPTIONS = ['file', 'redis', 'timeoutMs', 'leaseMs']

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const aFunction = { fits: value => typeof value === 'function', expected: 'a function' }
const anObject = { fits: isObject, expected: 'an object' }
/** Session options whose shape is checked here; what they hold is the core's to judge. */
const SHAPES = {
  onCapabilityUsed: aFunction,
  onProgress: aFunction,
  onToolCall: aFunction,
  state: anObject,
  policy: anObject,
  roles: {
    fits: value => Array.isArray(value) && value.every(role => typeof role === 'string'),
    expected: 'a list of names, such as `["admin"]`',
  },
  exclusive: { fits: value => typeof value === 'boolean', expected: 'true or false' },
}

function checkNames(options, known, what) {
  if (!isObject(options)) throw new TypeError(`${what} options must be an object`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`unknown ${what} option \`${unknown}\`; it takes ${known.join(', ')}`)
}

/** Throws for a registry's options that have no object's shape or a name that is not known. */
const checkRegistryOptions = options => checkNames(options, REGISTRY_OPTIONS, 'registry')

/** A registry's options for the core. */
function nativeOptions(options) {
  checkRegistryOptions(options)
  const { modes = {}, limits = {}, store = 'memory', environment, strayErrors = 'crash' } = options
  if (strayErrors !== 'crash' && strayErrors !== 'report')
    throw new TypeError('`strayErrors` must be `crash` or `report`')
  return {
    modes,
    limits,
    store: storeChoice(store),
    audit: auditSink(options.audit ?? 'none'),
    listensToWarnings: listensToWarnings(options.onLog),
    production: isProduction(environment),
  }
}

/**
 * A store as one setting, such as an environment variable holds it.
 * @param {string} [setting] `memory`, a `redis://` or `rediss://` URL, or the path of a file
 * @returns {import('../index.js').StoreChoice}
 */
function storeFromSetting(setting = 'memory') {
  if (setting === 'memory') return 'memory'
  return /^rediss?:\/\//.test(setting) ? { redis: setting } : { file: setting }
}

/** Where sessions live, in the core's words. */
function storeChoice(store) {
  if (store === 'memory') return { kind: 'memory' }
  if (!isObject(store))
    throw new TypeError(`unknown store \`${String(store)}\`; it must be \`memory\`, \`{ file }\` or \`{ redis }\``)
  checkNames(store, STORE_OPTIONS, 'store')
  const { file, redis, timeoutMs, leaseMs } = store
  if ((file === undefined) === (redis === undefined))
    throw new TypeError('`store` must name one place: `{ file }` or `{ redis }`')
  const times = { timeoutMs: aTime(timeoutMs, 'store.timeoutMs'), leaseMs: aTime(leaseMs, 'store.leaseMs') }
  if (redis !== undefined) return { kind: 'redis', url: redisUrl(redis), ...times }
  const place = file instanceof URL ? fileURLToPath(file) : file
  if (typeof place !== 'string' || place === '') throw new TypeError('`store.file` must be a path or a file URL')
  return { kind: 'file', path: path.resolve(place), ...times }
}

function redisUrl(redis) {
  const url = redis instanceof URL ? redis.href : redis
  // Its text is left out of the message: it can hold a password.
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url))
    throw new TypeError('`store.redis` must be a URL, such as `redis://127.0.0.1:6379`')
  return url
}

function aTime(value, name) {
  if (value === undefined) return undefined
  const time = milliseconds(value, name)
  if (time < 100) throw new TypeError(`\`${name}\` must be 100 or more`)
  return time
}

function isProduction(environment = process.env.NODE_ENV === 'production' ? 'production' : 'development') {
  if (environment === 'production') return true
  if (environment === 'development') return false
  throw new TypeError(`unknown environment \`${String(environment)}\`; it must be \`development\` or \`production\``)
}

function listensToWarnings(onLog) {
  if (onLog !== undefined && typeof onLog !== 'function') throw new TypeError('`onLog` must be a function')
  return onLog !== undefined
}

function auditSink(audit) {
  if (audit === 'none' || audit === 'stdout') return audit
  if (typeof audit === 'function') return 'callback'
  if (typeof audit?.file === 'string' && audit.file !== '') return { file: audit.file }
  throw new TypeError('`audit` must be `none`, `stdout`, `{ file }` or a function')
}

/** A session's options for the core. */
function sessionOptions(options, services) {
  checkNames(options, SESSION_OPTIONS, 'session')
  const { sessionId, principal, mode, state, roles, policy, exclusive } = options
  if (typeof mode !== 'string' || mode === '') {
    throw new TypeError('`mode` is missing; name one, such as `voice` or `text`')
  }
  for (const [name, { fits, expected }] of Object.entries(SHAPES)) {
    if (options[name] !== undefined && !fits(options[name])) throw new TypeError(`\`${name}\` must be ${expected}`)
  }
  return {
    mode,
    services,
    policy,
    sessionId: optionalText(sessionId, 'sessionId'),
    principal: optionalText(principal, 'principal'),
    state,
    roles,
    exclusive,
    listens: options.onCapabilityUsed !== undefined,
  }
}

/** A time to wait that the core can count: whole milliseconds. `Infinity` is as long as it can. */
function milliseconds(value, name) {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0)
    throw new TypeError(`\`${name}\` must be a number of milliseconds, 0 or more`)
  return Math.min(Math.ceil(value), 2 ** 32 - 1)
}

function optionalText(value, name) {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '') throw new TypeError(`\`${name}\` must be a text that is not empty`)
  return value
}

module.exports = {
  checkNames,
  checkRegistryOptions,
  isObject,
  milliseconds,
  nativeOptions,
  sessionOptions,
  storeFromSetting,
}
