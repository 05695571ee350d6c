'use strict'

// Runs handlers. The core starts a handler by a message; its end is reported by a native call. A handler's failure
// affects only its own call.

const { HandlerContext } = require('./handler-context.js')
const { HandlerRun } = require('./handler-run.js')
const { boundedJsonText } = require('./json-text.js')
const { describeHandlerError } = require('./handler-error.js')
const { SchemaCodeFailure, startWithOutput } = require('./schema-code.js')

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
const isThenable = value => typeof (/** @type {Partial<PromiseLike<unknown>> | null} */ (value)?.then) === 'function'

/** How a handler ended. The numbers are those of the native `settle` function. */
const Ended = Object.freeze({ RETURNED: 0, NOTHING: 1, NOT_JSON: 2, THREW: 3, TOO_LARGE: 4 })

/** @typedef {import('./attachment-context.js').AttachmentContext} AttachmentContext */

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
  /** The largest result that is read, in bytes of JSON. The registry sets it to the core's limit. */
  maxResultBytes = Infinity
  #settle
  #onError
  #strayErrorScope

  /**
   * @param {(id: number, ended: number, text: string) => void} settle reports a handler's end to the core
   * @param {(error: unknown, call: { toolId: string, sessionId: string | null }) => void} onError receives untyped
   *   errors
   * @param {() => import('./stray-errors.js').StrayErrorScope | null} [strayErrorScope] null unless the host collects
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

  /** Starts a handler. Never throws. @param {import('./native-messages.js').Start} start */
  start({ id, attachment, toolId, args, meta }) {
    this.#lastStarted = id
    if (this.#stoppedBefore.delete(id)) {
      this.#end(id, Ended.NOTHING, '')
      return
    }
    const attachmentContext = this.attachmentContext(attachment)
    const handler = attachmentContext?.handlers.get(toolId)
    if (attachmentContext === undefined || handler === undefined) {
      this.#end(id, Ended.NOT_JSON, 'its handler is not loaded')
      return
    }
    const handlerRun = new HandlerRun(id)
    this.#runs.set(id, handlerRun)
    try {
      const tool = /** @type {import('../index.js').ToolMetadata} */ (attachmentContext.tool(toolId))
      const context = new HandlerContext({ attachmentContext, tool, args, meta, run: handlerRun })
      const scope = this.#strayErrorScope()
      const started = () => startHandler(handler, context, { attachmentContext, tool, args })
      const run = () =>
        scope === null ? started() : scope.run(started, { toolId, sessionId: attachmentContext.sessionId })
      const result = attachmentContext.startHandler(toolId, meta, run)
      if (isThenable(result)) {
        // `Promise.resolve` adopts a foreign thenable once, however often it settles.
        Promise.resolve(result).then(
          value => this.#returned(id, value),
          error => this.#threw(handlerRun, error, attachmentContext, toolId),
        )
      } else {
        this.#returned(id, result)
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

  /** @param {number} id @param {unknown} value */
  #returned(id, value) {
    const { text, problem, tooLarge } = boundedJsonText(value, this.maxResultBytes)
    if (tooLarge) this.#end(id, Ended.TOO_LARGE, '')
    else if (problem !== null) this.#end(id, Ended.NOT_JSON, problem)
    else if (text === undefined || value === null) this.#end(id, Ended.NOTHING, '')
    else this.#end(id, Ended.RETURNED, text)
  }

  /** @param {HandlerRun} run @param {unknown} error @param {AttachmentContext} attachmentContext @param {string} toolId */
  #threw(run, error, attachmentContext, toolId) {
    const { text, typed } = describeHandlerError(error, this.maxResultBytes)
    const call = { toolId, sessionId: attachmentContext.sessionId }
    if (error instanceof SchemaCodeFailure) this.#onError(error.cause, call)
    else if (!typed && !run.isEndedBy(error)) this.#onError(error, call)
    this.#end(run.id, Ended.THREW, text)
  }

  /** @param {number} id @param {number} ended one of `Ended` @param {string} text */
  #end(id, ended, text) {
    this.#runs.get(id)?.settle()
    this.#runs.delete(id)
    this.#settle(id, ended, text)
  }
}

/**
 * Calls a handler, with what its schema makes of the arguments.
 * @param {import('./artifact.js').LoadedHandler} handler
 * @param {HandlerContext} context
 * @param {{ attachmentContext: AttachmentContext, tool: import('../index.js').ToolMetadata,
 *   args: import('./native-messages.js').Start['args'] }} call
 */
function startHandler({ execute, schema }, context, { attachmentContext, tool, args }) {
  if (schema === undefined) return execute(context)
  const { toolId, jsonSchema } = tool
  const argsText = typeof args === 'string' ? args : args.text
  const call = {
    toolId,
    argsText,
    shownArgs: () => attachmentContext.shownArgs(toolId, argsText),
    hasSensitive: () => JSON.stringify(jsonSchema).includes('"x-sensitive"'),
  }
  return startWithOutput(schema, context, call, () => execute(context))
}

module.exports = { HandlerHost }
