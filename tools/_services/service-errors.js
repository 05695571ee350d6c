// The one place where the error codes of host services become errors of a ToolResponse. Handlers name no service code.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * What a service throws when it fails in a way that its callers should tell apart.
 *
 * A service of your own need not use this class: any error with one of these `code`s is understood.
 *
 * @property {"TIMEOUT" | "RATE_LIMIT" | "INVALID_NAMESPACE" | "AUTH_ERROR"} code
 * @property {number} [retryAfter] seconds, with RATE_LIMIT
 */
export class ServiceError extends Error {
  constructor(code, message, { retryAfter, cause } = {}) {
    super(message, { cause })
    this.name = 'ServiceError'
    this.code = code
    if (retryAfter !== undefined) this.retryAfter = retryAfter
  }
}

// Our own sentences, never the service's: its message may carry addresses or credentials.
const FAILURES = new Map([
  ['TIMEOUT', (service) =>
    failure(ErrorType.TRANSIENT, `the ${service} did not answer in time`, {
      retryable: true,
      details: { reason: 'timeout' },
    })],
  ['RATE_LIMIT', (service, error) =>
    failure(ErrorType.RATE_LIMIT, `the ${service} takes no more requests for now`, {
      retryable: true,
      ...retryAfterMs(error),
    })],
  ['INVALID_NAMESPACE', (service) =>
    failure(ErrorType.VALIDATION, `the ${service} does not know this namespace`, {
      retryable: false,
      suggestion: 'use one of the namespaces that the tool\'s schema lists',
    })],
  // Retryable once somebody has signed in again; the gate itself never retries it.
  ['AUTH_ERROR', (service) =>
    failure(ErrorType.AUTH, `the ${service} refused the credentials of this host`, {
      retryable: true,
      suggestion: 'tell the user that access must be renewed before this can work',
    })],
])

function retryAfterMs({ retryAfter }) {
  return Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfterMs: Math.ceil(retryAfter * 1000) } : {}
}

/**
 * Turns a service's error into the failed ToolResponse a handler returns. An error without a known code is thrown again,
 * so that the gate sees the unexpected as what it is.
 *
 * @param {unknown} error what the service threw
 * @param {string} service its name in a sentence, such as "knowledge base"
 * @returns {object} a failed ToolResponse
 */
export function serviceFailure(error, service) {
  const toFailure = FAILURES.get(error?.code)
  if (!toFailure) throw error
  return toFailure(service, error)
}
