'use strict'

// Checks the host's options and converts them for the core.

const { toolSearchOf } = require('../tool-sets/declared-tools.js')
const { checkModeNames } = require('../tool-sets/registry-modes.js')
const {
  BOOLEAN,
  FUNCTION,
  OBJECT,
  SECRET,
  checkOptionNames,
  checkOptionTypes,
  isObject,
  isSecret,
  milliseconds,
  optionalText,
} = require('./option-checks.js')
const { storeChoice } = require('./store-options.js')

/** @typedef {import('./option-checks.js').OptionType} OptionType */

/** The core's default. */
const SESSION_IDLE_MS = 24 * 60 * 60 * 1000

const REGISTRY_OPTIONS = [
  'artifact',
  'handlers',
  'services',
  'sources',
  'tokens',
  'modes',
  'audit',
  'limits',
  'store',
  'environment',
  'onHandlerError',
  'onLog',
  'onConfirmation',
  'linkSecret',
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
  'holdResults',
  'clientId',
  'ws',
  'geminiSession',
  'onCapabilityUsed',
  'onNestedConfirmation',
  'onProgress',
  'onToolCall',
  'onToolsFound',
  'toolSearch',
  'toolsets',
]

/** Registry options whose type is checked here. @type {Record<string, OptionType>} */
const REGISTRY_OPTION_TYPES = {
  handlers: OBJECT,
  onHandlerError: FUNCTION,
  onConfirmation: FUNCTION,
  linkSecret: SECRET,
  strictNulls: BOOLEAN,
}
/** Session options whose type is checked here; the core checks their content. @type {Record<string, OptionType>} */
const SESSION_OPTION_TYPES = {
  onCapabilityUsed: FUNCTION,
  onNestedConfirmation: FUNCTION,
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
  checkModeNames(Object.keys(modes ?? {}))
  return {
    modes,
    repair: repairSetting(options.repair),
    limits: checkedLimits(limits),
    store: storeChoice(store),
    ...auditOptions(options.audit ?? 'none', store),
    listensToWarnings: listensToWarnings(options.onLog),
    listensToConfirmations: options.onConfirmation !== undefined,
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

/** How long an idle session is kept. @param {import('../../index.js').RegistryOptions} options */
const sessionIdleMs = ({ limits }) => limits?.sessionIdleMs ?? SESSION_IDLE_MS

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
  if (!isSecret(key)) throw new TypeError(`${name} must be ${SECRET.expected}`)
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
    holdResults,
    turnPauseMs,
  } = options
  toolSearchOf(options)
  if (typeof mode !== 'string' || mode === '') {
    throw new TypeError('`mode` is missing; name one, such as `voice` or `text`')
  }
  checkOptionTypes(options, SESSION_OPTION_TYPES)
  if (holdResults !== undefined && holdResults !== 'writes')
    throw new TypeError('`holdResults` must be `writes`, or be left out')
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
    holdsWrites: holdResults === 'writes',
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

module.exports = {
  auditKeyOf,
  auditOptions,
  checkRegistryOptions,
  isProduction,
  nativeOptions,
  sessionIdleMs,
  sessionOptions,
}
