'use strict'

// The diagnostics channel `toolgate:call` of node:diagnostics_channel: one message for each answered call. Without a
// subscriber, a call costs one comparison.

const { channel } = require('node:diagnostics_channel')

const callChannel = channel('toolgate:call')

/**
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').CallMessage} Message
 * @typedef {object} HeardCall
 * @property {string | null} sessionId
 * @property {string | null} principal
 * @property {(toolId: string) => string | null} shownArgs the masked arguments, as JSON text; null if they cannot be shown
 * @property {(answer: string) => string | null} shownAnswer the masked answer, likewise
 */

/** @implements {Message} */
class CallMessage {
  #response
  #call
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
    if (this.#args === undefined) this.#args = read(this.toolId === null ? null : this.#call.shownArgs(this.toolId))
    return /** @type {Message['args']} */ (this.#args)
  }

  get answer() {
    if (this.#answer === undefined) this.#answer = read(this.#call.shownAnswer(JSON.stringify(this.#response)))
    return /** @type {Message['answer']} */ (this.#answer)
  }
}

/** @param {string | null} text JSON text */
const read = text => (text === null ? null : JSON.parse(text))

/** @param {ToolResponse} answer @returns {Message['outcome']} */
function outcomeOf(answer) {
  if (answer.meta._idempotent_cache_hit === true) return 'replayed'
  if (answer.meta.cached === true) return 'cached'
  if (!answer.ok && answer.error.type === 'CONFIRMATION_REQUIRED') return 'asked'
  return (answer.meta.attempts ?? 0) > 0 ? 'ran' : 'refused'
}

module.exports = { CallMessage, callChannel }
