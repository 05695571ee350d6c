// One request to Google Calendar: its addresses, and what its errors mean.
import { codeOfStatus, createJsonRequest } from './json-request.js'

/** Reasons of a 403 that mean a rate limit or a token problem; all others mean missing permissions. */
const RATE_REASONS = /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED)$/
const TOKEN_REASONS = /^(insufficientPermissions|authError|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/
/** The largest answer: a page of events. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * @typedef {import('./service-types.js').JsonObject} JsonObject
 * @typedef {(options: { signal: AbortSignal }) => string | Promise<string>} AccessToken
 * @typedef {import('./json-request.js').Query} Query
 * @param {{ baseUrl: string, accessToken: AccessToken, timeoutMs: number }} options of `createGoogleCalendar`
 * @returns {(method: string, path: string[], options?: { query?: Query, body?: object, signal?: AbortSignal }) =>
 *   Promise<JsonObject>} resolves to the JSON of a success; rejects with a ServiceError, or with the reason of an aborted
 *   signal
 */
export function createGoogleRequest({ baseUrl, accessToken, timeoutMs }) {
  const request = createJsonRequest({
    baseUrl,
    apiKey: accessToken,
    headersFor: token => ({ authorization: `Bearer ${token}` }),
    timeoutMs,
    maxBytes: MAX_BYTES,
    codeOf,
  })
  return (method, path, options) => request(method, `/${path.map(encodeURIComponent).join('/')}`, options)
}

/** @param {number} status @param {JsonObject | null} answer */
function codeOf(status, answer) {
  if (status === 404 || status === 410) return 'INVALID_NAMESPACE'
  return status === 403 ? codeOfForbidden(answer) : codeOfStatus(status)
}

/** @param {JsonObject | null} answer */
function codeOfForbidden(answer) {
  const error = answer?.error ?? {}
  const lists = [error.errors, error.details].filter(Array.isArray)
  const reasons = lists.flat().map(one => String(one?.reason))
  if (reasons.some(reason => RATE_REASONS.test(reason))) return 'RATE_LIMIT'
  return reasons.some(reason => TOKEN_REASONS.test(reason)) ? 'AUTH_ERROR' : 'FORBIDDEN'
}
