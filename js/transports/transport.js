'use strict'
// What every transport is: provider frames in, calls out; answers in, provider frames out. No policy lives here or below.

/**
 * @typedef {import('../../index.js').ToolCall} ToolCall
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {{ id: string | null, name: string, result: ToolResponse }} Answer `id` as `receiveToolCalls` gave it
 */

/**
 * The base of all transports; a new provider is a subclass that says how its frames look.
 *
 * Frames come from the network: a reader gives no calls for a frame it does not understand and never throws.
 */
class ToolTransport {
  /** What was wrong with the frame that was read last, for the host's log; `null` if nothing was. */
  get problem() {
    return null
  }

  /**
   * The calls that `event` makes ready to run, in the provider's order.
   *
   * @param {unknown} _event one message of the provider; what kinds of it, each transport says
   * @returns {ToolCall[]}
   */
  receiveToolCalls(_event) {
    throw new Error(`\`${this.constructor.name}\` must say how it reads tool calls: implement receiveToolCalls(event)`)
  }

  /**
   * The ids of calls that the provider no longer wants answered. Without such a frame in a protocol: none, ever.
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
   * Sends the answers of one provider message together, where the protocol can; one after another where it cannot.
   *
   * @param {Answer[]} answers
   */
  sendToolResults(answers) {
    return answers.map(answer => this.sendToolResult(answer))
  }
}

module.exports = { ToolTransport }
