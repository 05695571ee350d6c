'use strict'
// OpenAI Chat Completions and Responses: what the API says to calls, and answers to `tool` messages or output items. Works
// on what the `openai` package gives, on the same JSON from any compatible server, and on what came from a socket.
const { randomUUID } = require('node:crypto')
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { toModelResponse } = require('./model-response.js')

/** Calls of Responses whose answers are not given yet. */
const UNANSWERED_KEPT = 1000

class OpenAITransport extends WireTransport {
  /** Ids of calls that came from Responses; all others are answered as Chat Completions wants it. */
  #ofResponses = new Set()

  /**
   * The host sends the answers with the next request: the API says nothing in between.
   *
   * @param {object} [client] the host's OpenAI client, kept as `client`
   * @param {string} [conversationId] the host's name of the conversation, kept as `conversationId`
   */
  constructor(client = null, conversationId = null) {
    super(new native.NativeOpenAi(randomUUID()))
    this.client = client
    this.conversationId = conversationId
    /** The assistant message of the last calls of Chat Completions, as the next request must repeat it before their answers. */
    this.assistantMessage = null
  }

  onHeard({ calls, message }) {
    if (message) this.assistantMessage = toAssistantMessage(calls, message.content)
    else for (const { id } of calls) this.#remember(id)
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {{ role: 'tool', tool_call_id: string, content: string }
   *   | { type: 'function_call_output', call_id: string, output: string }} what to append to the conversation: a `tool`
   *   message, or an input item where the call came from Responses
   */
  sendToolResult({ id, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id that `receiveToolCalls` gave')
    const text = JSON.stringify(toModelResponse(result))
    if (this.#ofResponses.has(id)) return { type: 'function_call_output', call_id: id, output: text }
    return { role: 'tool', tool_call_id: id, content: text }
  }

  #remember(id) {
    this.#ofResponses.add(id)
    if (this.#ofResponses.size > UNANSWERED_KEPT) this.#ofResponses.delete(this.#ofResponses.values().next().value)
  }
}

function toAssistantMessage(calls, content) {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  return { role: 'assistant', content, tool_calls: toolCalls }
}

module.exports = { OpenAITransport }
