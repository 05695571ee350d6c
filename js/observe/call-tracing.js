'use strict'

// The traces of one attachment's calls, for the tracer that `toolgate/otel` installs. Without a tracer, a call costs one
// comparison. A handler may start long after its call, in another asynchronous context, and each attempt is a further
// start: this file finds the trace of the call that a handler runs for.

/**
 * @typedef {import('../../index.js').CallMessage} CallMessage
 * @typedef {{ toolId: string | null, callId: string | null, sessionId: string | null }} TracedCall without a tool if the call
 *   is confirmed by its token, until it is answered
 * @typedef {{ toolId: string, requestId: string | number, meta?: Record<string, unknown> }} McpRequest `tools/call`
 * @typedef {{ begin(call: TracedCall): CallTrace,
 *   serveMcp<T extends { isError?: boolean }>(request: McpRequest, work: () => Promise<T>): Promise<T>,
 *   callMcp<T extends { isError?: boolean }>(toolId: string, send: (meta: Record<string, string>) => Promise<T>, source?: string): Promise<T> }} CallTracer
 *
 * @typedef {object} CallTrace one call
 * @property {<T>(work: () => T) => T} run runs work in the context of the call
 * @property {(attempt: number) => void} started a handler starts
 * @property {(message: CallMessage, isJoined: boolean, source?: string) => void} end the call is answered; `source`: whose tool it is
 *
 * @typedef {{ call: TracedCall, trace: CallTrace, isJoined: boolean, idempotencyKey: string | null }} OpenCall
 * @typedef {{ callId: string | null, attempt: number, idempotencyKey: string }} AttemptMeta
 */

/** The installed tracer. @type {{ tracer: CallTracer | null }} */
const callTracing = { tracer: null }

class OpenCalls {
  /** In the order of the calls. @type {Set<OpenCall>} */
  #calls = new Set()

  /** @param {CallTracer} tracer @param {TracedCall} call @returns {OpenCall} */
  begin(tracer, call) {
    const isJoined = call.callId !== null && [...this.#calls].some(other => other.call.callId === call.callId)
    const open = { call, trace: tracer.begin(call), isJoined, idempotencyKey: null }
    this.#calls.add(open)
    return open
  }

  /** @param {OpenCall} open @param {CallMessage} message @param {string} [source] whose tool it is */
  end(open, message, source) {
    this.#calls.delete(open)
    open.trace.end(message, open.isJoined, source)
  }

  /**
   * Starts a handler in the context of its call.
   * @template T
   * @param {string} toolId
   * @param {string} meta JSON text of an AttemptMeta
   * @param {() => T} handler
   * @returns {T}
   */
  start(toolId, meta, handler) {
    if (this.#calls.size === 0) return handler()
    /** @type {AttemptMeta} */
    const attempt = JSON.parse(meta)
    const open = this.#callOf(toolId, attempt)
    if (open === undefined) return handler()
    open.idempotencyKey = attempt.idempotencyKey
    open.trace.started(attempt.attempt)
    return open.trace.run(handler)
  }

  /**
   * The call of an attempt: the one with its key if this is a further attempt; else the first one with its tool and id that
   * has no attempt yet, or that is confirmed by its token. Calls of a tool are started in their order.
   * @param {string} toolId
   * @param {AttemptMeta} attempt
   */
  #callOf(toolId, { callId, attempt, idempotencyKey }) {
    const calls = [...this.#calls]
    if (attempt > 1) return calls.find(open => open.idempotencyKey === idempotencyKey)
    const waiting = calls.filter(open => open.idempotencyKey === null)
    return (
      waiting.find(({ call }) => call.toolId === toolId && call.callId === callId) ??
      waiting.find(({ call }) => call.toolId === null)
    )
  }
}

/** The name of tools that do not exist in traces: a model can invent any number of names. */
const UNKNOWN_TOOL = '(unknown)'

module.exports = { OpenCalls, UNKNOWN_TOOL, callTracing }
