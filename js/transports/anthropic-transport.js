'use strict'
// Anthropic's Messages API: converts messages and stream events to calls, and answers to one user message. Reads
// objects of `@anthropic-ai/sdk` and raw frames.
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { modelMeta, toModelResponse } = require('./model-response.js')

/** The most calls that are remembered. */
const CALLS_KEPT = 1000

/**
 * @typedef {import('./anthropic-transport.js').ToolResultBlock} ToolResultBlock
 * @typedef {import('./anthropic-transport.js').ToolResultsMessage} ToolResultsMessage
 */

class AnthropicTransport extends WireTransport {
  /**
   * Call id → the results of its message by id, in the order of the calls, `null` until it is known.
   * @type {Map<string, Map<string, ToolResultBlock | null>>}
   */
  #messages = new Map()
  #meta

  /**
   * The API is stateless: the host sends the message with the results in its next request.
   *
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(options) {
    super(new native.NativeAnthropic())
    this.#meta = modelMeta(options)
    /**
     * The assistant message of the last calls, with all blocks; the next request must repeat it before their results.
     * @type {{ role: 'assistant', content: Record<string, unknown>[] } | null}
     */
    this.assistantMessage = null
  }

  /** The calls of a message come together. @param {import('./wire-transport.js').FrameResult} result */
  onFrameRead({ calls, blocks }) {
    if (blocks) this.assistantMessage = { role: 'assistant', content: blocks }
    /** @type {Map<string, ToolResultBlock | null>} */
    const results = new Map(calls.map(({ id }) => [id, null]))
    for (const id of results.keys()) this.#messages.set(id, results)
    for (const id of this.#messages.keys()) {
      if (this.#messages.size <= CALLS_KEPT) break
      this.#messages.delete(id)
    }
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {ToolResultsMessage | null} the user message, when the last call of its message is answered; `null` before and after
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])[0] ?? null
  }

  /**
   * @param {import('./transport.js').Answer[]} answers
   * @returns {ToolResultsMessage[]} the user messages that are complete with these answers, one for each message of the model
   */
  sendToolResults(answers) {
    const blocks = answers.map(answer => toToolResult(answer, this.#meta))
    return blocks.map(block => this.#collect(block)).filter(message => message !== null)
  }

  /** @param {ToolResultBlock} block @returns {ToolResultsMessage | null} */
  #collect(block) {
    const id = block.tool_use_id
    // The call was forgotten: its answer is the whole message.
    /** @type {Map<string, ToolResultBlock | null>} */
    const results = this.#messages.get(id) ?? new Map([[id, null]])
    if (results.get(id) !== null) return null
    results.set(id, block)
    const content = [...results.values()].filter(result => result !== null)
    return content.length < results.size ? null : { role: 'user', content }
  }
}

/**
 * @param {import('./transport.js').Answer} answer
 * @param {import('../../index.js').ModelMeta} meta
 * @returns {ToolResultBlock}
 */
function toToolResult({ id, result }, meta) {
  if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
  const response = toModelResponse(result, meta)
  return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(response), is_error: !response.ok }
}

module.exports = { AnthropicTransport }
