'use strict'

// Values of environment variables that both servers read. An error names the variable: an operator has no other name for it.

const { createAddressSet } = require('./address-set.js')
const { checkedOrigins } = require('./allowed-origins.js')
const { checkedHosts } = require('./host-policy.js')
const { createMetricsAccess } = require('./metrics-access.js')

const MIN_SECRET_BYTES = 16
const DAY_MS = 24 * 60 * 60 * 1000
/** Bounds the audit of a server without an operator: about 3 GB before compression, or 30 days. */
const ROTATION = Object.freeze({ maxBytes: 100 * 1024 * 1024, maxAgeMs: DAY_MS, keep: 30 })
/** What `ALLOWED_ORIGINS` allows besides origins. */
const VOICE_ORIGIN_WORDS = ['localhost', 'no-origin']
/** The members of `TOOLGATE_AUDIT_ROTATE` and their least values. @type {Record<string, number>} */
const LEAST = { maxBytes: 1, maxAgeMs: 1, keep: 0 }

/**
 * What `read` makes of a variable's value; undefined if the variable is absent or empty.
 * @template T
 * @param {string} variable @param {string | undefined} text @param {(text: string) => T} read
 * @returns {T | undefined}
 * @throws {TypeError} with the name of the variable, if `read` throws
 */
function readVariable(variable, text, read) {
  if (text === undefined || text === '') return undefined
  try {
    return read(text)
  } catch (error) {
    throw new TypeError(`${variable}: ${/** @type {Error} */ (error).message}`, { cause: error })
  }
}

/** Numbers that are written as `connections=64, longPolls=16`; NaN for what is no number. @param {string} text @returns {Record<string, number>} */
function readNumbers(text) {
  const entries = text.split(',').map(entry => entry.split('=', 2).map(side => side.trim()))
  return Object.fromEntries(entries.map(([name, value]) => [name, value ? Number(value) : NaN]))
}

/** @param {string} text */
const readList = text =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)

/** @type {typeof import('./index').auditSinkOf} */
function auditSinkOf(env) {
  const file = env.TOOLGATE_AUDIT || 'stdout'
  const rotate = readVariable('TOOLGATE_AUDIT_ROTATE', env.TOOLGATE_AUDIT_ROTATE, readRotation)
  if (file === 'none' || file === 'stdout') return file
  return rotate === null ? { file } : { file, rotate: { ...ROTATION, ...rotate } }
}

/** @param {string} text @returns {import('toolgate').AuditRotation | null} null: no rotation */
function readRotation(text) {
  if (text === 'off') return null
  const given = readNumbers(text)
  for (const [name, value] of Object.entries(given)) {
    const least = Object.hasOwn(LEAST, name) ? LEAST[name] : undefined
    if (least === undefined)
      throw new TypeError(
        `\`${name}\` must be one of ${Object.keys(LEAST).join(', ')}, as in \`maxBytes=1000000, keep=9\``,
      )
    if (!Number.isSafeInteger(value) || value < least)
      throw new TypeError(`\`${name}\` must be a whole number from ${least}`)
  }
  return given
}

/** @type {typeof import('./index').metricsTokenOf} */
function metricsTokenOf(env) {
  return readVariable('TOOLGATE_METRICS_TOKEN', env.TOOLGATE_METRICS_TOKEN, token => {
    createMetricsAccess(token)
    return token
  })
}

/** @type {typeof import('./index').trustedProxiesOf} */
function trustedProxiesOf(env) {
  return readVariable('TOOLGATE_TRUSTED_PROXIES', env.TOOLGATE_TRUSTED_PROXIES, text => {
    const proxies = readList(text)
    createAddressSet(proxies)
    return proxies
  })
}

/** @type {typeof import('./index').allowedHostsOf} */
const allowedHostsOf = env => hostsOf('TOOLGATE_ALLOWED_HOSTS', env.TOOLGATE_ALLOWED_HOSTS)

/** @type {typeof import('./index').inspectorHostsOf} */
const inspectorHostsOf = env => hostsOf('TOOLGATE_INSPECTOR_HOSTS', env.TOOLGATE_INSPECTOR_HOSTS)

/** @param {string} variable @param {string} [names] */
const hostsOf = (variable, names) => readVariable(variable, names, text => checkedHosts(readList(text)))

/** @type {typeof import('./index').webOriginsOf} */
const webOriginsOf = env =>
  readVariable('TOOLGATE_ALLOWED_ORIGINS', env.TOOLGATE_ALLOWED_ORIGINS, text => checkedOrigins(readList(text)))

/** @type {typeof import('./index').voiceOriginsOf} */
const voiceOriginsOf = env =>
  readVariable('ALLOWED_ORIGINS', env.ALLOWED_ORIGINS, text => checkedOrigins(readList(text), VOICE_ORIGIN_WORDS))

/**
 * The SDK writes an endpoint that it can't read to the log, with its password, and sends the spans elsewhere.
 * @type {typeof import('./index').traceEndpointOf}
 */
function traceEndpointOf(env) {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null
  // That of spans alone goes first.
  const ofTraces = endpointOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
  const ofAll = endpointOf('OTEL_EXPORTER_OTLP_ENDPOINT', env.OTEL_EXPORTER_OTLP_ENDPOINT)
  return ofTraces ?? ofAll ?? null
}

/** @param {string} variable @param {string} [address] */
const endpointOf = (variable, address) =>
  readVariable(variable, address?.trim(), text => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
    throw new TypeError('must be a URL that begins with `https://` or `http://`')
  })

/** @param {string} variable @param {string} [text] */
const secretOf = (variable, text) =>
  readVariable(variable, text, secret => {
    // The message omits the secret.
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES)
      throw new TypeError(`must have at least ${MIN_SECRET_BYTES} bytes`)
    return secret
  })

/** @type {typeof import('./index').resumeSecretOf} */
const resumeSecretOf = env => secretOf('TOOLGATE_RESUME_SECRET', env.TOOLGATE_RESUME_SECRET)

/** @type {typeof import('./index').cookieSecretOf} */
const cookieSecretOf = env => secretOf('TOOLGATE_COOKIE_SECRET', env.TOOLGATE_COOKIE_SECRET)

/** @type {typeof import('./index').inspectorSecretOf} */
const inspectorSecretOf = env => secretOf('TOOLGATE_INSPECTOR_SECRET', env.TOOLGATE_INSPECTOR_SECRET)

/** @type {typeof import('./index').voiceUrlOf} */
function voiceUrlOf(env) {
  const text = env.TOOLGATE_VOICE_URL
  return text && URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol) ? text : null
}

module.exports = {
  VOICE_ORIGIN_WORDS,
  allowedHostsOf,
  auditSinkOf,
  cookieSecretOf,
  inspectorHostsOf,
  inspectorSecretOf,
  metricsTokenOf,
  readNumbers,
  readVariable,
  resumeSecretOf,
  traceEndpointOf,
  trustedProxiesOf,
  voiceOriginsOf,
  voiceUrlOf,
  webOriginsOf,
}
