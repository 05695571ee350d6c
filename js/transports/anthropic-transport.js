'use strict'
// Anthropic's Messages API: converts messages and stream events to calls, and answers to one user message. Reads
// objects of `@anthropic-ai/sdk` and raw frames.
const { repeatedBlocks } = require('./anthropic/anthropic-blocks.js')
const { AnthropicReader } = require('./anthropic/anthropic-reader.js')
const { CallIds } = require('./shared/call-ids.js')
const { MessageTransport } = require('./message-transport.js')
const { modelMeta, toModelResponse } = require('./shared/model-response.js')
const { receivedCall } = require('../values/received-args.js')
const { ANSWERED } = require('./shared/problems.js')

/** The most calls that are remembered. */
const CALLS_KEPT = 1000

/**
 * @typedef {import('./anthropic-transport.js').ToolResultBlock} ToolResultBlock
 * @typedef {import('./anthropic-transport.js').ToolResultsMessage} ToolResultsMessage
 */

class AnthropicTransport extends MessageTransport {
  #reader = new AnthropicReader()
  #ids = new CallIds()
  /**
   * Call id → the results of its message by id, in the order of the calls, `null` until it is known.
   * @type {Map<string, Map<string, ToolResultBlock | null>>}
   */
  #messages = new Map()
  /** Makes the message of the last calls. @type {(() => { role: 'assistant', content: Record<string, unknown>[] }) | null} */
  #makeMessage = null
  /** @type {{ role: 'assistant', content: Record<string, unknown>[] } | null} */
  #assistantMessage = null
  #meta

  /**
   * The API is stateless: the host sends the message with the results in its next request.
   *
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(options) {
    super()
    this.#meta = modelMeta(options)
  }

  /** The assistant message of the last calls, with all blocks; the next request must repeat it before their results. */
  get assistantMessage() {
    if (this.#makeMessage !== null) this.#assistantMessage = this.#makeMessage()
    this.#makeMessage = null
    return this.#assistantMessage
  }

  /** @param {import('./shared/event-object.js').Message} event @param {import('./message-transport.js').ReadResult} result */
  readMessage(event, result) {
    const message = this.#reader.read(event, result.problems)
    if (message === null) return
    const taken = this.#ids.take(message.id, message.calls)
    const ids = new Map(taken.map(({ known }, at) => [message.calls[at].block, known.wireId]))
    this.#makeMessage = () => ({ role: 'assistant', content: repeatedBlocks(message.blocks, ids) })
    const isNew = taken.map(({ isAgain }) => !isAgain)
    result.calls.push(
      ...message.calls
        .map(({ name, args }, at) => receivedCall(taken[at].known.id, name, args))
        .filter((_, at) => isNew[at]),
    )
    if (isNew.includes(true)) this.#expectResults(taken.map(({ known }) => known.id))
  }

  /** @param {import('./message-transport.js').ReadResult} result */
  readEnd({ problems }) {
    this.#reader.end(problems)
  }

  /** @param {import('./message-transport.js').ReadResult} result */
  readLoss({ problems }) {
    this.#reader.lose(problems)
  }

  /** The results of a message are sent together. @param {string[]} callIds */
  #expectResults(callIds) {
    /** @type {Map<string, ToolResultBlock | null>} */
    const results = new Map(callIds.map(id => [id, null]))
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
    const blocks = answers.map(answer => ({ answer, block: this.#toToolResult(answer) }))
    return blocks.map(({ answer, block }) => this.#collect(answer, block)).filter(message => message !== null)
  }

  /** @param {import('./transport.js').Answer} answer @param {ToolResultBlock} block @returns {ToolResultsMessage | null} */
  #collect(answer, block) {
    const id = checkedId(answer.id)
    this.#ids.answered(id)
    // The host read the call itself, or it was forgotten: its answer is the whole message.
    /** @type {Map<string, ToolResultBlock | null>} */
    const results = this.#messages.get(id) ?? new Map([[id, null]])
    if (results.get(id) !== null) {
      this.refuse(answer, ANSWERED)
      return null
    }
    results.set(id, block)
    const content = [...results.values()].filter(result => result !== null)
    return content.length < results.size ? null : { role: 'user', content }
  }

  /** @param {import('./transport.js').Answer} answer @returns {ToolResultBlock} */
  #toToolResult({ id, result }) {
    const response = toModelResponse(result, this.#meta)
    const wireId = this.#ids.get(checkedId(id))?.wireId ?? checkedId(id)
    return { type: 'tool_result', tool_use_id: wireId, content: JSON.stringify(response), is_error: !response.ok }
  }
}

/** @param {unknown} id */
function checkedId(id) {
  if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
  return id
}

module.exports = { AnthropicTransport }
