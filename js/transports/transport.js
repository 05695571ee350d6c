'use strict'
// The base class of transports, which convert provider frames to calls and answers to provider frames. They apply no
// policy.
//
// This folder has what an application imports: a transport for each API (`*-transport.js`), over `message-transport.js`, and what it
// declares to a model (`async-calls.js`, `live-capabilities.js`). How a protocol's messages are read is in a room for each:
//
// - `chat/`, `responses/`, `realtime/`, `gpt-live/`: OpenAI's Chat Completions, Responses, Realtime and GPT-Live, whose backend speaks
//   Responses
// - `anthropic/`: the Messages API
// - `gemini/`: Gemini Live
// - `shared/`: what several use: members of untrusted messages, ids of calls, bounds, when a message is complete, what `problem` says
//
// A room's code imports `shared/`, which imports no room; of the other rooms, only GPT-Live imports one.

/**
 * @typedef {import('../../index.js').ToolCall} ToolCall
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('./transport.js').Answer} Answer
 */

/**
 * The base class of transports; a subclass implements a provider's frames.
 *
 * Frames are untrusted: a reader returns no calls for an unknown frame and never throws.
 */
class ToolTransport {
  /** The fault of the frame that was read last, for the host's log; `null` if there is none. */
  get problem() {
    return null
  }

  /**
   * The calls that `event` makes ready to run, in the provider's order.
   *
   * @param {unknown} _event one message of the provider, of a type that the transport documents
   * @returns {ToolCall[]}
   */
  receiveToolCalls(_event) {
    throw new Error(`\`${this.constructor.name}\` must say how it reads tool calls: implement receiveToolCalls(event)`)
  }

  /**
   * The calls that a message still has when its stream is over: for a loop over an SDK's iterator, which ends without an event. Harmless
   * if nothing waits.
   *
   * @returns {ToolCall[]}
   */
  end() {
    return []
  }

  /**
   * The ids of calls that the provider has cancelled. Always empty if the protocol has no such frame.
   *
   * @param {unknown} _event
   * @returns {string[]}
   */
  receiveCancellations(_event) {
    return []
  }

  /**
   * Sends one answer: the full ToolResponse, without its confirmation token.
   *
   * @param {Answer} _answer
   */
  sendToolResult(_answer) {
    throw new Error(`\`${this.constructor.name}\` must say how it answers: implement sendToolResult(answer)`)
  }

  /**
   * Sends the answers of one provider message, together if the protocol supports it, otherwise one after another.
   *
   * @param {Answer[]} answers
   */
  sendToolResults(answers) {
    return answers.map(answer => this.sendToolResult(answer))
  }
}

module.exports = { ToolTransport }
