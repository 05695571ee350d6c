'use strict'

// Error types and error classes. The table of types stands in the core; the classes are built here, because an error made
// by native code fails `instanceof Error` where a host runs code in another realm (as jest does).

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

/** Types of which trying again is what helps, unless the thrower says otherwise. */
const RETRYABLE = new Set(['TRANSIENT', 'RATE_LIMIT'])

/** The name under which a ToolError keeps which of its fields its thrower gave: the others are only what is usual. */
const SAID = Symbol.for('toolgate.said')

/** What a handler throws when it knows the type of its failure. */
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
    const said = Object.keys(options).filter(field => options[field] !== undefined)
    Object.defineProperty(this, SAID, { value: Object.freeze(said) })
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

/** Thrown by `load()`: `code` says which check failed. */
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
  SAID,
  ToolError,
  RegistryVersionMismatch,
  RegistryLoadError,
  contract,
}
