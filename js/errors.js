'use strict'

// Error types and error classes. The core defines the types. The classes are defined here, because an error made by
// native code fails `instanceof Error` if the host runs code in another realm (as jest does).

const native = require('../native.js')

const contract = JSON.parse(native.contract())

const equalNames = names => Object.freeze(Object.fromEntries(names.map(name => [name, name])))

/** The error types, each equal to its name. */
const ErrorType = equalNames(Object.keys(contract.httpStatus))

const IntentType = equalNames(['END_VOICE_SESSION', 'SUPPRESS_AUDIO', 'SUPPRESS_TRANSCRIPT', 'SET_PENDING_MESSAGE'])

/** The HTTP status that fits an error type; 500 for an unknown one. */
function httpStatus(type) {
  return Object.hasOwn(contract.httpStatus, type) ? contract.httpStatus[type] : 500
}

/** Error types that are retryable by default. */
const RETRYABLE = new Set(['TRANSIENT', 'RATE_LIMIT'])

/** The member of a ToolError that lists the fields its thrower set; the other fields are defaults. */
const EXPLICIT_FIELDS = Symbol.for('toolgate.explicitFields')

/** A handler's error with a known type. */
class ToolError extends Error {
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
    for (const field of ['idempotencyRequired', 'details', 'suggestion', 'retryAfterMs']) {
      if (options[field] !== undefined) this[field] = options[field]
    }
    const explicit = Object.keys(options).filter(field => options[field] !== undefined)
    Object.defineProperty(this, EXPLICIT_FIELDS, { value: Object.freeze(explicit) })
  }
}

/** Thrown in development when a session outlives a reload. */
class RegistryVersionMismatch extends Error {
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
  constructor(code, message, options) {
    super(message, options)
    this.name = 'RegistryLoadError'
    this.code = code
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
  contract,
}
