// The failure for a service's answer that the tool can't use.
import { ErrorType } from '../_core/error-types.js'
import { failure } from '../_core/tool-response.js'

/**
 * @param {string} service its name in a sentence
 * @param {{ retryable?: boolean }} [options] true if the service may answer the same request differently
 * @returns {import('./service-types.js').FailedResult}
 */
export const unusableAnswer = (service, { retryable = false } = {}) =>
  failure(ErrorType.TRANSIENT, `the ${service} gave no usable answer`, {
    retryable,
    details: { reason: 'unusable_answer' },
  })
