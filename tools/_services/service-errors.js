// Converts the error codes of host services to errors of a ToolResponse, for all handlers.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * @typedef {import('./service-types.js').FailedResult} FailedResult
 * @typedef {Extract<FailedResult, { ok: false }>} Failure
 * @typedef {{ code?: unknown, retryAfter?: number, unsent?: boolean, status?: number, reason?: string,
 *   conflicts?: import('./service-types.js').Period[] }} ServiceErrorDetails
 */

/**
 * A service's error with a code that callers distinguish.
 *
 * Other services need not use this class: any error with one of these `code`s is converted.
 *
 * @property {"TIMEOUT" | "UNAVAILABLE" | "RATE_LIMIT" | "INVALID_NAMESPACE" | "AUTH_ERROR" | "FORBIDDEN" | "CONFLICT" |
 *   "REJECTED"} code
 * @property {number} [retryAfter] seconds, with RATE_LIMIT
 * @property {boolean} [unsent] with TIMEOUT and UNAVAILABLE of a write: true if nothing can have been written
 * @property {number} [status] of an HTTP answer
 * @property {{ start: string, end: string }[]} [conflicts] with CONFLICT of times: the periods that conflict, as
 *   date-times
 */
export class ServiceError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {Omit<ServiceErrorDetails, 'code'> & { cause?: unknown }} [details]
   */
  constructor(code, message, { cause, ...more } = {}) {
    super(message, { cause })
    this.name = 'ServiceError'
    this.code = code
    for (const [name, value] of Object.entries(more)) if (value !== undefined) Object.assign(this, { [name]: value })
  }
}

// Fixed messages instead of the service's, which may contain addresses or credentials.
/**
 * @type {Map<unknown, (service: string, error: ServiceErrorDetails) => import('../../index.js').HandlerResult<never>>}
 */
const FAILURES = new Map([
  [
    'TIMEOUT',
    service =>
      failure(ErrorType.TRANSIENT, `the ${service} did not answer in time`, {
        retryable: true,
        details: { reason: 'timeout' },
      }),
  ],
  [
    'UNAVAILABLE',
    service =>
      failure(ErrorType.TRANSIENT, `the ${service} can't be reached`, {
        retryable: true,
        details: { reason: 'unavailable' },
      }),
  ],
  [
    'RATE_LIMIT',
    (service, error) =>
      failure(ErrorType.RATE_LIMIT, `the ${service} takes no more requests for now`, {
        retryable: true,
        ...retryAfterMs(error),
      }),
  ],
  [
    'INVALID_NAMESPACE',
    service =>
      failure(ErrorType.VALIDATION, `the ${service} does not know this namespace`, {
        retryable: false,
        suggestion: "use one of the namespaces that the tool's schema lists",
      }),
  ],
  // Retryable after a new sign-in; the gate itself never retries it.
  [
    'AUTH_ERROR',
    service =>
      failure(ErrorType.AUTH, `the ${service} refused the credentials of this host`, {
        retryable: true,
        suggestion: 'tell the user that access must be renewed before this can work',
      }),
  ],
  [
    'FORBIDDEN',
    service =>
      failure(ErrorType.AUTH, `the ${service} does not allow this host to do that`, {
        retryable: false,
        suggestion: 'tell the user that the permission is missing',
      }),
  ],
  [
    'CONFLICT',
    (service, { conflicts }) => (Array.isArray(conflicts) ? timeConflict(service, conflicts) : stateConflict(service)),
  ],
  [
    'REJECTED',
    service =>
      failure(ErrorType.PERMANENT, `the ${service} refused the request`, {
        retryable: false,
        partialSideEffects: false,
      }),
  ],
])

// Failures after which a write may have happened, unless the error has `unsent: true`.
/** @type {Set<unknown>} */
const OUTCOME_UNKNOWN = new Set(['TIMEOUT', 'UNAVAILABLE'])

/**
 * Passes only the times on, no other members.
 * @param {string} service
 * @param {import('./service-types.js').Period[]} conflicts
 */
function timeConflict(service, conflicts) {
  return failure(ErrorType.CONFLICT, `the ${service} has something else at this time`, {
    retryable: false,
    partialSideEffects: false,
    details: { conflicts: conflicts.map(({ start, end }) => ({ start, end })) },
    suggestion: 'look up free times and agree on another one with the user',
  })
}

/** @param {string} service */
function stateConflict(service) {
  return failure(ErrorType.CONFLICT, `the request conflicts with what the ${service} has now`, {
    retryable: false,
    partialSideEffects: false,
    suggestion: 'look up what is there now and agree on a change with the user',
  })
}

/** @param {ServiceErrorDetails} error */
function retryAfterMs({ retryAfter }) {
  return retryAfter !== undefined && Number.isFinite(retryAfter) && retryAfter >= 0
    ? { retryAfterMs: Math.ceil(retryAfter * 1000) }
    : {}
}

/**
 * Converts a service's error to the failed ToolResponse that a handler returns. An error without a known code is thrown
 * again, so that the gate handles it as unexpected.
 *
 * @param {unknown} error the service's error
 * @param {string} service its name in a sentence, such as "knowledge base"
 * @param {{ writing?: boolean }} [options] `writing`: the request was a write; a failure with unknown outcome is then
 *   reported with possible side effects and not as retryable
 * @returns {FailedResult}
 */
export function serviceFailure(error, service, { writing = false } = {}) {
  const details = /** @type {ServiceErrorDetails | null | undefined} */ (error) ?? {}
  const toFailure = FAILURES.get(details.code)
  if (!toFailure) throw error
  const response = /** @type {Failure} */ (toFailure(service, details))
  return writing && OUTCOME_UNKNOWN.has(details.code) && details.unsent !== true
    ? withUnknownOutcome(response)
    : response
}

/** @param {Failure} failed @returns {FailedResult} */
function withUnknownOutcome({ error, ...response }) {
  const { type, message, details } = error
  return {
    ...response,
    error: {
      type,
      message: `${message}; it may have happened all the same`,
      retryable: false,
      partialSideEffects: true,
      details: { .../** @type {import('./service-types.js').JsonObject} */ (details), outcome: 'unknown' },
      suggestion: 'find out whether it happened before you try again',
    },
  }
}
