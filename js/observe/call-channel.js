'use strict'

// The diagnostics channel `toolgate:call` of node:diagnostics_channel: one message for each answered call. Without a
// subscriber, a call costs one comparison.

const { channel } = require('node:diagnostics_channel')

const callChannel = channel('toolgate:call')

/**
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').CallMessage} Message
 * @typedef {(toolId: string) => string | null} ArgsText the masked arguments, as JSON text; null if they cannot be shown
 */

/** @implements {Message} */
class CallMessage {
  #shownArgs
  /** @type {Message['args'] | undefined} undefined until they are first read */
  #args

  /** @param {ToolResponse} answer @param {string | null} sessionId @param {ArgsText} shownArgs */
  constructor(answer, sessionId, shownArgs) {
    const { meta } = answer
    this.#shownArgs = shownArgs
    this.sessionId = sessionId
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
      const text = this.toolId === null ? null : this.#shownArgs(this.toolId)
      this.#args = text === null ? null : JSON.parse(text)
    }
    return /** @type {Message['args']} */ (this.#args)
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
