'use strict'
// The OpenAI Realtime API: converts server events to calls, and answers to conversation items. Reads events of the
// `openai` package and raw frames.
const { recordOf, textOf } = require('./shared/frame-reading.js')
const { MessageTransport } = require('./message-transport.js')
const { modelMeta, toModelResponse } = require('./shared/model-response.js')
const { ANSWERED } = require('./shared/problems.js')
const { RealtimeReader } = require('./realtime/realtime-reader.js')
const { ResponseRequests } = require('./realtime/response-requests.js')

/**
 * @typedef {import('./shared/event-object.js').Message} Message
 * @typedef {import('./message-transport.js').ReadResult} ReadResult
 */

class OpenAIRealtimeTransport extends MessageTransport {
  #send
  #reader = new RealtimeReader()
  #requests
  #meta

  /**
   * @param {{ send(event: any): unknown, readyState?: unknown }} client `OpenAIRealtimeWS` of the `openai` package, a
   *   WebSocket, or any object that sends an event on the socket as JSON
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(client, options) {
    super()
    this.#send = senderOf(client)
    this.#requests = new ResponseRequests(this.#send)
    this.#meta = modelMeta(options)
  }

  /** The requests for responses, those of the host among them: the service makes one response at a time. */
  get requests() {
    return this.#requests
  }

  /** @param {Message} event @param {ReadResult} result */
  readMessage(event, result) {
    const isDue = this.#reader.read(event, result)
    try {
      this.#readResponse(event, isDue)
    } catch (error) {
      result.problems.push(`nothing could be sent: ${/** @type {Partial<Error> | null} */ (error)?.message ?? error}`)
    }
  }

  /** @param {Message} event @param {boolean} isDue whether the model must be asked to continue */
  #readResponse({ type, response, error }, isDue) {
    const id = textOf(recordOf(response).id) ?? ''
    if (type === 'input_audio_buffer.speech_started') this.#requests.drop()
    if (type === 'response.created') this.#requests.created(id)
    if (type === 'error') this.#requests.failed(recordOf(error))
    if (type === 'response.done') this.#requests.done(id, isDue)
  }

  /**
   * Sends the answer as an item of the conversation; after the last answer of a response also asks the model to
   * continue, unless the response was cancelled or the user speaks.
   *
   * @param {import('./transport.js').Answer} answer
   * @returns {object[]} the events that were sent: none if the call was answered before, which `problem` says
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])
  }

  /**
   * @param {import('./transport.js').Answer[]} answers
   * @returns {object[]} the events that were sent
   */
  sendToolResults(answers) {
    const outputs = answers.map(answer => this.#output(answer))
    /** @type {object[]} */
    const sent = []
    let isDue = false
    for (const [at, output] of outputs.entries()) {
      const id = String(answers[at].id)
      const callId = this.#reader.wireId(id)
      if (callId === null) {
        this.refuse(answers[at], ANSWERED)
        continue
      }
      const item = { type: 'function_call_output', call_id: callId, output }
      const event = { type: 'conversation.item.create', item }
      this.#send(event)
      sent.push(event)
      isDue = this.#reader.answered(id) || isDue
    }
    const asked = isDue ? this.#requests.request() : null
    return asked === null ? sent : [...sent, asked]
  }

  /** @param {import('./transport.js').Answer} answer */
  #output({ id, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
    return JSON.stringify(toModelResponse(result, this.#meta))
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
    this.#send(event)
    return event
  }
}

/**
 * A WebSocket, which has a `readyState`, takes text; clients take the event.
 *
 * @param {{ send(event: any): unknown, readyState?: unknown }} client
 * @returns {(event: object) => unknown}
 */
function senderOf(client) {
  if (typeof client.readyState !== 'number') return event => client.send(event)
  return event => client.send(JSON.stringify(event))
}

module.exports = { OpenAIRealtimeTransport }
