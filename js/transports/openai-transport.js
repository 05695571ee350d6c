'use strict'
// OpenAI Chat Completions: messages and streamed chunks to calls, and answers to `tool` messages. Works on what the
// `openai` package gives and on the same JSON from any compatible server.
const { randomUUID } = require('node:crypto')
const { ToolTransport } = require('./transport.js')
const { StreamedMessage } = require('./openai-streamed-message.js')
const { recordOf, listOf, textOf } = require('./frame-reading.js')
const { toModelResponse } = require('./model-response.js')

/** Finish reasons after which the last call may be incomplete. */
const CUT_SHORT = ['length', 'content_filter']

class OpenAITransport extends ToolTransport {
  #streamed = new StreamedMessage()

  /**
   * Chat Completions keeps no conversation on its side: the host sends the messages with the next request.
   *
   * @param {object} [client] the host's OpenAI client, kept as `client`
   * @param {string} [conversationId] the host's name of the conversation, kept as `conversationId`
   */
  constructor(client = null, conversationId = null) {
    super()
    this.client = client
    this.conversationId = conversationId
    /** The assistant message of the last calls, as the next request must repeat it before their answers. */
    this.assistantMessage = null
  }

  /**
   * Takes a completion, an assistant message, or the chunks of a stream one by one. Chunks give their calls together,
   * when the finish reason arrives. Arguments stay the text that came, whole or not: the gate judges them.
   */
  receiveToolCalls(event) {
    const frame = recordOf(event)
    const choice = recordOf(listOf(frame.choices)[0])
    if (choice.delta !== undefined) return this.#fromChunk(choice)
    const message = choice.message === undefined ? frame : recordOf(choice.message)
    return this.#toCalls(listOf(message.tool_calls).map(readCall), textOf(message.content), choice.finish_reason)
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {{ role: 'tool', tool_call_id: string, content: string }} the message to append to the conversation
   */
  sendToolResult({ id, result }) {
    if (textOf(id) === null) throw new TypeError('`id` must be the id that `receiveToolCalls` gave')
    return { role: 'tool', tool_call_id: id, content: JSON.stringify(toModelResponse(result)) }
  }

  #fromChunk(choice) {
    this.#streamed.add(choice.delta)
    if (textOf(choice.finish_reason) === null) return []
    const { calls, content } = this.#streamed.take()
    return this.#toCalls(calls, content, choice.finish_reason)
  }

  #toCalls(found, content, finishReason) {
    const calls = found.filter((call) => call.name !== null).map((call) => ({ ...call, id: call.id ?? `temp-${randomUUID()}` }))
    const last = calls.at(-1)
    // No text at all would mean "no arguments". Where the answer was cut before the first character, say that instead.
    if (last && last.args === '' && CUT_SHORT.includes(finishReason)) last.args = '{'
    if (last) this.assistantMessage = toAssistantMessage(calls, content)
    return calls
  }
}

function readCall(value) {
  const { id, function: called } = recordOf(value)
  const { name, arguments: args } = recordOf(called)
  return { id: textOf(id), name: textOf(name), args: argumentsText(args) }
}

function argumentsText(value) {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toAssistantMessage(calls, content) {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  return { role: 'assistant', content, tool_calls: toolCalls }
}

module.exports = { OpenAITransport }
