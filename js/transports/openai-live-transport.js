'use strict'
// OpenAI's GPT-Live: a voice model without turns, which delegates its work. Converts delegations to the application, and the calls of a
// Responses backend, and what is answered to client events. Reads events of the `openai` package and raw frames.
const { textOf } = require('./shared/frame-reading.js')
const { appendsOf } = require('./gpt-live/live-appends.js')
const { LiveDelegations } = require('./gpt-live/live-delegations.js')
const { LiveResponses } = require('./gpt-live/live-responses.js')
const { MessageTransport } = require('./message-transport.js')
const { modelMeta, toModelResponse } = require('./shared/model-response.js')
const { ANSWERED, providerError, shortened } = require('./shared/problems.js')

/**
 * @typedef {import('./shared/event-object.js').Message} Message
 * @typedef {import('./message-transport.js').ReadResult} ReadResult
 * @typedef {import('./openai-live-transport.js').LiveClientEvent} LiveClientEvent
 * @typedef {{ commentary?: string, thinking?: string }} Texts
 */

class OpenAILiveTransport extends MessageTransport {
  #client
  #delegations = new LiveDelegations()
  #responses = new LiveResponses()
  #meta
  #count = 0

  /**
   * @param {{ send(event: object): unknown }} client `LiveWS` or `SidebandWS` of the `openai` package, or any object that sends
   *   an event on the socket as JSON
   * @param {{ meta?: import('../../index.js').ModelMeta }} [options] `meta`: whether answers are sent `full` (default) or `lean`
   */
  constructor(client, options) {
    super()
    if (typeof client?.send !== 'function') throw new TypeError('`client` must have the function `send`')
    this.#client = client
    this.#meta = modelMeta(options)
  }

  /** @param {Message} event @param {ReadResult} result */
  readMessage(event, result) {
    switch (event.type) {
      case 'session.delegation.created':
        return this.#delegations.create(event, result)
      case 'response.event':
        return this.#responses.read(event, result)
      case 'session.input_transcript.delta':
        return this.#delegations.hear(event)
      case 'session.output_transcript.delta':
        return this.#delegations.say(event)
      case 'session.closed':
        return this.#end(event, result)
      case 'error':
        result.problems.push(providerError('the service reports an error', event.error))
        break
      case undefined:
        result.problems.push('the event has no `type`')
    }
  }

  /** @param {ReadResult} result */
  readLoss(result) {
    this.#responses.lose(result)
  }

  /** @param {Message} event @param {ReadResult} result */
  #end({ reason }, result) {
    this.#responses.end(result)
    if (reason !== 'close_requested')
      result.problems.push(`the session is closed: ${shortened(textOf(reason) ?? 'without a reason', 40)}`)
  }

  /** @param {unknown} event */
  receiveDelegations(event) {
    return this.receive(event, 'delegations')
  }

  get conversation() {
    return this.#delegations.conversation
  }

  /** @param {string} id of a delegation */
  transcriptOf(id) {
    return this.#delegations.transcriptOf(id)
  }

  /** @param {string} id of a delegation */
  awaits(id) {
    return this.#delegations.awaits(id)
  }

  /**
   * Answers a delegation to the application.
   *
   * @param {{ id: string } & Texts & { willContinue?: boolean }} answer
   * @returns {LiveClientEvent[]} what was sent: none if the delegation has its answer, or did not come through this transport
   */
  sendAnswer({ id, commentary, thinking, willContinue = false }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveDelegations`')
    const events = this.#appends(id, { commentary, thinking })
    if (!this.awaits(id)) {
      this.refuse({ id, name: 'delegation' }, this.#delegations.has(id) ? ANSWERED : 'no delegation has this id')
      return []
    }
    for (const event of events) this.#client.send(event)
    // Sent first: an answer that can't be sent may be given again.
    if (!willContinue) this.#delegations.close(id)
    return events
  }

  /**
   * Sends the result of a call that was answered as running: as commentary, or as thinking if the user need not hear it.
   *
   * @param {{ toolId: string, response: import('../../index.js').ToolResponse }} result of `session.results()`
   * @param {{ delegation?: string, silent?: boolean }} [options] `delegation`: the open delegation that the call belongs to
   * @returns {LiveClientEvent[]} what was sent
   */
  sendResult({ toolId, response }, { delegation, silent = false } = {}) {
    const told = JSON.stringify(toModelResponse(response, this.#meta))
    const text = `The result of the tool call \`${toolId}\`, which was running: ${told}`
    const id = delegation !== undefined && this.awaits(delegation) ? delegation : null
    const events = this.#appends(id, silent ? { thinking: text } : { commentary: text })
    for (const event of events) this.#client.send(event)
    return events
  }

  /**
   * Sends the answer to a call of the Responses backend as an input item; after the last answer of a response also asks the backend to
   * continue.
   *
   * @param {import('./transport.js').Answer} answer
   * @returns {LiveClientEvent[]} what was sent: none if the call is answered, which `problem` says
   */
  sendToolResult(answer) {
    const { id, result } = answer
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
    const output = JSON.stringify(toModelResponse(result, this.#meta))
    const callId = this.#responses.wireId(id)
    if (callId === null) {
      this.refuse(answer, ANSWERED)
      return []
    }
    const item = { type: 'function_call_output', call_id: callId, output }
    /** @type {LiveClientEvent[]} */
    const sent = [this.#event({ type: 'response.item.create', item })]
    this.#client.send(sent[0])
    if (this.#responses.answered(id)) {
      sent.push(this.#event({ type: 'response.create' }))
      this.#client.send(sent[1])
    }
    return sent
  }

  /** @param {import('./transport.js').Answer[]} answers @returns {LiveClientEvent[]} what was sent */
  sendToolResults(answers) {
    return answers.flatMap(answer => this.sendToolResult(answer))
  }

  /**
   * Replaces the tools of the Responses backend.
   *
   * @param {object[]} declarations of the provider `openaiResponses`
   * @returns {LiveClientEvent} the event that was sent
   */
  updateTools(declarations) {
    const delegation = { type: 'responses', responses: { tools: declarations } }
    const event = this.#event({ type: 'session.update', session: { delegation } })
    this.#client.send(event)
    return event
  }

  /** What the model only knows comes before what it speaks about. @param {string | null} id @param {Texts} texts */
  #appends(id, { commentary = '', thinking = '' }) {
    if (typeof commentary !== 'string' || typeof thinking !== 'string')
      throw new TypeError('`commentary` and `thinking` must be strings')
    const texts = { 'session.thinking.append': thinking, 'session.commentary.append': commentary }
    const events = Object.entries(texts).flatMap(([type, text]) =>
      appendsOf(text).map(content => this.#event({ type, delegation_id: id, content })),
    )
    if (events.length === 0) throw new TypeError('an answer must have `commentary` or `thinking`')
    return events
  }

  /** Its id is named by what the service says about it. @template {{ type: string }} Event @param {Event} event */
  #event(event) {
    return { ...event, event_id: `toolgate_${(this.#count += 1)}` }
  }
}

module.exports = { OpenAILiveTransport }
