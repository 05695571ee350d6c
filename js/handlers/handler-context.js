'use strict'

// The argument of a handler. Members that few handlers use are created on first access: the AbortController, the parsed
// meta, a snapshot of the state.

const { ToolError } = require('../answers/errors.js')
const { memberOf } = require('../values/foreign.js')
const { wellFormedJsonText } = require('../values/json-text.js')

/**
 * @typedef {import('../gate/attachment-context.js').AttachmentContext} AttachmentContext
 * @typedef {import('./handler-run.js').HandlerRun} HandlerRun
 * @typedef {import('../../index.js').JsonValue} JsonValue
 * @typedef {import('../../index.js').HandlerContext} PublicContext
 * @typedef {Pick<PublicContext['meta'], 'callId' | 'attempt' | 'idempotencyKey'>
 *   & Partial<Pick<PublicContext['meta'], 'deadline' | 'clamped'>> & { mode: string }} CallMeta
 */

class HandlerContext {
  #attachmentContext
  #tool
  /** @type {string | CallMeta} JSON text until it is first read */
  #metaText
  /** @type {PublicContext['meta'] | undefined} */
  #meta
  #receivedArgs
  #run

  /**
   * @param {{ attachmentContext: AttachmentContext, tool: import('../../index.js').ToolMetadata, args: string,
   *   meta: string, run: HandlerRun }} parts `args` and `meta` are JSON text
   */
  constructor({ attachmentContext, tool, args, meta, run }) {
    this.#attachmentContext = attachmentContext
    this.#tool = tool
    this.#metaText = meta
    this.#run = run
    this.#receivedArgs = args
    this.args = JSON.parse(args)
    for (const [name, service] of Object.entries(attachmentContext.services)) {
      // A service never hides a built-in member.
      if (!(name in this)) Object.defineProperty(this, name, { value: service, enumerable: true })
    }
  }

  /** The context itself, for handlers written as `execute({ args, context })`. */
  get context() {
    return this
  }
  get clientId() {
    return this.#attachmentContext.clientId
  }
  /** Whose call it is; null if the host does not say. */
  get principal() {
    return this.#attachmentContext.principal
  }
  get ws() {
    return this.#attachmentContext.ws
  }
  get geminiSession() {
    return this.#attachmentContext.geminiSession
  }
  get services() {
    return this.#attachmentContext.services
  }
  get mode() {
    return this.#callMeta.mode
  }

  get session() {
    const state = this.#attachmentContext.snapshot()
    return Object.freeze({
      sessionId: this.#attachmentContext.sessionId,
      isActive: state.isActive,
      toolsVersion: this.#attachmentContext.toolsVersion,
      mode: this.mode,
      state,
    })
  }

  get capabilities() {
    return Object.freeze({
      messaging: this.#attachmentContext.send !== null,
      voice: this.voice.isActive(),
      audit: true,
    })
  }

  get voice() {
    const context = this.#attachmentContext
    return { isActive: () => (this.mode === 'voice' || context.hasVoice) && context.snapshot().isActive === true }
  }

  get messaging() {
    const { send } = this.#attachmentContext
    return { send: (/** @type {unknown} */ message) => this.#run.heeded(sendToClient(send, message)) }
  }

  get audit() {
    return {
      log: (/** @type {string} */ event, /** @type {JsonValue} */ data) => {
        const { text } = wellFormedJsonText(data ?? null)
        const { toolId } = this.#tool
        const entry = { name: String(event), toolId, callId: this.#callMeta.callId, args: this.#receivedArgs }
        this.#attachmentContext.log(entry, text ?? 'null')
      },
    }
  }

  /** The tool as it is defined. */
  get tool() {
    const { toolId, version, idempotent } = this.#tool
    return Object.freeze({ id: toolId, version, idempotent })
  }

  get meta() {
    this.#meta ??= Object.freeze({
      toolId: this.#tool.toolId,
      version: this.#tool.version,
      category: this.#tool.category,
      callId: this.#callMeta.callId,
      attempt: this.#callMeta.attempt,
      idempotencyKey: this.#callMeta.idempotencyKey,
      deadline: this.#callMeta.deadline ?? null,
      clamped: this.#callMeta.clamped ?? [],
    })
    return this.#meta
  }

  /** Aborts on timeout, cancellation and shutdown. */
  get signal() {
    return this.#run.signal
  }

  /** Reports progress, plain JSON, to the session's listener. False if it is not delivered, see {@link HandlerRun}. */
  get progress() {
    return (/** @type {JsonValue} */ update) => {
      const copy = this.#run.progress(update)
      if (copy === undefined) return false
      this.#attachmentContext.progress({ toolId: this.#tool.toolId, callId: this.#callMeta.callId, update: copy })
      return true
    }
  }

  /**
   * A token with which `registry.complete` ends this call from any process on the store. The handler hands it to a worker and
   * returns `pending({ token })`. Whoever has it can end the call.
   */
  get completionToken() {
    return async () => {
      const token = await this.#attachmentContext.completionToken(this.#run.id)
      this.#run.completedBy(token)
      return token
    }
  }

  /**
   * Calls another tool through the same gate, in this call's turn, budgets, slot and time. Resolves with its
   * ToolResponse.
   */
  get callTool() {
    /** @type {import('../../index.js').CallTool} */
    const callTool = (toolId, args, options) => this.#attachmentContext.callTool(this.#run.id, toolId, args, options)
    return callTool
  }

  /** @returns {CallMeta} */
  get #callMeta() {
    if (typeof this.#metaText === 'string') this.#metaText = JSON.parse(this.#metaText)
    return /** @type {CallMeta} */ (this.#metaText)
  }
}

/**
 * Sends through the host. An error of the host becomes a TRANSIENT error, unless it is a ToolError.
 * @param {import('../gate/attachment-context.js').Send | null} send
 * @param {unknown} message
 * @returns {{ result: Promise<unknown>, failed?: unknown }} `failed`: the error, if it is known at once
 */
function sendToClient(send, message) {
  if (send === null) return failed(notConnected())
  try {
    const rejected = (/** @type {unknown} */ error) => Promise.reject(notConnected(error))
    return { result: Promise.resolve(send(message)).catch(rejected) }
  } catch (error) {
    return failed(notConnected(error))
  }
}

/** @param {unknown} error */
const failed = error => ({ result: Promise.reject(error), failed: error })

/** @param {unknown} [cause] the error of the host */
function notConnected(cause) {
  if (memberOf(cause, 'name') === 'ToolError') return cause
  return new ToolError('TRANSIENT', 'the client is not connected; the message was not delivered', { cause })
}

module.exports = { HandlerContext }
