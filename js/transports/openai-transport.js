'use strict'
// OpenAI Chat Completions and Responses: converts messages to calls, and answers to `tool` messages or output items. Reads
// objects of the `openai` package, the same JSON from any compatible server, and raw frames.
const { OPENAI_NAME_LENGTH, acceptedName } = require('./shared/accepted-call.js')
const { CallIds } = require('./shared/call-ids.js')
const { ChatReader } = require('./chat/chat-reader.js')
const { MessageTransport } = require('./message-transport.js')
const { modelMeta, refuseOptions, toModelResponse } = require('./shared/model-response.js')
const { receivedCall } = require('../values/received-args.js')
const { RecentMap } = require('./shared/recent-map.js')
const { ResponsesReader, repeatedItems } = require('./responses/responses-reader.js')

/** The calls whose form is remembered. */
const FORMS_KEPT = 1000

/**
 * @typedef {import('./message-transport.js').ReadResult} ReadResult
 * @typedef {import('./shared/event-object.js').Message} Message
 * @typedef {import('./chat/chat-reader.js').CompleteMessage} CompleteMessage
 * @typedef {{ message: CompleteMessage['message'], calls: CompleteMessage['calls'], taken: import('./shared/call-ids.js').TakenCall[] }} ChatParts
 */

class OpenAITransport extends MessageTransport {
  #chat = new ChatReader()
  #responses = new ResponsesReader()
  #ids = new CallIds()
  /**
   * How calls are answered that are no `tool_calls` of Chat Completions, by id; `async`: as those of Responses, once they have a result.
   * @type {RecentMap<string, 'responses' | 'async' | 'legacy'>}
   */
  #forms = new RecentMap(FORMS_KEPT)
  /** Whether the last message was of Responses. */
  #readsResponses = false
  /** Makes the message of the last calls, unless it was made. @type {(() => Record<string, unknown> | object[]) | null} */
  #makeMessage = null
  /** The calls of the last message of Chat Completions: they are given one after another if it has several finish reasons. @type {ChatParts | null} */
  #parts = null
  /** @type {Record<string, unknown> | object[] | null} */
  #assistantMessage = null
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
    super()
    refuseOptions(client, 'new OpenAITransport(null, null, { meta })')
    this.#meta = modelMeta(options)
    this.client = client
    this.conversationId = conversationId
  }

  /**
   * What the next request must repeat before the answers to the last calls: the assistant message of Chat Completions, or the list
   * of output items of Responses, for a conversation that the API does not keep. `null` before there were calls.
   */
  get assistantMessage() {
    if (this.#makeMessage !== null) this.#assistantMessage = this.#makeMessage()
    this.#makeMessage = null
    return this.#assistantMessage
  }

  /** @param {Message} frame @param {ReadResult} result */
  readMessage(frame, result) {
    const isResponses = ResponsesReader.recognizes(frame)
    // A conversation has one API. Nothing of the other one is left. An event of neither, such as `keepalive`, changes nothing.
    if (isResponses) this.#endChat(result)
    else if (ChatReader.recognizes(frame)) this.#responses.end(result.problems)
    if (isResponses || ChatReader.recognizes(frame)) this.#readsResponses = isResponses
    if (isResponses) this.#readResponses(frame, result)
    else this.#readChat(frame, result)
  }

  /** @param {ReadResult} result */
  readEnd(result) {
    this.#endChat(result)
    this.#responses.end(result.problems)
  }

  /** @param {ReadResult} result */
  readLoss({ problems }) {
    this.#chat.lose(problems)
    this.#responses.lose(problems)
  }

  /** @param {Message} frame @param {ReadResult} result */
  #readChat(frame, result) {
    for (const part of this.#chat.read(frame, result.problems)) this.#give(part, result)
    // What follows the calls belongs to their message too.
    if (this.#parts !== null && this.#parts.message === this.#chat.open) this.#repeat(this.#parts)
  }

  /** @param {ReadResult} result */
  #endChat(result) {
    for (const part of this.#chat.end(result.problems)) this.#give(part, result)
  }

  /** Gives the calls of a message, or of a part of it. @param {CompleteMessage} part @param {ReadResult} result */
  #give({ id, message, calls }, result) {
    const before = this.#parts?.message === message ? this.#parts : { calls: [], taken: [] }
    const known = before.taken.map(taken => taken.known)
    const taken = this.#ids.take(id, calls, known)
    this.#parts = { message, calls: [...before.calls, ...calls], taken: [...before.taken, ...taken] }
    this.#repeat(this.#parts)
    if (message.isLegacy) for (const { known } of taken) this.#forms.set(known.id, 'legacy')
    result.calls.push(...taken.map((one, at) => receivedCall(one.known.id, calls[at].name, calls[at].args)))
  }

  /** @param {ChatParts} parts */
  #repeat({ message, calls, taken }) {
    this.#makeMessage = () => message.withCalls(calls, taken.map(wireIdOf))
  }

  /** A response that comes again, as the last event of its stream or from a poll, gives no call again. @param {Message} frame @param {ReadResult} result */
  #readResponses(frame, result) {
    const response = this.#responses.read(frame, result.problems)
    if (response === null) return
    const taken = this.#ids.take(response.id, response.calls)
    this.#parts = null
    this.#makeMessage = () => repeatedItems(response, taken.map(wireIdOf))
    for (const [at, { known, isAgain }] of taken.entries()) {
      if (isAgain) continue
      const { name, args, item } = response.calls[at]
      this.#forms.set(known.id, item.members.async === true ? 'async' : 'responses')
      result.calls.push(receivedCall(known.id, name, args))
    }
  }

  /**
   * @param {import('./transport.js').Answer} answer
   * @returns {{ role: 'tool', tool_call_id: string, content: string } | { role: 'function', name: string, content: string }
   *   | { type: 'function_call_output', call_id: string, output: string } | null} what to append to the conversation: a `tool`
   *   message, a `function` message for a legacy `function_call`, or an input item if the call came from Responses; `null` if the model
   *   waits for no answer, and there is only that the call runs
   */
  sendToolResult({ id, name, result }) {
    if (typeof id !== 'string' || id === '') throw new TypeError('`id` must be the id from `receiveToolCalls`')
    if (this.#forms.get(id) === 'async' && result?.meta?.pending === true) return null
    const text = JSON.stringify(toModelResponse(result, this.#meta))
    const wireId = this.#ids.answered(id)?.wireId ?? id
    const known = this.#ids.get(id)
    // A call that the host read itself is of the API whose messages were read last.
    const form = known === undefined && this.#readsResponses ? 'responses' : this.#forms.get(id)
    if (form === 'legacy')
      return this.#sent({ role: 'function', name: acceptedName(name, OPENAI_NAME_LENGTH), content: text })
    if (form === 'responses' || form === 'async')
      return this.#sent({ type: 'function_call_output', call_id: wireId, output: text })
    return this.#sent({ role: 'tool', tool_call_id: wireId, content: text })
  }

  /** @param {import('./transport.js').Answer[]} answers @returns {object[]} what there is to append */
  sendToolResults(answers) {
    return answers.map(answer => this.sendToolResult(answer)).filter(sent => sent !== null)
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
}

/** @param {import('./shared/call-ids.js').TakenCall} taken */
const wireIdOf = ({ known }) => known.wireId

let hasWarned = false

function warnOfUnsentAnswers() {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    'the client of `OpenAITransport` has no `sendMessage(conversationId, message)`: `sendToolResult` sends nothing, and returns the message for the next request',
    { type: 'ToolgateWarning', code: 'TOOLGATE_ANSWER_NOT_SENT' },
  )
}

module.exports = { OpenAITransport }
