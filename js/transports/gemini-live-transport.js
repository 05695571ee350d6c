'use strict'
// Gemini Live: its server messages to calls, and answers to its `toolResponse`. Works on the messages of `@google/genai`, on the
// same JSON from anywhere else, and on what came from the socket.
const { randomUUID } = require('node:crypto')
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { ArgumentTexts } = require('./argument-texts.js')
const { geminiCapabilities } = require('./gemini-capabilities.js')
const { toModelResponse } = require('./model-response.js')

class GeminiLiveTransport extends WireTransport {
  #core
  #session
  #capabilities
  #args = new ArgumentTexts()

  /**
   * @param {{ sendToolResponse(message: { functionResponses: object[] }): unknown }} geminiSession a Live session
   * @param {{ surface?: 'developer' | 'vertex', model?: string }} [options] decides what an answer may carry
   */
  constructor(geminiSession, options) {
    const core = new native.NativeGeminiLive(randomUUID())
    super(core)
    this.#core = core
    this.#session = geminiSession
    this.#capabilities = geminiCapabilities(options)
  }

  /** What this surface and model support. */
  get capabilities() {
    return this.#capabilities
  }

  /** Whether a call without an id waits for its `toolCall`. A model that announces it nowhere else is waiting too. */
  get holdsCalls() {
    return this.#core.holds
  }

  /** The waiting calls, for a host that has waited long enough. A later `toolCall` of theirs runs nothing again. */
  releaseHeldCalls() {
    return JSON.parse(this.#core.release()).map(call => this.#args.restore(call))
  }

  /** Audio is not for the core: most messages hold nothing else. Arguments are written down once, here. */
  toText(event) {
    this.#args.textOf({}) // missing arguments mean none
    return JSON.stringify(event, (key, value) => {
      if (key === 'inlineData') return undefined
      return key === 'args' ? this.#args.textOf(value) : value
    })
  }

  onHeard(heard) {
    heard.calls = heard.calls.map(call => this.#args.restore(call))
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
    const responses = answers.map(({ result }) => toModelResponse(result))
    const functionResponses = answers.flatMap((answer, index) => this.#toFunctionResponse(answer, responses[index]))
    if (functionResponses.length > 0) this.#session.sendToolResponse({ functionResponses })
    return functionResponses
  }

  /** None where the call was cancelled. */
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

module.exports = { GeminiLiveTransport }
