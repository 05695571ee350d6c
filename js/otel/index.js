'use strict'

// `toolgate/otel`: a span for each call, active in its handler, the histogram of durations, and audit lines as log records.

const { SpanKind, SpanStatusCode, context, metrics, trace } = require('@opentelemetry/api')

const { callTracing } = require('../observe/call-tracing.js')
const { auditLogs } = require('./audit-logs.js')
const names = require('./conventions.js')
const { exportTraces: exportTracesOf } = require('./export-traces.js')
const { activeMeta, callMcp, serveMcp } = require('./mcp-spans.js')

const SCOPE = 'toolgate'
/** The attribute that names the MCP server whose tool is called. */
const SOURCE = 'toolgate.source'
/** The longest id in an attribute, in characters. */
const MAX_ID_CHARACTERS = 128
/** The longest arguments in an attribute, in characters of JSON text. */
const MAX_ARGUMENTS_CHARACTERS = 16 * 1024
/** The bounds that the conventions advise for the histogram, in seconds. */
const DURATION_BOUNDS = Array.from({ length: 14 }, (_, doubling) => 2 ** doubling / 100)

/**
 * @typedef {import('@opentelemetry/api').Span} Span
 * @typedef {import('../observe/call-tracing.js').CallTrace} CallTrace
 * @typedef {import('../observe/call-tracing.js').TracedCall} TracedCall
 * @typedef {import('../../index.js').CallMessage} CallMessage
 */

class Tracer {
  #tracer
  #durations
  #servedDurations
  #madeDurations
  #captureArguments

  /** @param {import('./index.js').TraceOptions} options */
  constructor({ captureArguments = false, tracerProvider = trace, meterProvider = metrics }) {
    this.#tracer = tracerProvider.getTracer(SCOPE)
    const meter = meterProvider.getMeter(SCOPE)
    const options = { unit: 's', advice: { explicitBucketBoundaries: DURATION_BOUNDS } }
    this.#durations = meter.createHistogram(names.OPERATION_DURATION, {
      description: 'Time from the arrival of a tool call to its answer.',
      ...options,
    })
    this.#servedDurations = meter.createHistogram(names.MCP_SERVER_DURATION, {
      description: 'Time from the arrival of an MCP request to its result.',
      ...options,
    })
    this.#madeDurations = meter.createHistogram(names.MCP_CLIENT_DURATION, {
      description: 'Time from an MCP request of a handler to its result.',
      ...options,
    })
    this.#captureArguments = captureArguments
  }

  /** @param {TracedCall} call @returns {CallTrace} */
  begin(call) {
    const span = this.#tracer.startSpan(names.OPERATION_EXECUTE_TOOL, {
      kind: SpanKind.INTERNAL,
      attributes: {
        [names.OPERATION_NAME]: names.OPERATION_EXECUTE_TOOL,
        [names.TOOL_TYPE]: 'function',
        ...(call.sessionId !== null && { [names.CONVERSATION_ID]: call.sessionId.slice(0, MAX_ID_CHARACTERS) }),
      },
    })
    nameAfter(span, call.toolId, call.callId)
    const within = trace.setSpan(context.active(), span)
    return {
      run: work => context.with(within, work),
      started: attempt => void span.addEvent('toolgate.attempt', { 'toolgate.attempt': attempt }),
      end: (message, isJoined, source) => {
        if (source !== undefined) span.setAttribute(SOURCE, source)
        this.#end(span, call, message, isJoined)
      },
    }
  }

  /**
   * @template {{ isError?: boolean }} T
   * @param {import('../observe/call-tracing.js').McpRequest} request
   * @param {() => Promise<T>} work
   */
  serveMcp(request, work) {
    return serveMcp({ tracer: this.#tracer, durations: this.#servedDurations }, request, work)
  }

  /**
   * @template {{ isError?: boolean }} T
   * @param {string} toolId
   * @param {(meta: Record<string, string>) => Promise<T>} send
   * @param {string} [source] whose tool it is
   */
  callMcp(toolId, send, source) {
    const attributes = source === undefined ? {} : { [SOURCE]: source }
    return callMcp({ tracer: this.#tracer, durations: this.#madeDurations }, { toolId, attributes }, send)
  }

  /** @param {Span} span @param {TracedCall} call @param {CallMessage} message @param {boolean} isJoined */
  #end(span, call, message, isJoined) {
    const { outcome, errorType, attempts, mode } = message
    // Only the answer names the tool of a call that is confirmed by its token.
    if (call.toolId === null && message.toolVersion !== null) nameAfter(span, message.toolId, message.callId)
    span.setAttribute('toolgate.outcome', outcome === 'replayed' && isJoined ? 'joined' : outcome)
    span.setAttribute('toolgate.attempts', attempts)
    if (mode !== null) span.setAttribute('toolgate.mode', mode)
    if (errorType !== null) span.setAttribute(names.ERROR_TYPE, errorType)
    // A question to the user is no failure.
    if (errorType !== null && outcome !== 'asked') span.setStatus({ code: SpanStatusCode.ERROR })
    if (this.#captureArguments && span.isRecording()) addArguments(span, message)
    span.end()
    this.#record(message, call.toolId ?? message.toolId)
  }

  /** @param {CallMessage} message @param {string | null} tool */
  #record({ durationMs, errorType }, tool) {
    if (durationMs === null) return
    this.#durations.record(durationMs / 1000, {
      [names.OPERATION_NAME]: names.OPERATION_EXECUTE_TOOL,
      [names.PROVIDER_NAME]: SCOPE,
      ...(tool !== null && { [names.TOOL_NAME]: tool }),
      ...(errorType !== null && { [names.ERROR_TYPE]: errorType }),
    })
  }
}

/** @param {Span} span @param {string | null} toolId @param {string | null} callId */
function nameAfter(span, toolId, callId) {
  if (toolId === null) return
  span.updateName(`${names.OPERATION_EXECUTE_TOOL} ${toolId}`)
  span.setAttribute(names.TOOL_NAME, toolId)
  if (callId !== null) span.setAttribute(names.TOOL_CALL_ID, callId.slice(0, MAX_ID_CHARACTERS))
}

/** Adds the masked arguments, unless they are too long. @param {Span} span @param {CallMessage} message */
function addArguments(span, { args }) {
  const text = args === null ? null : JSON.stringify(args)
  if (text !== null && text.length <= MAX_ARGUMENTS_CHARACTERS) span.setAttribute(names.TOOL_CALL_ARGUMENTS, text)
}

/**
 * Traces the calls of all registries of the process, from now on.
 * @param {import('./index.js').TraceOptions} [options]
 * @returns {() => void} stops tracing; calls that are open end their spans
 * @throws an Error if calls are traced already
 */
function traceCalls(options = {}) {
  if (callTracing.tracer !== null)
    throw new Error('calls are traced already; stop the first `traceCalls` before a second')
  const tracer = new Tracer(options)
  callTracing.tracer = tracer
  return () => {
    if (callTracing.tracer === tracer) callTracing.tracer = null
  }
}

/** @type {typeof import('./index.js').traceMcpCall} */
function traceMcpCall(toolId, send) {
  const { tracer } = callTracing
  return tracer === null ? send(activeMeta()) : tracer.callMcp(toolId, send)
}

/** @param {import('./index.js').ExportOptions} options */
const exportTraces = options => exportTracesOf(traceCalls, options)

// Plain names: Node finds the named exports of a CommonJS module by reading its text.
module.exports = { auditLogs, exportTraces, traceCalls, traceMcpCall }
