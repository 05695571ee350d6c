'use strict'
// The OpenAI Responses API: responses, and the events of a stream, to messages with calls. The calls of a response are given
// together once it is completed. Output items that are passed alone are messages by themselves.
const { OPENAI_NAME_LENGTH, acceptedArguments, acceptedName } = require('../shared/accepted-call.js')
const { COMPLETION, isComplete } = require('../shared/completion-reasons.js')
const { withoutEmptyTwins } = require('../shared/empty-twins.js')
const { EventNumbers } = require('./event-numbers.js')
const { MAX_CALLS } = require('../shared/message-limits.js')
const { idOf, listOf, nameOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { LOST_EVENT, notRun, providerError, shortened } = require('../shared/problems.js')
const { OutputItems, argumentsOf } = require('./responses-items.js')
const { repeatedMembers, withoutAdded } = require('../shared/sdk-members.js')

/** Items that their caller would have to answer, as it does a function call. */
const UNREAD_CALLS = ['custom_tool_call', 'computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call']

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('./responses-items.js').OutputItem} OutputItem
 * @typedef {{ item: OutputItem, id: string, name: string, args: string }} ItemCall
 * @typedef {{ id: string | null, calls: ItemCall[], items: OutputItem[] }} CompleteResponse
 */

class ResponsesReader {
  /** @type {string | null} */
  #id = null
  #output = new OutputItems()
  #numbers = new EventNumbers()

  /** Whether a message belongs to this API. @param {Message} frame */
  static recognizes({ type, object, output }) {
    const kind = textOf(type) ?? ''
    const isItem = kind === 'function_call' || UNREAD_CALLS.includes(kind)
    return isItem || kind.startsWith('response.') || kind === 'error' || object === 'response' || Array.isArray(output)
  }

  /**
   * @param {Message} frame an event of a stream, a response, or an output item
   * @param {string[]} problems
   * @returns {CompleteResponse | null} a complete response with calls
   */
  read(frame, problems) {
    const type = textOf(frame.type)
    if (type === null || frame.object === 'response') {
      this.#abandon('another response came before this one ended', problems)
      return this.#finish(frame, textOf(frame.status), problems)
    }
    if (type.startsWith('response.')) return this.#readEvent(type.slice('response.'.length), frame, problems)
    if (type === 'error') {
      problems.push(providerError('the service reports an error', frame.error ?? frame))
      this.#abandon('the service failed', problems)
      return null
    }
    return readItem(frame, problems)
  }

  /** The stream is over. @param {string[]} problems */
  end(problems) {
    this.#abandon('the stream ended before the response', problems)
  }

  /** An event was lost. @param {string[]} problems */
  lose(problems) {
    this.#abandon(LOST_EVENT, problems)
  }

  /** @param {string} event @param {Message} frame @param {string[]} problems */
  #readEvent(event, frame, problems) {
    if (event === 'created') return this.#begin(frame, problems)
    const place = this.#numbers.placeOf(frame.sequence_number)
    // Events that come again say the same; only a delta would say more.
    if (place === 'again' && frame.delta !== undefined) return null
    if (place === 'after a gap') this.#output.skip()
    switch (event) {
      case 'output_item.added':
        this.#output.begin(frame)
        break
      case 'function_call_arguments.delta':
      case 'function_call_arguments.done':
        this.#output.addArguments(frame)
        break
      case 'output_item.done':
        this.#output.end(frame)
        break
      case 'completed':
      case 'incomplete':
      case 'failed':
      case 'cancelled':
        return this.#finish(recordOf(frame.response), textOf(recordOf(frame.response).status) ?? event, problems)
    }
    return null
  }

  /** A stream that is resumed may begin again, with the numbers that came before. @param {Message} event @param {string[]} problems */
  #begin({ response, sequence_number: number }, problems) {
    const id = idOf(recordOf(response).id)
    if (id !== null && id === this.#id && this.#numbers.hasPassed(number)) return null
    this.#abandon('another response began before this one ended', problems)
    this.#id = id
    this.#numbers.placeOf(number)
    return null
  }

  /** @param {Message} response @param {string | null} status @param {string[]} problems @returns {CompleteResponse | null} */
  #finish(response, status, problems) {
    const output = this.#output
    const { items, unlisted } = output.finished(listOf(response.output))
    const isOther = this.#id !== null && idOf(response.id) !== null && this.#id !== response.id
    const conflict =
      isOther && output.items.length > 0 ? 'another response ended than the one that began' : output.conflict
    const id = idOf(response.id) ?? this.#id
    this.#reset()
    const error = response.error ?? null
    if (error !== null || status === 'failed') problems.push(providerError('the response failed', error))
    const ended = whyNotComplete(response, status)
    const why = conflict ?? (error === null ? ended : 'the response failed')
    if (why === null) {
      const left = unlisted.map(callOf).filter(call => call !== null)
      if (left.length > 0) problems.push(notRun(left, 'the output of the response does not have it'))
      return complete(id, items, status, problems)
    }
    const calls = [...items, ...unlisted].map(callOf).filter(call => call !== null)
    const isPending = status !== null && COMPLETION.responses.pending.includes(status) && conflict === null
    if ((calls.length > 0 || conflict !== null) && !isPending) problems.push(notRun(calls, why))
    return null
  }

  /** @param {string} why @param {string[]} problems */
  #abandon(why, problems) {
    const calls = this.#output.items.map(callOf).filter(call => call !== null)
    this.#reset()
    if (calls.length > 0) problems.push(notRun(calls, why))
  }

  #reset() {
    this.#id = null
    this.#output = new OutputItems()
    this.#numbers = new EventNumbers()
  }
}

/** @param {Message} response @param {string | null} status */
function whyNotComplete(response, status) {
  if (status === null || isComplete(COMPLETION.responses, status)) return null
  const reason = textOf(recordOf(response.incomplete_details).reason)
  return `the response ended with \`${shortened(reason ?? status, 40)}\``
}

/** An output item that is passed alone. @param {Message} members @param {string[]} problems */
function readItem(members, problems) {
  const item = { key: null, members, pieces: '', whole: null, isDone: true, isCut: false }
  return complete(null, [item], textOf(members.status), problems)
}

/**
 * @param {string | null} id
 * @param {OutputItem[]} items
 * @param {string | null} status of the response; without one, a call without arguments may be cut
 * @param {string[]} problems
 * @returns {CompleteResponse | null}
 */
function complete(id, items, status, problems) {
  /** @type {ItemCall[]} */
  const calls = []
  for (const item of items) {
    const { type, call_id: callId } = item.members
    if (UNREAD_CALLS.includes(/** @type {string} */ (type))) {
      problems.push(
        notRun([{ name: textOf(item.members.name) ?? String(type) }], `items of type \`${type}\` are not read`),
      )
    }
    const call = callOf(item)
    if (call === null) continue
    const why =
      calls.length === MAX_CALLS ? `a response has at most ${MAX_CALLS} calls` : whyNotGiven(item, call, status)
    if (why !== null) problems.push(notRun([call], why))
    else calls.push({ ...call, id: /** @type {string} */ (callId), name: /** @type {string} */ (call.name) })
  }
  const given = withoutEmptyTwins(calls, problems)
  return given.length === 0 ? null : { id, calls: given, items }
}

/** @param {OutputItem} item @param {{ name: string | null, args: string }} call @param {string | null} status */
function whyNotGiven({ members, whole, isDone, isCut }, { name, args }, status) {
  if (name === null || idOf(members.call_id) === null) return "it can't be answered without `call_id` and `name`"
  const itemStatus = textOf(members.status)
  if (isDone && itemStatus !== null && !isComplete(COMPLETION.responses, itemStatus))
    return `it ended with \`${shortened(itemStatus, 40)}\``
  if (isCut && whole === null && args.trim() === '') return 'a part of its arguments is missing'
  const saysWhole = isDone && (status !== null || itemStatus !== null)
  return args.trim() === '' && !saysWhole ? 'it has no arguments, and did not end' : null
}

/** @param {OutputItem} item @returns {{ item: OutputItem, name: string | null, args: string } | null} */
function callOf(item) {
  return item.members.type === 'function_call'
    ? { item, name: nameOf(item.members.name), args: argumentsOf(item) }
    : null
}

/**
 * The output that the next request repeats where the API keeps no conversation: without calls that have no answer, and with
 * arguments that the API takes.
 * @param {CompleteResponse} response
 * @param {string[]} ids of the calls, for the provider
 */
function repeatedItems({ items, calls }, ids) {
  return items.flatMap(item => {
    const { members } = item
    if (UNREAD_CALLS.includes(/** @type {string} */ (members.type))) return []
    if (members.type !== 'function_call') return [repeatedMembers(members)]
    const at = calls.findIndex(call => call.item === item)
    if (at === -1) return []
    const { name, args } = calls[at]
    const accepted = { name: acceptedName(name, OPENAI_NAME_LENGTH), arguments: acceptedArguments(args) }
    return [{ ...withoutAdded(members), call_id: ids[at], ...accepted }]
  })
}

module.exports = { ResponsesReader, repeatedItems }
