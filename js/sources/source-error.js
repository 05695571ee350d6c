'use strict'

// Classifies what went wrong with a call to a source. The question is whether the server can have acted: an error before
// the request was sent, or a refusal of the protocol, means that nothing ran; after that a write's outcome is unknown.

const { sdk } = require('../mcp/sdk.js')
const { ToolError } = require('../answers/errors.js')
const { isInstance, memberOf, messageOf } = require('../values/foreign.js')
const { RedirectRefused } = require('./bounded-fetch.js')
const { NotSent } = require('./not-sent.js')

/**
 * @typedef {object} Circumstances
 * @property {string} source
 * @property {boolean} writes whether the tool writes
 * @property {string} [fault] the bound that the server broke
 */

const INVALID_PARAMS = -32602
const MISSING_CAPABILITY = -32021
const CLIENT_CAPABILITIES = ['elicitation', 'sampling', 'roots']
/**
 * Errors by which a server refuses a request before it runs the tool: JSON-RPC's own, and those of MCP (a URL to visit
 * first, headers, capabilities or a version that do not fit). Other codes, such as -32603, can come from the tool itself.
 */
const REFUSALS = new Set([-32700, -32600, -32601, INVALID_PARAMS, -32042, -32020, MISSING_CAPABILITY, -32022])
/** HTTP statuses by which a server refuses a request before it reads it as a call. */
const HTTP_REFUSALS = new Set([400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 429, 431])
const MAX_TEXT = 500

/** @param {unknown} error @param {Circumstances} circumstances @returns {ToolError} */
function callError(error, circumstances) {
  const { source, writes, fault } = circumstances
  if (isInstance(error, ToolError)) return error
  if (isInstance(error, NotSent)) return unreachable(source, { cause: error })
  const { ProtocolError, SdkError, SdkHttpError } = sdk.client
  if (isInstance(error, ProtocolError)) return protocolError(error, circumstances)
  if (isInstance(error, SdkHttpError) && HTTP_REFUSALS.has(error.status))
    return httpRefusal(error.status, source, error)
  if (isInstance(error, SdkError) && error.code === 'INVALID_RESULT') return wrongShape(source, writes, error.message)
  const redirect = isInstance(error, RedirectRefused)
  // The SDK quotes the body of an answer, which may have anything in it.
  const status = isInstance(error, SdkHttpError) ? `HTTP ${error.status}` : undefined
  const why = fault ?? status ?? (redirect || isInstance(error, SdkError) ? messageOf(error) : `the connection failed`)
  return new ToolError('TRANSIENT', `\`${source}\` did not answer: ${clipped(why)}`, {
    retryable: !writes,
    ...partial(writes),
    cause: error,
  })
}

/**
 * The server can't be reached now, and nothing was sent.
 * @param {string} source
 * @param {{ retryAfterMs?: number, cause?: unknown, message?: string }} [options]
 */
function unreachable(source, { message = `the server \`${source}\` can't be reached`, ...options } = {}) {
  return new ToolError('TRANSIENT', message, { retryable: true, ...options })
}

/**
 * The server's answer is not a result of a tool. It ran.
 * @param {string} source
 * @param {boolean} writes
 * @param {string} problem
 */
function wrongShape(source, writes, problem) {
  const message = `the answer of \`${source}\` is not a result of a tool: ${clipped(problem)}`
  return new ToolError('PERMANENT', message, { retryable: false, ...partial(writes) })
}

/** @param {string} source @param {string} message */
const unauthorized = (source, message) => new ToolError('AUTH', message, { retryable: false, details: { source } })

/** @param {import('@modelcontextprotocol/client').ProtocolError} error @param {Circumstances} circumstances */
function protocolError(error, { source, writes }) {
  const type = error.code === INVALID_PARAMS ? 'VALIDATION' : 'PERMANENT'
  return new ToolError(type, `\`${source}\`: ${clipped(error.message)}`, {
    retryable: false,
    ...partial(writes && !REFUSALS.has(error.code)),
    details: { source, code: error.code, ...missingCapabilities(error) },
    cause: error,
  })
}

/** What the server needs that this client does not offer. @param {import('@modelcontextprotocol/client').ProtocolError} error @returns {import('../shared-types.js').JsonObject} */
function missingCapabilities({ code, data }) {
  const required = code === MISSING_CAPABILITY ? memberOf(data, 'requiredCapabilities') : undefined
  if (typeof required !== 'object' || required === null) return {}
  const names = Object.keys(required).filter(name => CLIENT_CAPABILITIES.includes(name))
  return { requiredCapabilities: names }
}

/** @param {number} status @param {string} source @param {unknown} cause */
function httpRefusal(status, source, cause) {
  if (status === 401 || status === 403) return unauthorized(source, `\`${source}\` refuses this user (HTTP ${status})`)
  const message = `\`${source}\` refused the request (HTTP ${status})`
  // 404: the server has forgotten the session, and the next call begins another.
  if (status === 404 || status === 429) return unreachable(source, { message, cause })
  return new ToolError('PERMANENT', message, { retryable: false, cause })
}

/** @param {boolean} isPartial */
const partial = isPartial => (isPartial ? { partialSideEffects: true } : {})

/** @param {string} text */
const clipped = text => text.slice(0, MAX_TEXT)

module.exports = { callError, clipped, unauthorized, unreachable, wrongShape }
