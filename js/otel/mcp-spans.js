'use strict'

// A span for each `tools/call` request of an MCP client, inside the client's own span if the request names it.

const { SpanKind, SpanStatusCode, context, propagation, trace } = require('@opentelemetry/api')

const names = require('./conventions.js')

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
 * Serves a request in a span of its own.
 * @template {{ isError?: boolean }} T
 * @param {{ tracer: import('@opentelemetry/api').Tracer, durations: import('@opentelemetry/api').Histogram }} instruments
 * @param {import('../call-tracing.js').McpRequest} request
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function serveMcp({ tracer, durations }, { toolId, requestId, meta }, work) {
  const attributes = {
    [names.MCP_METHOD_NAME]: names.MCP_METHOD_TOOLS_CALL,
    [names.OPERATION_NAME]: names.OPERATION_EXECUTE_TOOL,
    [names.TOOL_NAME]: toolId,
  }
  const began = performance.now()
  const parent = meta === undefined ? context.active() : propagation.extract(context.active(), meta, META)
  const span = tracer.startSpan(
    `${names.MCP_METHOD_TOOLS_CALL} ${toolId}`,
    {
      kind: SpanKind.SERVER,
      attributes: { ...attributes, [names.JSONRPC_REQUEST_ID]: String(requestId).slice(0, MAX_ID_CHARACTERS) },
    },
    parent,
  )
  let errorType
  try {
    const result = await context.with(trace.setSpan(parent, span), work)
    if (result.isError === true) errorType = names.MCP_TOOL_ERROR
    return result
  } catch (error) {
    errorType = String(/** @type {{ code?: unknown }} */ (error).code ?? names.ERROR_TYPE_OTHER)
    throw error
  } finally {
    const failed = errorType === undefined ? {} : { [names.ERROR_TYPE]: errorType }
    span.setAttributes(failed)
    if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    durations.record((performance.now() - began) / 1000, { ...attributes, ...failed })
  }
}

module.exports = { serveMcp }
