'use strict'
// Gemini Live: converts server messages to calls, and answers to `toolResponse`. Reads messages of `@google/genai`, the
// same JSON from another source, and raw frames.
const { randomUUID } = require('node:crypto')
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { ArgumentTexts } = require('./argument-texts.js')
const { geminiCapabilities } = require('./gemini-capabilities.js')
const { modelMeta, toModelResponse } = require('./model-response.js')

/** Answers that wait for the session: more calls than a model makes before it is there. */
const MAX_WAITING = 1000

/**
 * @typedef {import('./gemini-live-transport.js').GeminiAnswer} GeminiAnswer
 * @typedef {{ sendToolResponse(message: { functionResponses: object[] }): unknown }} LiveSession
 * @typedef {{ answer: GeminiAnswer, response: import('../../index.js').ToolResponse | import('../../index.js').LeanResponse }} WaitingAnswer
 */
class GeminiLiveTransport extends WireTransport {
  #core
  /** @type {LiveSession | null} */
  #session = null
  /** Answers of the time before the session: a call that is cancelled until then is not answered. @type {WaitingAnswer[]} */
  #waiting = []
  #capabilities
  #meta
  #args = new ArgumentTexts()

  /**
   * @param {LiveSession | null} [geminiSession] without it, answers wait for `attach`
   * @param {{ surface?: 'developer' | 'vertex', model?: string, meta?: import('../../index.js').ModelMeta }} [options]
   *   `surface` and `model` decide which members an answer may have; `meta`: whether answers are sent `full` (default) or
   *   `lean`
   */
  constructor(geminiSession, options) {
    const core = new native.NativeGeminiLive(randomUUID())
    super(core)
    this.#core = core
    if (geminiSession !== null && geminiSession !== undefined) this.#session = geminiSession
    this.#capabilities = geminiCapabilities(options)
    this.#meta = modelMeta(options)
  }

  /**
   * Gives the transport its session, and sends the answers that waited for it.
   * @param {LiveSession} geminiSession
   */
  attach(geminiSession) {
    if (typeof geminiSession?.sendToolResponse !== 'function')
      throw new TypeError('`attach` needs a Live session, with the function `sendToolResponse`')
    if (this.#session !== null) throw new Error('the transport has its session; make a transport for each session')
    this.#session = geminiSession
    this.#send(geminiSession, this.#waiting.splice(0))
  }

  /** @param {LiveSession} session @param {WaitingAnswer[]} answers */
  #send(session, answers) {
    const functionResponses = answers.flatMap(({ answer, response }) => this.#toFunctionResponse(answer, response))
    if (functionResponses.length > 0) session.sendToolResponse({ functionResponses })
    return functionResponses
  }

  /** The capabilities of this surface and model. */
  get capabilities() {
    return this.#capabilities
  }

  /** Whether a call without an id waits for its `toolCall`. If the model sends none, the call waits until `release`. */
  get holdsCalls() {
    return this.#core.holds
  }

  /** Releases the waiting calls, for a host whose wait timed out. Their later `toolCall` is ignored. */
  releaseHeldCalls() {
    /** @type {import('./wire-transport.js').WireCall[]} */
    const calls = JSON.parse(this.#core.release())
    return calls.map(call => this.#args.restore(call))
  }

  /**
   * Removes audio, which the core does not need and most messages consist of. Serializes arguments once.
   * @param {object} event
   */
  toText(event) {
    if (isContentOnly(event)) return null
    this.#args.textOf({}) // missing arguments mean none
    return JSON.stringify(event, (key, value) => {
      if (key === 'inlineData') return undefined
      return key === 'args' ? this.#args.textOf(value) : value
    })
  }

  /** @param {import('./wire-transport.js').FrameResult} result */
  onFrameRead(result) {
    result.calls = result.calls.map(call => this.#args.restore(call))
  }

  /**
   * @param {GeminiAnswer} answer
   * @returns {object[]} see `sendToolResults`
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])
  }

  /**
   * @param {GeminiAnswer[]} answers
   * @returns {object[]} the `functionResponses` that were sent: none if all were cancelled, or wait for `attach`
   */
  sendToolResults(answers) {
    const made = answers.map(answer => ({ answer, response: toModelResponse(answer.result, this.#meta) }))
    if (this.#session !== null) return this.#send(this.#session, made)
    if (this.#waiting.length + made.length > MAX_WAITING)
      throw new Error(`${MAX_WAITING} answers wait for the session: call \`attach\` with it`)
    this.#waiting.push(...made)
    return []
  }

  /**
   * None if the call was cancelled.
   * @param {GeminiAnswer} answer
   * @param {import('../../index.js').ToolResponse | import('../../index.js').LeanResponse} response
   * @returns {object[]}
   */
  #toFunctionResponse({ id, name, scheduling }, response) {
    const providerId = id === null || id === undefined ? '' : this.#core.answer(id)
    if (providerId === null) return []
    const when = scheduling !== undefined && this.#capabilities.scheduling ? { scheduling } : {}
    if (providerId !== '') return [{ id: providerId, name, response, ...when }]
    // `@google/genai` refuses an answer of the Developer API without the member; its JSON leaves `undefined` out.
    return [
      this.#capabilities.id === 'optional' ? { name, response, ...when } : { id: undefined, name, response, ...when },
    ]
  }
}

/**
 * Whether a message has only content of a turn that goes on, such as audio or a transcript: nothing that the core reads.
 * @param {Record<string, any>} event of an SDK; `any`: it is not checked yet
 */
function isContentOnly(event) {
  const { toolCall, toolCallCancellation, serverContent, toJSON } = event
  if (toolCall !== undefined || toolCallCancellation !== undefined || toJSON !== undefined) return false
  if (typeof serverContent !== 'object' || serverContent === null) return false
  const { modelTurn, interrupted, generationComplete, turnComplete } = serverContent
  if (interrupted || generationComplete || turnComplete || serverContent.toJSON !== undefined) return false
  return modelTurn === undefined || hasNoCalls(modelTurn)
}

/** @param {any} modelTurn */
function hasNoCalls(modelTurn) {
  if (!Array.isArray(modelTurn?.parts) || modelTurn.toJSON !== undefined) return false
  return modelTurn.parts.every(
    (/** @type {any} */ part) => part?.functionCall === undefined && part?.toJSON === undefined,
  )
}

module.exports = { GeminiLiveTransport }
