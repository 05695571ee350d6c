'use strict'

// The choice of the session store, for the core.

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { checkOptionNames, isObject, milliseconds } = require('./option-checks.js')

const REDIS_OPTIONS = ['url', 'waitReplicas', 'waitTimeoutMs', 'allowEviction']
const MAX_REPLICAS = 100
const POSTGRES_OPTIONS = ['url', 'schema', 'connections']
const MAX_CONNECTIONS = 100
const STORE_OPTIONS = ['file', 'redis', 'postgres', 'timeoutMs', 'leaseMs']

/** What was meant as an address: another scheme, one with quotes or blanks around it, `user:password@host`, `host=… password=…`. */
const ADDRESS = /^[\s"'`]|[\s"'`]$|^\w[\w+.-]+:\/|:[^/\\]*@|\b(?:host|user|password)\s*=/i
const POSTGRES_URL = /^postgres(ql)?:\/\//

/**
 * Converts a store setting, such as an environment variable's value.
 * @param {string} [setting] `memory`, a `redis://`, `rediss://`, `postgres://` or `postgresql://` URL, or the path of a file
 * @returns {import('../../index.js').StoreChoice}
 * @throws {TypeError} for a URL of another kind, without the URL in its message, which may have a password
 */
function storeFromSetting(setting = 'memory') {
  if (setting === 'memory') return 'memory'
  if (/^rediss?:\/\//.test(setting)) return { redis: setting }
  if (POSTGRES_URL.test(setting)) return { postgres: setting }
  // Taken for the name of a file, an address would be printed, with its password.
  if (ADDRESS.test(setting))
    throw new TypeError(
      'a store is the path of a file, without quotes and blanks around it, or a URL that begins with `redis://`, `rediss://` or `postgres://`',
    )
  return { file: setting }
}

/** Converts a store choice for the core. @param {import('../../index.js').StoreChoice} store */
function storeChoice(store) {
  if (store === 'memory') return { kind: /** @type {const} */ ('memory') }
  if (!isObject(store))
    throw new TypeError(
      `unknown store \`${String(store)}\`; it must be \`memory\`, \`{ file }\`, \`{ redis }\` or \`{ postgres }\``,
    )
  checkOptionNames(store, STORE_OPTIONS, 'store')
  const { file, redis, postgres, timeoutMs, leaseMs } = /** @type {Record<string, unknown>} */ (store)
  if ([file, redis, postgres].filter(place => place !== undefined).length !== 1)
    throw new TypeError('`store` must name one place: `{ file }`, `{ redis }` or `{ postgres }`')
  const times = { timeoutMs: storeTime(timeoutMs, 'store.timeoutMs'), leaseMs: storeTime(leaseMs, 'store.leaseMs') }
  if (redis !== undefined) return { kind: /** @type {const} */ ('redis'), ...redisServer(redis), ...times }
  if (postgres !== undefined) return { kind: /** @type {const} */ ('postgres'), ...postgresServer(postgres), ...times }
  const place = file instanceof URL ? fileURLToPath(file) : file
  if (typeof place !== 'string' || place === '') throw new TypeError('`store.file` must be a path or a file URL')
  return { kind: /** @type {const} */ ('file'), path: path.resolve(place), ...times }
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

module.exports = { storeChoice, storeFromSetting }
