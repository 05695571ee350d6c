'use strict'

// `fetch` for the SDK's HTTP transport: redirects are refused, because they would carry headers and tokens to another
// server, and a body is bounded: one message of JSON, or each event of a stream.

const { memberOf } = require('../values/foreign.js')
const { JsonBounds } = require('./json-bounds.js')
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
    const bounds = isStream ? new EventBounds(messageBytes) : new JsonBounds(messageBytes)
    return new Response(response.body.pipeThrough(bounded(bounds, onFault)), {
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
 * @param {{ add(bytes: Uint8Array): string | undefined }} bounds
 * @param {(fault: string) => void} onFault
 * @returns {TransformStream<Uint8Array, Uint8Array>}
 */
function bounded(bounds, onFault) {
  return new TransformStream({
    transform(chunk, controller) {
      const fault = bounds.add(chunk)
      if (fault === undefined) return controller.enqueue(chunk)
      controller.error(new Error(`the server sent ${fault}`))
      onFault(fault)
    },
  })
}

/** The bounds of each event of a stream. An event ends with an empty line. */
class EventBounds {
  #event
  #lineBytes = 0

  /** @param {number} maxBytes */
  constructor(maxBytes) {
    this.#event = new JsonBounds(maxBytes)
  }

  /** @param {Uint8Array} bytes @returns {string | undefined} */
  add(bytes) {
    let from = 0
    while (from < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, from)
      const end = newline === -1 ? bytes.length : newline + 1
      const part = bytes.subarray(from, end)
      const fault = this.#event.add(part)
      if (fault !== undefined) return fault
      this.#lineBytes += part.length - (part.at(-2) === RETURN || part[0] === RETURN ? 1 : 0)
      if (newline !== -1) {
        if (this.#lineBytes === 1) this.#event.reset()
        this.#lineBytes = 0
      }
      from = end
    }
    return undefined
  }
}

module.exports = { RedirectRefused, boundedFetch }
