'use strict'

// `fetch` for the SDK's HTTP transport: redirects are refused, because they would carry headers and tokens to another
// server, and a body is bounded: one message of JSON, or each event of a stream.

const { memberOf } = require('../values/foreign.js')
const { tooLarge } = require('./message-meter.js')
const { NotSent } = require('./not-sent.js')

const [NEWLINE, RETURN] = [0x0a, 0x0d]

/** Codes of errors that come before a request is written. */
const UNCONNECTED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])

/** The server answered with a redirect. */
class RedirectRefused extends Error {
  constructor() {
    super('the server redirects to another address: configure that address as `url` if it is right')
    this.name = 'RedirectRefused'
  }
}

/**
 * @param {object} options
 * @param {number} options.messageBytes
 * @param {() => string | undefined} options.token the bearer token of the next request
 * @param {(fault: string) => void} options.onFault receives the bound that a body breaks
 * @returns {(url: string | URL, init?: RequestInit) => Promise<Response>}
 */
function boundedFetch({ messageBytes, token, onFault }) {
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    const bearer = token()
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
    const response = await answered(url, { ...init, headers, redirect: 'manual' })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new RedirectRefused()
    }
    if (response.body === null) return response
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    const isWithin = isStream ? eventsWithin(messageBytes) : bytesWithin(messageBytes)
    return new Response(response.body.pipeThrough(bounded(isWithin, () => onFault(tooLarge(messageBytes)))), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

/** @param {string | URL} url @param {RequestInit} init */
async function answered(url, init) {
  try {
    return await fetch(url, init)
  } catch (error) {
    const code = memberOf(memberOf(error, 'cause'), 'code')
    if (typeof code === 'string' && UNCONNECTED.has(code))
      throw new NotSent(`no connection to the server: ${code}`, { cause: error })
    throw error
  }
}

/**
 * @param {(bytes: Uint8Array) => boolean} isWithin
 * @param {() => void} onFault
 * @returns {TransformStream<Uint8Array, Uint8Array>}
 */
function bounded(isWithin, onFault) {
  return new TransformStream({
    transform(chunk, controller) {
      if (isWithin(chunk)) return controller.enqueue(chunk)
      controller.error(new Error('the body is too large'))
      onFault()
    },
  })
}

/** @param {number} maxBytes of the whole body @returns {(bytes: Uint8Array) => boolean} */
function bytesWithin(maxBytes) {
  let left = maxBytes
  return bytes => (left -= bytes.length) >= 0
}

/** @param {number} maxBytes of each event, which ends with an empty line @returns {(bytes: Uint8Array) => boolean} */
function eventsWithin(maxBytes) {
  let eventBytes = 0
  let lineBytes = 0
  return bytes => {
    for (let from = 0; from < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, from)
      const part = bytes.subarray(from, newline === -1 ? bytes.length : newline)
      eventBytes += part.length
      if (eventBytes > maxBytes) return false
      // A line may end with a carriage return before its newline.
      lineBytes += part.at(-1) === RETURN ? part.length - 1 : part.length
      if (newline === -1) return true
      if (lineBytes === 0) eventBytes = 0
      lineBytes = 0
      from = newline + 1
    }
    return true
  }
}

module.exports = { RedirectRefused, boundedFetch }
