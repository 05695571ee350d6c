'use strict'
// OpenAI Chat Completions and Responses: converts responses to calls, and answers to `tool` messages or output items.
// Reads objects of the `openai` package, the same JSON from any compatible server, and raw frames.
const { randomUUID } = require('node:crypto')
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { modelMeta, toModelResponse } = require('./model-response.js')

/** The most unanswered calls of Responses that are remembered. */
const UNANSWERED_KEPT = 1000

class OpenAITransport extends WireTransport {
  /** Ids of calls that came from Responses; all others are answered for Chat Completions. @type {Set<string>} */
  #ofResponses = new Set()
  #meta

  /**
   * The API is stateless: without a client that has `sendMessage`, the host sends the returned answers with its next
   * request.
   *
   * @param {unknown} [client] the host's OpenAI client, kept as `client`; if it has `sendMessage(conversationId, message)`,
   *   answers are sent through it
   * @param {string | null} [conversationId] the host's id of the conversation, kept as `conversationId`
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(client = null, conversationId = null, options) {
    super(new native.NativeOpenAi(randomUUID()))
    this.#meta = modelMeta(options)
    this.client = client
    this.conversationId = conversationId
    /**
     * The assistant message of the last calls of Chat Completions, which the next request must repeat before their
     * answers.
     * @type {Record<string, unknown> | null}
     */
    this.assistantMessage = null
  }

  /** @param {import('./wire-transport.js').FrameResult} result */
  onFrameRead({ calls, message }) {
    if (message) this.assistantMessage = toAssistantMessage(calls, message.content)
    else for (const { id } of calls) this.#remember(id)
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {{ role: 'tool', tool_call_id: string, content: string }
   *   | { type: 'function_call_output', call_id: string, output: string }} what to append to the conversation: a `tool`
   *   message, or an input item if the call came from Responses
   */
  sendToolResult({ id, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
    const text = JSON.stringify(toModelResponse(result, this.#meta))
    if (this.#ofResponses.has(id)) return this.#sent({ type: 'function_call_output', call_id: id, output: text })
    return this.#sent({ role: 'tool', tool_call_id: id, content: text })
  }

  /**
   * Sends a message through the client if it can send; a promise of `sendMessage` is awaited before the message is
   * returned.
   * @template Message
   * @param {Message} message
   * @returns {Message}
   */
  #sent(message) {
    const client = /** @type {{ sendMessage?: unknown } | null} */ (this.client)
    if (typeof client?.sendMessage === 'function') {
      const sending = client.sendMessage(this.conversationId, message)
      return typeof sending?.then === 'function' ? sending.then(() => message) : message
    }
    // A conversation id says that the host may expect the transport to send.
    if (this.conversationId !== null && this.conversationId !== undefined) warnOfUnsentAnswers()
    return message
  }

  /** @param {string} id */
  #remember(id) {
    this.#ofResponses.add(id)
    if (this.#ofResponses.size > UNANSWERED_KEPT) {
      const [oldest] = this.#ofResponses
      this.#ofResponses.delete(oldest)
    }
  }
}

let hasWarned = false

function warnOfUnsentAnswers() {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    'the client of `OpenAITransport` has no `sendMessage(conversationId, message)`: `sendToolResult` sends nothing, and returns the message for the next request',
    { type: 'ToolgateWarning', code: 'TOOLGATE_ANSWER_NOT_SENT' },
  )
}

/** @param {import('./transport.js').ReadyCall[]} calls @param {unknown} content */
function toAssistantMessage(calls, content) {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  return { role: 'assistant', content, tool_calls: toolCalls }
}

module.exports = { OpenAITransport }
