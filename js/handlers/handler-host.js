'use strict'

// Runs handlers. The core starts a handler by a message; its end is reported by a native call. A handler's failure
// affects only its own call.

const { HandlerContext } = require('./handler-context.js')
const { HandlerRun } = require('./handler-run.js')
const { Ended, encodeReturned } = require('./handler-end.js')
const { pendingToken } = require('./pending.js')
const { describeHandlerError } = require('./handler-error.js')
const { schemaAdditions } = require('./schema-additions.js')
const { SchemaCodeFailure, startWithOutput } = require('./schema-code.js')
const { isInstance, isThenable } = require('../values/foreign.js')

/**
 * @typedef {import('../gate/attachment-context.js').AttachmentContext} AttachmentContext
 * @typedef {[id: number, ended: number, text: string, note?: string]} HandlerEnd `note`: a warning about what was returned, or
 *   the path of the value that is not JSON
 */

class HandlerHost {
  /**
   * Run id → a run that can still be stopped. Id 0 is reserved: V8 rebuilds a map that becomes empty.
   * @type {Map<number, HandlerRun | null>}
   */
  #runs = new Map([[0, null]])
  /** Ids increase, and starts arrive in order; a stop is handled at once and can precede its start. */
  #lastStarted = 0
  /** @type {Set<number>} */
  #stoppedBefore = new Set()
  /**
   * Attachment → WeakRef of its context; a pending call holds the context itself.
   * @type {Map<number, WeakRef<AttachmentContext>>}
   */
  #contexts = new Map()
  #dropped = new FinalizationRegistry((/** @type {number} */ attachment) => this.#contexts.delete(attachment))
  /**
   * What is taken as a result; the registry sets it. `maxBytes`: of JSON, the core's limit; `refusesLoss`: a success that JSON
   * writes with a loss is INTERNAL (in development), not a success with a warning.
   */
  results = { maxBytes: Infinity, refusesLoss: false }
  #settle
  #onError
  #strayErrorScope

  /**
   * @param {(...end: HandlerEnd) => void} settle reports a handler's end to the core
   * @param {(error: unknown, call: { toolId: string, sessionId: string | null }) => void} onError receives untyped
   *   errors
   * @param {() => import('../gate/stray-errors.js').StrayErrorScope | null} [strayErrorScope] null unless the host collects
   *   stray errors
   */
  constructor(settle, onError, strayErrorScope = () => null) {
    this.#settle = settle
    this.#onError = onError
    this.#strayErrorScope = strayErrorScope
  }

  /** The context of an attachment; undefined if it was collected. @param {number} attachment */
  attachmentContext(attachment) {
    return this.#contexts.get(attachment)?.deref()
  }

  /** @param {number} attachment @param {AttachmentContext} attachmentContext */
  add(attachment, attachmentContext) {
    this.#contexts.set(attachment, new WeakRef(attachmentContext))
    this.#dropped.register(attachmentContext, attachment)
  }

  /** Starts a handler. Never throws. @param {import('../gate/native-messages.js').StartMessage} start */
  start({ id, attachment, toolId, args, meta, starts }) {
    this.#lastStarted = id
    if (this.#stoppedBefore.delete(id)) {
      this.#end(id, Ended.NOTHING, '')
      return
    }
    const attachmentContext = this.attachmentContext(attachment)
    const handler = attachmentContext?.handler(toolId)
    if (attachmentContext === undefined || handler === undefined) {
      this.#end(id, Ended.NOT_JSON, 'its handler is not loaded')
      return
    }
    const handlerRun = new HandlerRun(id)
    this.#runs.set(id, handlerRun)
    try {
      const tool = /** @type {import('../../index.js').ToolMetadata} */ (attachmentContext.tool(toolId))
      const call = { attachmentContext, tool, args, meta, run: handlerRun }
      const scope = this.#strayErrorScope()
      const started = () => STARTERS[starts](handler, call)
      const run = () =>
        scope === null ? started() : scope.run(started, { toolId, sessionId: attachmentContext.sessionId })
      // What is no call has no span of its own.
      const result = starts === 'handler' ? attachmentContext.startHandler(toolId, meta, run) : run()
      if (isThenable(result)) {
        // `Promise.resolve` adopts a foreign thenable once, however often it settles.
        Promise.resolve(result).then(
          value => this.#returned(handlerRun, value, attachmentContext, toolId),
          error => this.#threw(handlerRun, error, attachmentContext, toolId),
        )
      } else {
        this.#returned(handlerRun, result, attachmentContext, toolId)
      }
    } catch (error) {
      this.#threw(handlerRun, error, attachmentContext, toolId)
    }
  }

  /** @param {number} id @param {string} reason */
  abort(id, reason) {
    if (id > this.#lastStarted) this.#stoppedBefore.add(id)
    else this.#runs.get(id)?.abort(reason)
    // A run is stopped only once. It is released now, because its handler may never end.
    this.#runs.delete(id)
  }

  /** @param {HandlerRun} run @param {unknown} value @param {AttachmentContext} attachmentContext @param {string} toolId */
  #returned(run, value, attachmentContext, toolId) {
    if (run.unheeded !== null) return this.#threw(run, run.unheeded.error, attachmentContext, toolId)
    const token = pendingToken(value)
    if (token === undefined) this.#end(run.id, ...encodeReturned(value, this.results))
    else if (run.isCompletedBy(token)) this.#end(run.id, Ended.LEFT, '')
    else this.#end(run.id, Ended.NOT_JSON, 'it is `pending` with a token that is not of this call')
  }

  /** @param {HandlerRun} run @param {unknown} error @param {AttachmentContext} attachmentContext @param {string} toolId */
  #threw(run, error, attachmentContext, toolId) {
    const { text, typed } = describeHandlerError(error, this.results.maxBytes)
    const call = { toolId, sessionId: attachmentContext.sessionId }
    if (isInstance(error, SchemaCodeFailure)) this.#onError(error.cause, call)
    else if (!typed && !run.isEndedBy(error)) this.#onError(error, call)
    this.#end(run.id, Ended.THREW, text)
  }

  /** @param {number} id @param {number} ended one of `Ended` @param {string} text @param {string} [note] */
  #end(id, ended, text, note) {
    this.#runs.get(id)?.settle()
    this.#runs.delete(id)
    this.#settle(id, ended, text, note)
  }
}

/**
 * @typedef {object} StartedCall
 * @property {AttachmentContext} attachmentContext
 * @property {import('../../index.js').ToolMetadata} tool
 * @property {string} args JSON text
 * @property {string} meta JSON text
 * @property {HandlerRun} run
 */

/** @param {import('../tool-sets/artifact.js').LoadedHandler} handler @param {StartedCall} call */
function startHandler({ execute, schema }, call) {
  const context = new HandlerContext(call)
  return withSchema(schema, context, call, () => execute(context))
}

/**
 * Asks a handler what a call of uncertain outcome has done.
 * @param {import('../tool-sets/artifact.js').LoadedHandler} handler
 * @param {StartedCall} call
 */
function startReconcile({ reconcile, schema }, call) {
  if (reconcile === undefined) throw new TypeError('the handler has no function `reconcile`')
  const { idempotencyKey, startedAt } = JSON.parse(call.meta)
  const { services } = call.attachmentContext
  const { signal } = call.run
  const given = givenArgs(call)
  return withSchema(schema, given, call, () =>
    reconcile({ args: given.args, idempotencyKey, startedAt, services, signal }),
  )
}

/**
 * Runs the code of a handler's schema before a question. Returns what it adds to the arguments.
 * @param {import('../tool-sets/artifact.js').LoadedHandler} handler
 * @param {StartedCall} call
 */
function startSchemaCode({ schema }, call) {
  return schema === undefined ? undefined : schemaAdditions(schema, givenArgs(call), schemaCall(call))
}

/** What each kind of start runs. */
const STARTERS = { handler: startHandler, reconcile: startReconcile, schemaCode: startSchemaCode }

/** @param {StartedCall} call */
function givenArgs({ args, meta, run }) {
  return { args: JSON.parse(args), meta: { deadline: JSON.parse(meta).deadline }, signal: run.signal }
}

/**
 * Starts a function of a handler, with what its schema makes of the arguments.
 * @param {import('./schema-code.js').RunnableSchema | undefined} schema
 * @param {import('./schema-code.js').WithArgs} context
 * @param {StartedCall} call
 * @param {() => unknown} start
 */
function withSchema(schema, context, call, start) {
  return schema === undefined ? start() : startWithOutput(schema, context, schemaCall(call), start)
}

/** @param {StartedCall} call @returns {import('./schema-issues.js').SchemaCall} */
function schemaCall({ attachmentContext, tool, args }) {
  const { toolId, jsonSchema, sensitiveArguments } = tool
  return {
    toolId,
    argsText: args,
    shownArgs: () => attachmentContext.shownArgs(toolId, args),
    fits: argsText => attachmentContext.shownArgs(toolId, argsText) !== null,
    jsonSchema,
    isSensitive: sensitiveArguments !== undefined,
  }
}

module.exports = { HandlerHost }
