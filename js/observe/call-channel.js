'use strict'

// The diagnostics channel `toolgate:call` of node:diagnostics_channel: one message for each answered call. Without a
// subscriber, a call costs one comparison.

const { channel } = require('node:diagnostics_channel')

const { shownAnswer } = require('./shown-answer.js')

const callChannel = channel('toolgate:call')

/**
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').CallMessage} Message
 * @typedef {object} HeardCall
 * @property {string | null} sessionId
 * @property {string | null} principal
 * @property {string | null} args as they were sent, as JSON text; null if they are not known, or not JSON
 * @property {(toolId: string) => string | null} shownArgs the masked arguments, as JSON text; null if they cannot be shown
 * @property {(toolId: string) => unknown} schemaOf the schema of a tool's arguments
 */

/** @implements {Message} */
class CallMessage {
  #response
  #call
  /** The masked arguments, as JSON text; undefined until they are first read. @type {string | null | undefined} */
  #shown
  /** @type {Message['args'] | undefined} undefined until they are first read */
  #args
  /** @type {Message['answer'] | undefined} undefined until it is first read */
  #answer

  /** @param {ToolResponse} answer @param {HeardCall} call */
  constructor(answer, call) {
    const { meta } = answer
    this.#response = answer
    this.#call = call
    this.sessionId = call.sessionId
    this.principal = call.principal
    this.toolId = meta.toolId ?? null
    this.toolVersion = meta.toolVersion ?? null
    this.callId = meta.callId ?? null
    this.parentCallId = meta.parentCallId ?? null
    this.mode = meta.mode ?? null
    this.turn = meta.turn ?? null
    this.outcome = outcomeOf(answer)
    this.errorType = answer.ok ? null : answer.error.type
    this.attempts = meta.attempts ?? 0
    this.durationMs = meta.duration ?? null
  }

  get ok() {
    return this.errorType === null
  }

  get args() {
    if (this.#args === undefined) {
      const text = this.#shownText()
      this.#args = text === null ? null : JSON.parse(text)
    }
    return /** @type {Message['args']} */ (this.#args)
  }

  get answer() {
    if (this.#answer === undefined) {
      const schema = this.toolId === null ? null : this.#call.schemaOf(this.toolId)
      this.#answer = shownAnswer(this.#response, { schema, args: this.#call.args, shown: this.#shownText() })
    }
    return /** @type {Message['answer']} */ (this.#answer)
  }

  #shownText() {
    if (this.#shown === undefined) this.#shown = this.toolId === null ? null : this.#call.shownArgs(this.toolId)
    return this.#shown
  }
}

/** @param {ToolResponse} answer @returns {Message['outcome']} */
function outcomeOf(answer) {
  if (answer.meta._idempotent_cache_hit === true) return 'replayed'
  if (answer.meta.cached === true) return 'cached'
  if (!answer.ok && answer.error.type === 'CONFIRMATION_REQUIRED') return 'asked'
  return (answer.meta.attempts ?? 0) > 0 ? 'ran' : 'refused'
}

module.exports = { CallMessage, callChannel }
