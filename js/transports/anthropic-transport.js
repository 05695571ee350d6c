'use strict'
// Anthropic's Messages API: messages and stream events to calls, and answers to one user message. Works on what
// `@anthropic-ai/sdk` gives and on what came from a socket.
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { toModelResponse } = require('./model-response.js')

/** How many calls are remembered. */
const CALLS_KEPT = 1000

class AnthropicTransport extends WireTransport {
  /** Call id → the results of its message by id, in the order of the calls, `null` while there is none. */
  #messages = new Map()

  /** The API keeps no conversation: the host sends the message with the results in its next request. */
  constructor() {
    super(new native.NativeAnthropic())
    /** The assistant message of the last calls, all of its blocks, as the next request must repeat it before their results. */
    this.assistantMessage = null
  }

  /** The calls of a message come together. */
  onHeard({ calls, blocks }) {
    if (blocks) this.assistantMessage = { role: 'assistant', content: blocks }
    const results = new Map(calls.map(({ id }) => [id, null]))
    for (const id of results.keys()) this.#messages.set(id, results)
    for (const id of this.#messages.keys()) {
      if (this.#messages.size <= CALLS_KEPT) break
      this.#messages.delete(id)
    }
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {object | null} the user message, when the last call of its message is answered; `null` before and after
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])[0] ?? null
  }

  /**
   * @param {import('./transport.js').Answer[]} answers
   * @returns {object[]} the user messages that are complete with these answers, one for each message of the model
   */
  sendToolResults(answers) {
    const blocks = answers.map(toToolResult)
    return blocks.map(block => this.#collect(block)).filter(message => message !== null)
  }

  #collect(block) {
    const id = block.tool_use_id
    // Of a forgotten call, its answer is all there is.
    const results = this.#messages.get(id) ?? new Map([[id, null]])
    if (results.get(id) !== null) return null
    results.set(id, block)
    const content = [...results.values()]
    return content.includes(null) ? null : { role: 'user', content }
  }
}

function toToolResult({ id, result }) {
  if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id that `receiveToolCalls` gave')
  const response = toModelResponse(result)
  return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(response), is_error: !response.ok }
}

module.exports = { AnthropicTransport }
