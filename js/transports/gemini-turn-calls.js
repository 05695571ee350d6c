'use strict'
// Which of the function calls of one model turn are the same call. Gemini Live announces a call in `toolCall`, in the
// model's content, or in both, with or without an id. Nothing here reads frames or sends answers.
const { randomUUID } = require('node:crypto')
const { signatureOf } = require('./frame-reading.js')

/**
 * @typedef {{ id: string | null, name: string, args: string | object }} SeenCall
 */

class GeminiTurnCalls {
  /** Calls from content without an id, until `toolCall` or the turn's end says that they stand alone. */
  #held = new Map()
  /** Ids that came in content first; `toolCall` repeats them. */
  #contentIds = new Set()
  /** Ids that came in `toolCall`; content repeats them. A second `toolCall` is no repetition: it wants an answer again. */
  #toolCallIds = new Set()
  /** Signatures of calls that were passed on under the provider's id. */
  #numbered = new Set()
  /** Signature → made-up id of calls that were passed on without the provider's. */
  #unnumbered = new Map()

  /**
   * A call in the model's content.
   *
   * @param {SeenCall} call
   * @returns {SeenCall | null} the call where it can be passed on at once
   */
  fromContent(call) {
    const signature = signatureOf(call)
    if (call.id !== null) {
      if (this.#contentIds.has(call.id) || this.#toolCallIds.has(call.id)) return null
      this.#contentIds.add(call.id)
      this.#pass(call, signature)
      return call
    }
    const known = signature !== null && (this.#numbered.has(signature) || this.#unnumbered.has(signature))
    if (!known) this.#held.set(signature ?? Symbol(call.name), call)
    return null
  }

  /**
   * A call in a `toolCall` message.
   *
   * @param {SeenCall} call
   * @returns {{ call: SeenCall, twinOf: string | null } | null} `twinOf`: the made-up id under which the same call was
   *   passed on before; null where the call was passed on under its own id
   */
  fromToolCall(call) {
    const signature = signatureOf(call)
    if (call.id === null) return this.#withoutId(call, signature)
    this.#toolCallIds.add(call.id)
    if (this.#contentIds.delete(call.id)) return null
    const twinOf = this.#unnumbered.get(signature) ?? null
    this.#unnumbered.delete(signature)
    this.#pass(call, signature)
    return { call, twinOf }
  }

  get holds() {
    return this.#held.size > 0
  }

  /** The held calls that no `toolCall` repeated, in their order, each with a made-up id. */
  release() {
    const calls = [...this.#held.values()].map((call) => this.#number(call, signatureOf(call)))
    this.#held.clear()
    return calls
  }

  /** Forgets the turn. Held calls are dropped: after a barge-in nobody waits for them. */
  clear() {
    for (const seen of [this.#held, this.#contentIds, this.#toolCallIds, this.#numbered, this.#unnumbered]) seen.clear()
  }

  #withoutId(call, signature) {
    this.#held.delete(signature)
    if (signature !== null && this.#numbered.has(signature)) return null
    return { call: this.#number(call, signature), twinOf: null }
  }

  #pass(call, signature) {
    this.#held.delete(signature)
    if (signature !== null) this.#numbered.add(signature)
  }

  /** Ids that hold `temp` are no idempotency keys: the gate then knows equal calls of a turn by their content. */
  #number(call, signature) {
    const id = `temp-${randomUUID()}`
    if (signature !== null) this.#unnumbered.set(signature, id)
    return { ...call, id }
  }
}

module.exports = { GeminiTurnCalls }
