// One request to a JSON API over HTTPS: the key, the time and size limits, and its failures as ServiceErrors.
// Messages contain neither addresses, keys nor anything that the API sent.
import { ServiceError } from './service-errors.js'
import { parsedUrl } from './web-address.js'

/** @type {Set<string | undefined>} */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Errors of a connection that was never made: nothing was sent. @type {Set<unknown>} */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/**
 * @typedef {import('./service-types.js').JsonObject} JsonObject
 * @typedef {string | ((options: { signal: AbortSignal }) => string | Promise<string>)} ApiKey a function is called for
 *   each request
 * @typedef {Record<string, string | number | boolean | undefined>} Query
 */

/**
 * @typedef {object} JsonRequestOptions
 * @property {string} baseUrl https, or this machine
 * @property {ApiKey} apiKey
 * @property {(key: string) => Record<string, string>} headersFor the headers that carry the key
 * @property {number} timeoutMs of one request
 * @property {number} [maxBytes] of one answer
 * @property {(status: number, answer: JsonObject | null) => string} [codeOf] the code of a ServiceError for an answer that
 *   is no success, with its JSON object if it has one; by default {@link codeOfStatus}
 */

/**
 * @param {JsonRequestOptions} options
 * @returns {(method: string, path: string, options?: { query?: Query, body?: object, headers?: Record<string, string>,
 *   signal?: AbortSignal }) => Promise<JsonObject>} resolves to the JSON object of a success; rejects with a ServiceError or the
 *   reason of the signal
 */
export function createJsonRequest({
  baseUrl,
  apiKey,
  headersFor,
  timeoutMs,
  maxBytes = 2_000_000,
  codeOf = codeOfStatus,
}) {
  checkBaseUrl(baseUrl)
  if (typeof apiKey !== 'function' && !isKey(apiKey)) throw new TypeError('`apiKey` must be a key or a function')
  return (method, path, { query = {}, body, headers = {}, signal } = {}) =>
    withinTime(signal, timeoutMs, async (bounded, progress) => {
      const key = await keyOf(apiKey, bounded)
      const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`)
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value))
      progress.sent = true
      const sent = { method, headers: { ...headersFor(key), ...headers }, body, signal: bounded }
      return send(url, sent, { maxBytes, codeOf })
    })
}

/** @param {string} baseUrl */
function checkBaseUrl(baseUrl) {
  const { protocol, hostname } = parsedUrl(baseUrl) ?? {}
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return
  throw new TypeError('`baseUrl` must be an https address: a key is sent there')
}

/**
 * Checked here, because the platform's error message would contain the header.
 * @param {unknown} key
 * @returns {key is string}
 */
const isKey = key => typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)

/** @param {ApiKey} apiKey @param {AbortSignal} signal */
async function keyOf(apiKey, signal) {
  /** @type {unknown} */
  let key = apiKey
  try {
    if (typeof apiKey === 'function') key = await apiKey({ signal })
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('AUTH_ERROR', 'the host has no key', { cause })
  }
  if (!isKey(key)) throw new ServiceError('AUTH_ERROR', 'the host gave no key')
  return key
}

/**
 * Runs `work` under a signal that also aborts after `timeoutMs`.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {number} timeoutMs
 * @param {(signal: AbortSignal, progress: { sent: boolean }) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withinTime(signal, timeoutMs, work) {
  signal?.throwIfAborted()
  const bounded = new AbortController()
  const stop = () => bounded.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const progress = { sent: false }
  const timer = setTimeout(() => bounded.abort(), timeoutMs)
  /** @type {Promise<never>} */
  const aborted = new Promise((_resolve, reject) =>
    bounded.signal.addEventListener('abort', () => reject(bounded.signal.reason), { once: true }),
  )
  try {
    return await Promise.race([work(bounded.signal, progress), aborted])
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
 * @param {URL} url
 * @param {{ method: string, headers: Record<string, string>, body?: object, signal: AbortSignal }} request
 * @param {Required<Pick<JsonRequestOptions, 'maxBytes' | 'codeOf'>>} reading of the answer
 */
async function send(url, { method, headers, body, signal }, { maxBytes, codeOf }) {
  const withType = body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
  let response
  let text
  try {
    response = await fetch(url, {
      method,
      signal,
      // No redirects: the key is only for this address.
      redirect: 'error',
      headers: { accept: 'application/json', ...withType },
      body: body && JSON.stringify(body),
    })
    text = await textOf(response, maxBytes)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const { cause } = /** @type {{ cause?: { code?: unknown } }} */ (error)
    const unsent = NEVER_CONNECTED.has(cause?.code) ? true : undefined
    throw new ServiceError('UNAVAILABLE', 'the connection failed', { unsent })
  }
  const answer = parsed(text)
  if (!response.ok) throw failureOf(response, codeOf(response.status, answer), answer)
  if (answer === null) throw new ServiceError('UNAVAILABLE', 'the answer is no JSON object')
  return answer
}

/** @param {Response} response @param {number} maxBytes */
async function textOf(response, maxBytes) {
  const chunks = []
  let size = 0
  /** @type {AsyncIterable<Uint8Array> | never[]} */
  const body = /** @type {import('node:stream/web').ReadableStream<Uint8Array> | null} */ (response.body) ?? []
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new ServiceError('UNAVAILABLE', 'the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** @param {string} text @returns {JsonObject | null} */
function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** @param {Response} response @param {string} code @param {JsonObject | null} answer */
function failureOf({ status, headers }, code, answer) {
  const seconds = secondsOf(headers.get('retry-after')) ?? retryDelayOf(answer)
  const retryAfter = code === 'RATE_LIMIT' ? seconds : undefined
  return new ServiceError(code, `the answer has status ${status}`, { retryAfter, status })
}

/**
 * Google's APIs have no `Retry-After`: the pause is in the answer (`google.rpc.RetryInfo`).
 * @param {JsonObject | null} answer
 */
export function retryDelayOf(answer) {
  /** @type {unknown} */
  const details = answer?.error?.details
  const delays = Array.isArray(details) ? details.map(detail => detail?.retryDelay) : []
  const delay = delays.find(text => typeof text === 'string' && /^\d+(?:\.\d+)?s$/.test(text))
  return delay === undefined ? undefined : Number(delay.slice(0, -1))
}

/** @param {number} status of an HTTP answer that is no success @returns {string} the code of a ServiceError */
export function codeOfStatus(status) {
  if (status === 401) return 'AUTH_ERROR'
  if (status === 403) return 'FORBIDDEN'
  if (status === 408 || status === 504) return 'TIMEOUT'
  if (status === 429) return 'RATE_LIMIT'
  return status >= 500 ? 'UNAVAILABLE' : 'REJECTED'
}

/** `Retry-After` has seconds or a date (RFC 9110, 10.2.3). @param {string | null | undefined} retryAfter */
export function secondsOf(retryAfter) {
  if (typeof retryAfter !== 'string') return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
