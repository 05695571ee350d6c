'use strict'

// A span for each `tools/call` request of MCP: one that is served is inside the client's own span if the request names it, and
// one that a handler makes carries its own to the other server.

const { SpanKind, SpanStatusCode, context, propagation, trace } = require('@opentelemetry/api')

const names = require('./conventions.js')
const { memberOf, textOf } = require('../values/foreign.js')

/** The keys of `_meta` that propagators read (W3C Trace Context and Baggage). */
const PROPAGATED = new Set(['traceparent', 'tracestate', 'baggage'])
/** The longest value that a propagator gets, and the longest id in an attribute, in characters. */
const MAX_PROPAGATED_CHARACTERS = 8192
const MAX_ID_CHARACTERS = 128

/** Reads strings of these keys only: the request is a stranger's. */
const META = {
  /** @param {Record<string, unknown>} meta */
  keys: meta => Object.keys(meta).filter(key => PROPAGATED.has(key)),
  /** @param {Record<string, unknown>} meta @param {string} key */
  get: (meta, key) => {
    const value = PROPAGATED.has(key) && Object.hasOwn(meta, key) ? meta[key] : undefined
    return typeof value === 'string' && value.length <= MAX_PROPAGATED_CHARACTERS ? value : undefined
  },
}

/**
 * @typedef {{ tracer: import('@opentelemetry/api').Tracer, durations: import('@opentelemetry/api').Histogram }} Instruments
 */

/**
 * Serves a request in a span of its own.
 * @template {{ isError?: boolean }} T
 * @param {Instruments} instruments
 * @param {import('../observe/call-tracing.js').McpRequest} request
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
function serveMcp(instruments, { toolId, requestId, meta }, work) {
  const parent = meta === undefined ? context.active() : propagation.extract(context.active(), meta, META)
  const attributes = { [names.JSONRPC_REQUEST_ID]: String(requestId).slice(0, MAX_ID_CHARACTERS) }
  return inSpan(instruments, { toolId, parent, kind: SpanKind.SERVER, attributes }, work)
}

/**
 * Sends a request in a span of its own, whose context is in the `_meta` that `send` gets.
 * @template {{ isError?: boolean }} T
 * @param {Instruments} instruments
 * @param {{ toolId: string, attributes: import('@opentelemetry/api').Attributes }} request
 * @param {(meta: Record<string, string>) => Promise<T>} send
 * @returns {Promise<T>}
 */
function callMcp(instruments, { toolId, attributes }, send) {
  const span = { toolId, parent: context.active(), kind: SpanKind.CLIENT, attributes }
  return inSpan(instruments, span, () => send(activeMeta()))
}

/** The `_meta` that carries the active context to another server. */
function activeMeta() {
  /** @type {Record<string, string>} */
  const meta = {}
  propagation.inject(context.active(), meta)
  return meta
}

/**
 * @template {{ isError?: boolean }} T
 * @param {Instruments} instruments
 * @param {{ toolId: string, parent: import('@opentelemetry/api').Context, kind: import('@opentelemetry/api').SpanKind,
 *   attributes: import('@opentelemetry/api').Attributes }} request
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function inSpan({ tracer, durations }, { toolId, parent, kind, attributes: own }, work) {
  const attributes = {
    [names.MCP_METHOD_NAME]: names.MCP_METHOD_TOOLS_CALL,
    [names.OPERATION_NAME]: names.OPERATION_EXECUTE_TOOL,
    [names.TOOL_NAME]: toolId,
  }
  const began = performance.now()
  const name = `${names.MCP_METHOD_TOOLS_CALL} ${toolId}`
  const span = tracer.startSpan(name, { kind, attributes: { ...attributes, ...own } }, parent)
  let errorType
  try {
    const result = await context.with(trace.setSpan(parent, span), work)
    if (result.isError === true) errorType = names.MCP_TOOL_ERROR
    return result
  } catch (error) {
    errorType = textOf(memberOf(error, 'code') ?? names.ERROR_TYPE_OTHER)
    throw error
  } finally {
    const failed = errorType === undefined ? {} : { [names.ERROR_TYPE]: errorType }
    span.setAttributes(failed)
    if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    durations.record((performance.now() - began) / 1000, { ...attributes, ...failed })
  }
}

module.exports = { activeMeta, callMcp, serveMcp }
