'use strict'
// The Responses events inside of `response.event`: calls of the backend that works on a delegation. Each delegation has its response in
// progress. The outer event may lack the delegation's id; where it could be of two responses, neither gives a call.
//
// Source: `resources/live` of the `openai` package 7.57, and OpenAI's guide to delegation in GPT-Live.
const { CallIds } = require('../shared/call-ids.js')
const { comparable, haveEqualArgs } = require('../shared/equal-arguments.js')
const { idOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { notRun } = require('../shared/problems.js')
const { receivedCall } = require('../../values/received-args.js')
const { ResponsesReader } = require('../responses/responses-reader.js')

/** The most responses in progress, the items of each that are remembered, and the most responses that wait for answers. */
const [MAX_OPEN, MAX_ITEMS, MAX_WAITING] = [16, 512, 256]
/** Events that a call is read from; no state is needed for any other. */
const READ =
  /^response\.(created|output_item\.|function_call_arguments\.|completed$|incomplete$|failed$|cancelled$)|^error$/
const ENDS = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled', 'error']
/** The place of events without a delegation's id. */
const UNNAMED = ''

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('../message-transport.js').ReadResult} ReadResult
 * @typedef {import('../responses/responses-reader.js').CompleteResponse} CompleteResponse
 * @typedef {object} OpenResponse
 * @property {ResponsesReader} reader
 * @property {Set<string>} labels ids of the response and of its items
 */

class LiveResponses {
  /** @type {Map<string, OpenResponse>} by delegation */
  #open = new Map()
  /** An id is one call for the whole session: the service gives no id twice, and may send an event twice. */
  #ids = new CallIds()
  /** The calls that have no answer, of each response. @type {Set<Set<string>>} */
  #waiting = new Set()

  /** @param {Message} event `response.event` @param {ReadResult} result */
  read({ event: nested, delegation_id: delegation }, result) {
    const event = recordOf(nested)
    const type = textOf(event.type)
    if (type === null) result.problems.push('`response.event` has no event with a `type`')
    if (type === null || !READ.test(type)) return
    const labels = labelsOf(event)
    const key = this.#keyOf(idOf(delegation), type, labels)
    if (key === null) return this.lose(result, 'an event names no delegation, and more than one is in progress')
    const open = this.#openOf(key, result)
    for (const label of labels) if (open.labels.size < MAX_ITEMS) open.labels.add(label)
    if (ENDS.includes(type)) this.#open.delete(key)
    const response = open.reader.read(event, result.problems)
    if (response !== null) this.#give(response, result)
  }

  /** An event was lost: what came of the responses in progress is dropped. @param {ReadResult} result @param {string} [why] */
  lose({ problems }, why) {
    if (why !== undefined) problems.push(why)
    for (const { reader } of this.#open.values()) reader.lose(problems)
  }

  /** The session is over. @param {ReadResult} result */
  end({ problems }) {
    for (const { reader } of this.#open.values()) reader.end(problems)
    this.#open.clear()
  }

  /** The id for the answer to a call; `null` if it is answered. @param {string} id */
  wireId(id) {
    return this.#ids.wireId(id)
  }

  /**
   * Notes that the answer to a call was sent.
   * @param {string} id
   * @returns {boolean} whether it was the last one of its response: the backend must be asked to continue
   */
  answered(id) {
    if (this.#ids.answered(id) === undefined) return true
    for (const calls of this.#waiting) {
      if (!calls.delete(id)) continue
      if (calls.size === 0) this.#waiting.delete(calls)
      return calls.size === 0
    }
    return false
  }

  /**
   * @param {string | null} delegation
   * @param {string} type
   * @param {string[]} labels
   * @returns {string | null} `null`: the event may be of two responses
   */
  #keyOf(delegation, type, labels) {
    if (type === 'response.created') return delegation ?? UNNAMED
    if (delegation !== null && this.#open.has(delegation)) return delegation
    const labelled = [...this.#open].filter(([, open]) => labels.some(label => open.labels.has(label)))
    if (labelled.length === 1 && (delegation === null || labelled[0][0] === UNNAMED)) return labelled[0][0]
    if (delegation !== null || this.#open.has(UNNAMED)) return delegation ?? UNNAMED
    return this.#open.size > 1 ? null : (this.#open.keys().next().value ?? UNNAMED)
  }

  /** @param {string} key @param {ReadResult} result */
  #openOf(key, { problems }) {
    const known = this.#open.get(key)
    if (known !== undefined) return known
    const made = { reader: new ResponsesReader(), labels: new Set() }
    this.#open.set(key, made)
    if (this.#open.size > MAX_OPEN) {
      const [[oldest, { reader }]] = this.#open
      problems.push(`more than ${MAX_OPEN} responses are in progress: the oldest is dropped`)
      reader.end(problems)
      this.#open.delete(oldest)
    }
    return made
  }

  /** @param {CompleteResponse} response @param {ReadResult} result */
  #give(response, { calls, problems }) {
    /** @type {Set<string>} */
    const given = new Set()
    for (const { id, name, args } of response.calls) {
      const known = this.#ids.ofProvider(id)
      if (known === undefined) {
        const call = this.#ids.takeOne(null, { id, name, args }).known
        given.add(call.id)
        calls.push(receivedCall(call.id, name, args))
      } else if (known.name !== name || !haveEqualArgs(known, { args: comparable(args), compact: null })) {
        problems.push(notRun([{ name }], 'another call has its id'))
      }
    }
    if (given.size > 0) this.#waiting.add(given)
    if (this.#waiting.size > MAX_WAITING) this.#waiting.delete([...this.#waiting][0])
  }
}

/** The ids that assign an event without a delegation's id to its response. @param {Message} event */
function labelsOf({ item_id: itemId, item, response }) {
  return [itemId, recordOf(item).id, recordOf(response).id].map(idOf).filter(id => id !== null)
}

module.exports = { LiveResponses }
