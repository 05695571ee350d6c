'use strict'

// One HTTP route for all tools that a page calls: a web-standard Request becomes a call of the page's session.

const { randomUUID } = require('node:crypto')

const { httpStatus } = require('../answers/errors.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { toModelResponse } = require('../answers/views.js')
const { errorListener, failureResponse, jsonResponse } = require('./http-refusal.js')
const { limitHeaders } = require('./limit-headers.js')
const {
  checkContentType,
  checkHost,
  checkMethod,
  checkSource,
  hostPolicyOf,
  idempotencyCallId,
  readBody,
} = require('./request-checks.js')

const OPTIONS = [
  'session',
  'beforeCall',
  'toolOf',
  'allowedHosts',
  'allowedOrigins',
  'maxBodyBytes',
  'onCapabilityUsed',
  'onError',
]
/** The gate's own limit of arguments. */
const MAX_BODY_BYTES = 1024 * 1024

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./index.js').ToolRouteOptions} ToolRouteOptions
 * @typedef {import('./index.js').RegistrySource} RegistrySource
 */

/**
 * @param {RegistrySource} registry
 * @param {ToolRouteOptions} options
 * @returns {(request: Request) => Promise<Response>}
 */
function createToolRoute(registry, options) {
  checkOptionNames(options, OPTIONS, 'tool route')
  if (typeof options.session !== 'function')
    throw new TypeError('`session` is missing; it must be a function that gives the session options of a request')
  const isKnownHost = hostPolicyOf(options)
  const onError = errorListener(options.onError)
  return async request => {
    try {
      checkHost(request, isKnownHost)
      return await answer(registry, options, request)
    } catch (error) {
      return failureResponse(error, request, onError)
    }
  }
}

/** @param {RegistrySource} source @param {ToolRouteOptions} options @param {Request} request */
async function answer(source, options, request) {
  const { toolOf = lastSegment, maxBodyBytes = MAX_BODY_BYTES } = options
  checkMethod(request)
  await checkSource(request, options)
  checkContentType(request)
  const key = idempotencyCallId(request)
  const name = await toolOf(request)
  const args = await readBody(request, maxBodyBytes)
  const registry = typeof source === 'function' ? await source() : source
  const session = await attach(registry, options, request)
  try {
    await options.beforeCall?.(session, request)
    const response = await callOnce(session, { name, args }, key, request.signal)
    return toHttp(response, registry.getToolMetadata(name))
  } finally {
    await session.detach()
  }
}

/** @param {ToolRegistry} registry @param {ToolRouteOptions} options @param {Request} request */
async function attach(registry, { session, onCapabilityUsed }, request) {
  const listeners = onCapabilityUsed && {
    onCapabilityUsed: (/** @type {import('./index.js').CapabilityUse} */ use) => onCapabilityUsed(use, request),
  }
  const given = await session(request)
  if (typeof given === 'string' || Array.isArray(given))
    throw new TypeError('`session` must return the options of the session, an object')
  return registry.createSession({ exclusive: false, ...listeners, ...given })
}

/**
 * A repeated key belongs to the turn of its first request, so that the gate compares the arguments; a request without a
 * key is a call and a turn of its own, and is cancelled when its client goes away.
 * @param {Session} session
 * @param {{ name: string, args: Uint8Array }} call
 * @param {string | null} key
 * @param {AbortSignal} signal
 * @returns {Promise<ToolResponse>}
 */
async function callOnce(session, call, key, signal) {
  const id = key ?? `http_${randomUUID()}`
  await session.beginTurn(id)
  return session.execute({ ...call, id }, key === null ? { signal } : {})
}

/** @param {ToolResponse} response @param {import('toolgate').ToolMetadata | null} tool */
function toHttp(response, tool) {
  const status = response.ok ? 200 : httpStatus(response.error.type)
  return jsonResponse(toModelResponse(response, { meta: 'full' }), status, limitHeaders(response, tool))
}

/**
 * The last segment of the path. The text of a wrong escape is used as it is: the gate does not know such a tool.
 * @param {Request} request
 */
function lastSegment({ url }) {
  const segment = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

module.exports = { createToolRoute }
