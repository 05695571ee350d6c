// One request to Google Calendar: token, timeout, and errors. Messages contain neither the address, the token nor data
// of Google, which must not be logged.
import { ServiceError } from './service-errors.js'

/** @type {Set<string | undefined>} */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Reasons of a 403 that mean a rate limit or a token problem; all others mean missing permissions. */
const RATE_REASONS = /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED)$/
const TOKEN_REASONS = /^(insufficientPermissions|authError|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/
/** The connection was never made: nothing was sent. @type {Set<unknown>} */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/**
 * @typedef {import('./service-types.js').JsonObject} JsonObject
 * @typedef {(options: { signal: AbortSignal }) => string | Promise<string>} AccessToken
 * @typedef {Record<string, string | number | boolean | undefined>} Query
 * @param {{ baseUrl: string, accessToken: AccessToken, timeoutMs: number }} options of `createGoogleCalendar`
 * @returns {(method: string, path: string[], options?: { query?: Query, body?: object, signal?: AbortSignal }) =>
 *   Promise<JsonObject>} resolves to the JSON of a success; rejects with a ServiceError, or with the reason of an aborted
 *   signal
 */
export function createGoogleRequest({ baseUrl, accessToken, timeoutMs }) {
  checkBaseUrl(baseUrl)
  return (method, path, { query = {}, body, signal } = {}) =>
    withinTime(signal, timeoutMs, async (bounded, progress) => {
      const token = await tokenOf(accessToken, bounded)
      const url = new URL(`${baseUrl.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}`)
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value))
      progress.sent = true
      return send(url, { method, token, body, signal: bounded })
    })
}

/** @param {string} baseUrl */
function checkBaseUrl(baseUrl) {
  const { protocol, hostname } = /** @type {Partial<URL>} */ (URL.canParse(baseUrl) ? new URL(baseUrl) : {})
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return
  throw new TypeError('`baseUrl` must be an https address: a token is sent there')
}

/**
 * Runs `work` with a signal that also aborts on timeout. The cause of the abort decides the error.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {number} timeoutMs
 * @param {(signal: AbortSignal, progress: { sent: boolean }) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withinTime(signal, timeoutMs, work) {
  signal?.throwIfAborted()
  const bounded = new AbortController()
  const stop = () => bounded.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const progress = { sent: false }
  const timer = setTimeout(() => bounded.abort(), timeoutMs)
  try {
    return await Promise.race([work(bounded.signal, progress), abortOf(bounded.signal)])
  } catch (error) {
    if (!bounded.signal.aborted) throw error
    signal?.throwIfAborted()
    throw new ServiceError('TIMEOUT', 'no answer in time', { unsent: progress.sent ? undefined : true })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/**
 * Rejects on abort, for a host's function that ignores its signal.
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function abortOf(signal) {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

/** @param {AccessToken} accessToken @param {AbortSignal} signal */
async function tokenOf(accessToken, signal) {
  let token
  try {
    token = await accessToken({ signal })
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('AUTH_ERROR', 'the host has no access token', { cause })
  }
  // Checked here, because the platform's error message would contain the invalid header.
  const isOne = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
  if (!isOne) throw new ServiceError('AUTH_ERROR', 'the host gave no access token')
  return token
}

/** @param {URL} url @param {{ method: string, token: string, body?: object, signal: AbortSignal }} request */
async function send(url, { method, token, body, signal }) {
  /** @type {Record<string, string>} */
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  if (body) headers['content-type'] = 'application/json'
  let response
  let text
  try {
    response = await fetch(url, {
      method,
      signal,
      // No redirects: the token is only for this address.
      redirect: 'error',
      headers,
      body: body && JSON.stringify(body),
    })
    text = await response.text()
  } catch (error) {
    const { cause } = /** @type {{ cause?: { code?: unknown } }} */ (error)
    const unsent = NEVER_CONNECTED.has(cause?.code) ? true : undefined
    throw new ServiceError('UNAVAILABLE', 'the connection failed', { unsent })
  }
  const answer = parsed(text)
  if (!response.ok) throw failureOf(response, answer)
  if (answer === null) throw new ServiceError('UNAVAILABLE', 'the answer is no JSON')
  return answer
}

/** @param {string} text @returns {JsonObject | null} */
function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** @param {Response} response @param {JsonObject | null} answer */
function failureOf({ status, headers }, answer) {
  const code = status === 403 ? codeOfForbidden(answer) : codeOf(status)
  const retryAfter = code === 'RATE_LIMIT' ? secondsOf(headers.get('retry-after')) : undefined
  return new ServiceError(code, `the answer has status ${status}`, { retryAfter, status })
}

/** @param {number} status */
function codeOf(status) {
  if (status === 401) return 'AUTH_ERROR'
  if (status === 404 || status === 410) return 'INVALID_NAMESPACE'
  if (status === 408 || status === 504) return 'TIMEOUT'
  if (status === 429) return 'RATE_LIMIT'
  return status >= 500 ? 'UNAVAILABLE' : 'REJECTED'
}

/** @param {JsonObject | null} answer */
function codeOfForbidden(answer) {
  const error = answer?.error ?? {}
  const lists = [error.errors, error.details].filter(Array.isArray)
  const reasons = lists.flat().map(one => String(one?.reason))
  if (reasons.some(reason => RATE_REASONS.test(reason))) return 'RATE_LIMIT'
  return reasons.some(reason => TOKEN_REASONS.test(reason)) ? 'AUTH_ERROR' : 'FORBIDDEN'
}

/** `Retry-After` has seconds or a date (RFC 9110, 10.2.3). @param {string | null} retryAfter */
function secondsOf(retryAfter) {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
