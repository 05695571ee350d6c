'use strict'

// Error types and error classes. The core defines the types. The classes are defined here, because an error made by
// native code fails `instanceof Error` if the host runs code in another realm (as jest does).

const native = require('../../native.js')
const { deepFreeze } = require('../values/deep-freeze.js')

/**
 * @typedef {import('../../index.js').ErrorTypeName} ErrorTypeName
 * @typedef {{ httpStatus: Record<string, number>, responseSchemaVersion: string,
 *   modes: Record<string, Required<import('../../index.js').ModePolicy>>,
 *   responseSchema: Record<string, import('../../index.js').JsonValue> }} Contract
 */

/** @type {Contract} */
const contract = JSON.parse(native.contract())

/** @template {string} Name @param {Name[]} names @returns {{ readonly [K in Name]: K }} */
const equalNames = names =>
  /** @type {any} a record of these names */ (Object.freeze(Object.fromEntries(names.map(name => [name, name]))))

/** The error types, each equal to its name. */
const ErrorType = equalNames(/** @type {ErrorTypeName[]} */ (Object.keys(contract.httpStatus)))

const IntentType = equalNames(['END_VOICE_SESSION', 'SUPPRESS_AUDIO', 'SUPPRESS_TRANSCRIPT', 'SET_PENDING_MESSAGE'])

/** The policies of the built-in modes, by name. */
const builtInModes = deepFreeze(contract.modes)

/** The HTTP status that fits an error type; 500 for an unknown one. @param {string} type */
function httpStatus(type) {
  return Object.hasOwn(contract.httpStatus, type) ? contract.httpStatus[type] : 500
}

/** Error types that are retryable by default. */
const RETRYABLE = new Set(['TRANSIENT', 'RATE_LIMIT'])

/** The member of a ToolError that lists the fields its thrower set; the other fields are defaults. */
const EXPLICIT_FIELDS = Symbol.for('toolgate.explicitFields')

/** The delay in milliseconds: `retryAfterMs`, or `retryAfter` in seconds. @param {import('../../index.js').ToolErrorOptions} options */
const delayOf = ({ retryAfterMs, retryAfter }) =>
  retryAfterMs === undefined && typeof retryAfter === 'number' ? Math.ceil(retryAfter * 1000) : retryAfterMs

/** A handler's error with a known type. */
class ToolError extends Error {
  /** @param {ErrorTypeName} type @param {string} message @param {import('../../index.js').ToolErrorOptions} [options] */
  constructor(type, message, options = {}) {
    if (!Object.hasOwn(ErrorType, type)) {
      throw new TypeError(
        `unknown error type \`${String(type)}\`; it must be one of ${Object.keys(ErrorType).join(', ')}`,
      )
    }
    super(String(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ToolError'
    this.type = type
    this.retryable = options.retryable ?? RETRYABLE.has(type)
    this.partialSideEffects = options.partialSideEffects ?? false
    const { idempotencyRequired, details, suggestion } = options
    const retryAfterMs = delayOf(options)
    for (const [field, value] of Object.entries({ idempotencyRequired, details, suggestion, retryAfterMs })) {
      if (value !== undefined) Object.assign(this, { [field]: value })
    }
    const explicit = Object.keys(options).filter(field => Reflect.get(options, field) !== undefined)
    if (retryAfterMs !== undefined) explicit.push('retryAfterMs')
    Object.defineProperty(this, EXPLICIT_FIELDS, { value: Object.freeze(explicit) })
  }

  /** The `error` of a result, for a handler that returns its error. Defaults are left out: the gate knows better ones. */
  toJSON() {
    const { type, message, retryable } = this
    const given = /** @type {string[]} */ (Reflect.get(this, EXPLICIT_FIELDS)).filter(
      field => field in this && field !== 'cause',
    )
    return { type, message, retryable, ...Object.fromEntries(given.map(field => [field, Reflect.get(this, field)])) }
  }
}

/** Thrown in development when a session outlives a reload. */
class RegistryVersionMismatch extends Error {
  /** @param {string} message @param {string} expected @param {string} actual */
  constructor(message, expected, actual) {
    super(message)
    this.name = 'RegistryVersionMismatch'
    this.code = 'REGISTRY_VERSION_MISMATCH'
    this.expected = expected
    this.actual = actual
  }
}

/** Thrown by `load()`: `code` is the check that failed. */
class RegistryLoadError extends Error {
  /**
   * @param {import('../../index.js').RegistryLoadError['code']} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options)
    this.name = 'RegistryLoadError'
    this.code = code
  }
}

/** Thrown by the operator's functions of a store: the store can't be used. */
class StoreError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message)
    this.name = 'StoreError'
    this.code = 'STORE_FAILED'
  }
}

module.exports = {
  ErrorType,
  IntentType,
  httpStatus,
  EXPLICIT_FIELDS,
  ToolError,
  RegistryVersionMismatch,
  RegistryLoadError,
  StoreError,
  builtInModes,
  contract,
}
