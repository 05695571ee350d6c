'use strict'
// Gemini Live: its server messages to calls, and answers to its `toolResponse`. Works on the messages of `@google/genai`
// and on the same JSON from anywhere else.
const { ToolTransport } = require('./transport.js')
const { GeminiTurnCalls } = require('./gemini-turn-calls.js')
const { geminiCapabilities } = require('./gemini-capabilities.js')
const { recordOf, listOf, textOf, argsOf } = require('./frame-reading.js')
const { toModelResponse } = require('./model-response.js')

/** A provider that cancels forever must not make us remember forever. */
const CANCELLED_KEPT = 1000

class GeminiLiveTransport extends ToolTransport {
  #session
  #capabilities
  #turn = new GeminiTurnCalls()
  /** Made-up call id → the provider's id, undefined while there is none. Gone once answered. */
  #unanswered = new Map()
  #cancelled = new Set()

  /**
   * @param {{ sendToolResponse(message: { functionResponses: object[] }): unknown }} geminiSession a Live session
   * @param {{ surface?: 'developer' | 'vertex', model?: string }} [options] decides what an answer may carry
   */
  constructor(geminiSession, options) {
    super()
    this.#session = geminiSession
    this.#capabilities = geminiCapabilities(options)
  }

  /** What this surface and model support. */
  get capabilities() {
    return this.#capabilities
  }

  /**
   * Calls in `toolCall` run at once. The same call may also stand in the model's content: with an id it runs at once
   * and its repetition is dropped; without one it waits for a `toolCall` or the end of generation. Calls without an id
   * get one that the gate does not trust as a key; the provider never sees it.
   */
  receiveToolCalls(event) {
    const { toolCall, serverContent } = recordOf(event)
    const content = recordOf(serverContent)
    const calls = this.#fromContent(content)
    if (typeof toolCall === 'object' && toolCall !== null) calls.push(...this.#fromToolCall(toolCall))
    if (content.interrupted === true) this.#turn.clear()
    if (content.generationComplete === true || content.turnComplete === true) calls.push(...this.#release())
    if (content.turnComplete === true) this.#turn.clear()
    calls.forEach(({ id }) => this.#cancelled.delete(id))
    return calls
  }

  /** Whether a call without an id waits for its `toolCall`. A model that announces it nowhere else is waiting too. */
  get holdsCalls() {
    return this.#turn.holds
  }

  /** The waiting calls, for a host that has waited long enough. A later `toolCall` of theirs runs nothing again. */
  releaseHeldCalls() {
    return this.#release()
  }

  /** The ids that the gate knows; their answers are never sent, however late they come. */
  receiveCancellations(event) {
    const ids = listOf(recordOf(recordOf(event).toolCallCancellation).ids).filter((id) => textOf(id) !== null)
    const callIds = ids.map((id) => this.#callIdOf(id))
    for (const id of callIds) this.#cancel(id)
    return callIds
  }

  /**
   * @param {import('./transport.js').Answer & { scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT' }} answer
   * @returns {object[]} see `sendToolResults`
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])
  }

  /**
   * @param {(import('./transport.js').Answer & { scheduling?: 'SILENT' | 'WHEN_IDLE' | 'INTERRUPT' })[]} answers
   * @returns {object[]} the `functionResponses` that were sent: none where all were cancelled
   */
  sendToolResults(answers) {
    const functionResponses = answers
      .filter(({ id }) => !this.#cancelled.delete(id))
      .map((answer) => this.#toFunctionResponse(answer))
    if (functionResponses.length > 0) this.#session.sendToolResponse({ functionResponses })
    return functionResponses
  }

  #fromContent(content) {
    const calls = []
    for (const part of listOf(recordOf(content.modelTurn).parts)) {
      const call = readCall(recordOf(part).functionCall)
      const ready = call && this.#turn.fromContent(call)
      if (ready) calls.push(ready)
    }
    return calls
  }

  #fromToolCall(toolCall) {
    const calls = []
    for (const item of listOf(toolCall.functionCalls)) {
      const call = readCall(item)
      const seen = call && this.#turn.fromToolCall(call)
      if (seen) calls.push(...this.#ready(seen, call))
    }
    return calls.concat(this.#release())
  }

  /** A twin of a call that waits for its answer needs no second run: the answer just gets the id. */
  #ready({ call, twinOf }, { id }) {
    if (id === null) this.#unanswered.set(call.id, undefined)
    if (twinOf === null) return [call]
    const waiting = this.#unanswered.has(twinOf)
    this.#unanswered.set(twinOf, id)
    return waiting ? [] : [{ ...call, id: twinOf }]
  }

  #release() {
    const calls = this.#turn.release()
    for (const { id } of calls) this.#unanswered.set(id, undefined)
    return calls
  }

  #callIdOf(providerId) {
    for (const [callId, id] of this.#unanswered) if (id === providerId) return callId
    return providerId
  }

  #cancel(id) {
    this.#cancelled.add(id)
    if (this.#cancelled.size > CANCELLED_KEPT) this.#cancelled.delete(this.#cancelled.values().next().value)
  }

  #toFunctionResponse({ id, name, result, scheduling }) {
    const providerId = this.#takeProviderId(id)
    const response = toModelResponse(result)
    const when = scheduling !== undefined && this.#capabilities.scheduling ? { scheduling } : {}
    // `@google/genai` refuses an answer of the Developer API without the member; its JSON leaves `undefined` out.
    if (providerId === undefined && this.#capabilities.id === 'optional') return { name, response, ...when }
    return { id: providerId, name, response, ...when }
  }

  #takeProviderId(id) {
    if (!this.#unanswered.has(id)) return id ?? undefined
    const providerId = this.#unanswered.get(id)
    this.#unanswered.delete(id)
    return providerId
  }
}

function readCall(value) {
  const { id, name, args } = recordOf(value)
  if (textOf(name) === null) return null
  return { id: textOf(id), name, args: argsOf(args) }
}

module.exports = { GeminiLiveTransport }
