'use strict'
// The OpenAI Realtime API: converts server events to calls, and answers to conversation items. Reads events of the
// `openai` package and raw frames.
const native = require('../../native.js')
const { WireTransport } = require('./wire-transport.js')
const { realtimeReader } = require('./realtime-reader.js')
const { modelMeta, toModelResponse } = require('./model-response.js')

class OpenAIRealtimeTransport extends WireTransport {
  #client
  #core
  #meta

  /**
   * @param {{ send(event: object): unknown }} client `OpenAIRealtimeWS` of the `openai` package, or any object that
   *   sends an event on the socket as JSON
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(client, options) {
    const core = new native.NativeRealtime()
    super(realtimeReader(core))
    this.#core = core
    this.#client = client
    this.#meta = modelMeta(options)
  }

  /**
   * Sends `response.create` if the frame ended a response whose calls are all answered.
   * @param {import('./wire-transport.js').FrameResult} result
   */
  onFrameRead({ asksModel }) {
    if (asksModel) this.#askModel()
  }

  /**
   * Sends the answer as an item of the conversation; after the last answer of a response also asks the model to
   * continue, unless the response was cancelled or the user speaks.
   *
   * @param {import('./transport.js').Answer} answer
   * @returns {object[]} the events that were sent: none if the call was answered before
   */
  sendToolResult({ id, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
    const output = JSON.stringify(toModelResponse(result, this.#meta))
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

  /**
   * Replaces the tools of the session, for a tool set that grows with each search. Events are handled in their order:
   * sent before an answer, the model knows the tools when it continues after it.
   *
   * @param {object[]} declarations of the provider `openaiRealtime`
   * @returns {object} the event that was sent
   */
  updateTools(declarations) {
    const event = { type: 'session.update', session: { type: 'realtime', tools: declarations } }
    this.#client.send(event)
    return event
  }

  #askModel() {
    const event = { type: 'response.create' }
    this.#client.send(event)
    return event
  }
}

module.exports = { OpenAIRealtimeTransport }
