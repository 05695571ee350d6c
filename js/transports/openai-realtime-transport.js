'use strict'
// The OpenAI Realtime API: server events to calls, and answers to the conversation's items. Works on the events of the
// `openai` package and on what came from the socket.
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { toModelResponse } = require('./model-response.js')

class OpenAIRealtimeTransport extends WireTransport {
  #client
  #core

  /**
   * @param {{ send(event: object): unknown }} client `OpenAIRealtimeWS` of the `openai` package, or anything that puts an
   *   event on the socket as JSON
   */
  constructor(client) {
    const core = new native.NativeRealtime()
    super(core)
    this.#core = core
    this.#client = client
  }

  /** The model can be waiting to be asked until the frame that ends its response is read. */
  onHeard({ asksModel }) {
    if (asksModel) this.#askModel()
  }

  /**
   * Sends the answer as an item of the conversation; after the last answer of a response also asks the model to go on,
   * unless the response was cancelled or the user speaks.
   *
   * @param {import('./transport.js').Answer} answer
   * @returns {object[]} the events that were sent: none where the call was answered before
   */
  sendToolResult({ id, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id that `receiveToolCalls` gave')
    const output = JSON.stringify(toModelResponse(result))
    if (!this.#core.wantsAnswer(id)) return []
    const item = { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: id, output } }
    this.#client.send(item)
    return this.#core.answered(id) ? [item, this.#askModel()] : [item]
  }

  /**
   * @param {import('./transport.js').Answer[]} answers
   * @returns {object[]} the events that were sent
   */
  sendToolResults(answers) {
    return answers.flatMap(answer => this.sendToolResult(answer))
  }

  #askModel() {
    const event = { type: 'response.create' }
    this.#client.send(event)
    return event
  }
}

module.exports = { OpenAIRealtimeTransport }
