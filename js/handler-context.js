'use strict'

// The one object that a handler gets. What few handlers use is made when it is first read: an AbortController, the parsed
// meta, a snapshot of the state.

const { ToolError } = require('./errors.js')
const { wholeJsonText } = require('./json-text.js')

class HandlerContext {
  #owner
  #tool
  #metaText
  #meta
  #run

  constructor({ owner, tool, args, meta, run }) {
    this.#owner = owner
    this.#tool = tool
    this.#metaText = meta
    this.#run = run
    this.args = args
    for (const [name, service] of Object.entries(owner.services)) {
      // A service never hides what a handler always has.
      if (!(name in this)) Object.defineProperty(this, name, { value: service, enumerable: true })
    }
  }

  /** The context itself, for handlers written as `execute({ args, context })`. */
  get context() {
    return this
  }
  get clientId() {
    return this.#owner.clientId
  }
  get ws() {
    return this.#owner.ws
  }
  get geminiSession() {
    return this.#owner.geminiSession
  }
  get services() {
    return this.#owner.services
  }
  get mode() {
    return this.#said.mode
  }

  get session() {
    const state = this.#owner.snapshot()
    return Object.freeze({
      sessionId: this.#owner.sessionId,
      isActive: state.isActive,
      toolsVersion: this.#owner.toolsVersion,
      mode: this.mode,
      state,
    })
  }

  get capabilities() {
    return Object.freeze({ messaging: this.#owner.send !== null, voice: this.voice.isActive(), audit: true })
  }

  get voice() {
    return { isActive: () => this.mode === 'voice' && this.#owner.snapshot().isActive === true }
  }

  get messaging() {
    const { send } = this.#owner
    return { send: message => deliver(send, message) }
  }

  get audit() {
    return {
      log: (event, data) => {
        const { text } = wholeJsonText(data ?? null)
        this.#owner.log(String(event), this.#tool.toolId, this.#said.callId, text ?? 'null')
      },
    }
  }

  get meta() {
    this.#meta ??= Object.freeze({
      toolId: this.#tool.toolId,
      version: this.#tool.version,
      category: this.#tool.category,
      callId: this.#said.callId,
      attempt: this.#said.attempt,
      idempotencyKey: this.#said.idempotencyKey,
      deadline: this.#said.deadline ?? null,
      clamped: this.#said.clamped ?? [],
    })
    return this.#meta
  }

  /** Aborts on timeout, cancellation and shutdown. */
  get signal() {
    return this.#run.signal
  }

  /** News of a long call for the session's listener: plain JSON. False where it is not told: too much, or too late. */
  get progress() {
    return update => {
      const news = this.#run.news(update)
      if (news === undefined) return false
      this.#owner.progress({ toolId: this.#tool.toolId, callId: this.#said.callId, update: news })
      return true
    }
  }

  /** Another tool, through the same gate: in this call's turn, budgets, slot and time. Resolves with its ToolResponse. */
  get callTool() {
    return (toolId, args) => this.#owner.callTool(this.#run.id, toolId, args)
  }

  get #said() {
    if (typeof this.#metaText === 'string') this.#metaText = JSON.parse(this.#metaText)
    return this.#metaText
  }
}

/** Sends through the host; a client that is gone is a TRANSIENT error, whatever the host's own error is. */
function deliver(send, message) {
  if (send === null) throw closed()
  let sent
  try {
    sent = send(message)
  } catch (error) {
    throw closed(error)
  }
  return typeof sent?.then === 'function'
    ? sent.then(
        value => value,
        error => {
          throw closed(error)
        },
      )
    : sent
}

function closed(cause) {
  if (cause?.name === 'ToolError') return cause
  return new ToolError('TRANSIENT', 'the client is not connected; the message was not delivered', { cause })
}

module.exports = { HandlerContext }
