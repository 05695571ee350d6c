'use strict'
// The base of our transports: each message of a provider is read once, whichever method gets it first. What all readers hold:
//
// 1. State belongs to one message (the id of a chunk, a response, a turn). It ends with the message, with an error, when another
//    message begins, and when a whole message comes. Calls that are dropped with it are named in `problem`.
// 2. A call is given only once its message says that it is complete (`completion-reasons.js`). Arguments that have begun can't
//    pass for whole if they are not: they are no JSON, and wait for the rest. A call without any is given only if the message says
//    that it has none.
// 3. Where a message can be read in two ways, none of its calls is given: a wrong call is worse than none.
// 4. A call is given once, or comes again under the same id (`call-ids.js`).
// 5. Texts are joined as JavaScript strings: two halves of a surrogate pair become one character.
// 6. An event that can't be read is a lost one: the message that it may belong to is dropped. Its calls might lack a piece and be JSON.
// 7. Calls, texts and what is remembered are bounded.
const { channel } = require('node:diagnostics_channel')
const { STREAM_END, eventObject } = require('./shared/event-object.js')
const { namesOf, shortened } = require('./shared/problems.js')
const { ToolTransport } = require('./transport.js')

/** The most cancellations, and the most delegations, that are kept for a host that never reads them. */
const MAX_KEPT = 1000

/**
 * @typedef {import('./message-transport.js').ReadResult} ReadResult
 * @typedef {import('./shared/event-object.js').Message} Message
 */

/** @typedef {'calls' | 'cancelled' | 'delegations'} ResultPart of what an event gives */

/** Says which answers were not sent, and why. */
const answerChannel = channel('toolgate:answer')

/** The most problems of an event that are reported. */
const MAX_PROBLEMS = 20

class MessageTransport extends ToolTransport {
  /** @type {unknown} */
  #event
  /** @type {string | null} */
  #problem = null
  /**
   * What was read but not returned yet: nothing is lost if the host passes a later event first.
   * @type {Pick<ReadResult, ResultPart>}
   */
  #waiting = { calls: [], cancelled: [], delegations: [] }
  /** Which parts of the event were returned. A request for the same part again means a repeated event, which is read again. */
  #taken = { calls: true, cancelled: true, delegations: true }

  get problem() {
    return this.#problem
  }

  /** @param {unknown} event */
  receiveToolCalls(event) {
    return this.receive(event, 'calls')
  }

  /** The event that a stream's text ends with. */
  end() {
    return this.receiveToolCalls(STREAM_END)
  }

  /** @param {unknown} event */
  receiveCancellations(event) {
    return this.receive(event, 'cancelled')
  }

  /**
   * One part of what an event gives; the event is read with the first part that is asked for.
   * @template {ResultPart} Name
   * @param {unknown} event
   * @param {Name} part
   * @returns {ReadResult[Name]}
   */
  receive(event, part) {
    if (event !== this.#event || this.#taken[part]) this.#read(event)
    this.#taken[part] = true
    const given = this.#waiting[part]
    this.#waiting[part] = []
    return /** @type {ReadResult[Name]} */ (given)
  }

  /**
   * Reads a message into `result`. What it throws becomes a problem.
   *
   * @param {Message} _message untrusted
   * @param {ReadResult} _result
   */
  readMessage(_message, _result) {}

  /**
   * An answer is not sent: says why, in `problem` and on the diagnostics channel `toolgate:answer`.
   * @param {{ id: string | null, name: string }} answer
   * @param {string} why
   */
  refuse({ id, name }, why) {
    this.#problem = `the answer to ${namesOf([{ name }])} is not sent: ${why}`
    if (answerChannel.hasSubscribers)
      answerChannel.publish({ transport: this.constructor.name, callId: id, toolId: name, problem: this.#problem })
  }

  /** Reads the end of a stream. @param {ReadResult} _result */
  readEnd(_result) {}

  /**
   * An event was lost: what streams in pieces lacks one, and can't be completed.
   * @param {ReadResult} _result
   */
  readLoss(_result) {}

  /** @param {Exclude<import('./shared/event-object.js').EventObject, string>} object @param {ReadResult} result */
  #readObject({ message, problem }, result) {
    if (message !== undefined) return this.readMessage(message, result)
    result.problems.push(problem)
    this.readLoss(result)
  }

  /** @param {unknown} event */
  #read(event) {
    const { calls, cancelled, delegations } = this.#waiting
    /** @type {ReadResult} */
    const result = { calls, cancelled, delegations, problems: [] }
    const object = eventObject(event)
    try {
      if (object === 'end') this.readEnd(result)
      else if (object !== 'comment') this.#readObject(object, result)
    } catch (error) {
      // A getter of the event, or the host's client as an answer is sent.
      result.problems.push(
        `the event can't be handled: ${shortened(String(/** @type {Partial<Error> | null} */ (error)?.message ?? error), 300)}`,
      )
      this.readLoss(result)
    }
    this.#problem = problemOf(result.problems)
    keepLatest(cancelled)
    keepLatest(delegations)
    this.#taken = { calls: false, cancelled: false, delegations: false }
    this.#event = event
  }
}

/** @param {unknown[]} kept */
function keepLatest(kept) {
  if (kept.length > MAX_KEPT) kept.splice(0, kept.length - MAX_KEPT)
}

/** @param {string[]} problems */
function problemOf(problems) {
  if (problems.length === 0) return null
  const told = problems.slice(0, MAX_PROBLEMS).join('; ')
  return problems.length > MAX_PROBLEMS ? `${told}; and ${problems.length - MAX_PROBLEMS} more` : told
}

module.exports = { MessageTransport }
