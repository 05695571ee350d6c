'use strict'
// The OpenAI Realtime API: server events to calls and cancellations, and when all calls of a response are answered.
//
// A call is given once its item is completed: by `response.output_item.done`, or by `response.done` where that event is missing.
// `response.function_call_arguments.done` also comes for a cancelled response, and gives none.
//
// Source: the Realtime API's reference of server events and its guide to function calling.
const { CallIds } = require('../shared/call-ids.js')
const { COMPLETION, isComplete } = require('../shared/completion-reasons.js')
const { EMPTY_TWIN, isEmpty, isEmptyTwin } = require('../shared/empty-twins.js')
const { argumentsText, idOf, listOf, nameOf, recordOf } = require('../shared/frame-reading.js')
const { notRun, providerError, shortened } = require('../shared/problems.js')
const { receivedCall } = require('../../values/received-args.js')
const { RealtimeArguments } = require('./realtime-arguments.js')

/** A response that was cancelled has ended meanwhile: what was wanted. */
const NOTHING_TO_CANCEL = 'response_cancel_not_active'

/** The most responses, and the most calls of a response, that are remembered. */
const [MAX_RESPONSES, MAX_ITEMS] = [256, 512]

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('../message-transport.js').ReadResult} ReadResult
 * @typedef {import('../shared/call-ids.js').KnownCall} KnownCall
 * @typedef {object} RealtimeResponse
 * @property {string | null} id
 * @property {Map<string, import('../shared/empty-twins.js').NamedCall>} items its calls that were read, by item; of their arguments only whether there are any
 * @property {Map<string, string | null>} begun the names of its calls whose items have begun, by item
 * @property {Map<string, 'running' | 'cancelled'>} calls that have no answer, by id
 * @property {boolean} hasCalls
 * @property {boolean} isOver
 * @property {boolean} isInterrupted the model must not be asked to continue after it
 */

class RealtimeReader {
  #ids = new CallIds()
  /** @type {Map<string | null, RealtimeResponse>} */
  #responses = new Map()
  #arguments = new RealtimeArguments()

  /**
   * @param {Message} event
   * @param {ReadResult} result
   * @returns {boolean} whether a response is over whose calls are all answered: the model must be asked to continue
   */
  read(event, result) {
    switch (event.type) {
      case 'response.created':
        this.#response(idOf(recordOf(event.response).id))
        break
      case 'response.output_item.added':
        begin(this.#responseOf(event), event)
        break
      case 'response.function_call_arguments.delta':
      case 'response.function_call_arguments.done':
        this.#arguments.add(this.#responseOf(event), event)
        break
      case 'response.output_item.done':
        this.#readItem(this.#responseOf(event), event, undefined, result)
        break
      case 'response.done':
        return this.#endResponse(event.response, result)
      case 'input_audio_buffer.speech_started':
        for (const response of this.#responses.values()) this.#cancel(response, result)
        break
      case 'error':
        if (recordOf(event.error).code !== NOTHING_TO_CANCEL)
          result.problems.push(providerError('the service reports an error', event.error))
        break
      case undefined:
        result.problems.push('the event has no `type`')
    }
    return false
  }

  /** The id for the answer to a call; `null` if it is answered. @param {string} id */
  wireId(id) {
    return this.#ids.wireId(id)
  }

  /**
   * Notes that the answer to a call was sent.
   * @param {string} id
   * @returns {boolean} whether the model must be asked to continue
   */
  answered(id) {
    const known = this.#ids.answered(id)
    if (known === undefined) return true
    const response = this.#responses.get(known.messageId)
    return response?.calls.delete(id) === true && isDue(response)
  }

  /** @param {string | null} id */
  #response(id) {
    const known = this.#responses.get(id)
    if (known !== undefined) return known
    // A response without an id has no end of its own.
    const made = {
      id,
      items: new Map(),
      begun: new Map(),
      calls: new Map(),
      hasCalls: false,
      isOver: id === null,
      isInterrupted: false,
    }
    this.#responses.set(id, made)
    const [oldest] = this.#responses.values()
    if (this.#responses.size > MAX_RESPONSES) {
      this.#responses.delete(oldest.id)
      this.#arguments.drop(oldest)
    }
    return made
  }

  /** The response of an event; where the event names none, the one in progress. @param {Message} event */
  #responseOf({ response_id: id }) {
    const current = [...this.#responses.values()].findLast(({ isOver }) => !isOver)
    return this.#response(idOf(id) ?? current?.id ?? null)
  }

  /**
   * @param {RealtimeResponse} response @param {Message} event with the item @param {string | undefined} status of the response
   * @param {ReadResult} result @param {import('../shared/empty-twins.js').NamedCall[]} [listed] the calls that the response lists
   */
  #readItem(response, event, status, { calls, problems }, listed = []) {
    const item = recordOf(event.item)
    if (item.type === undefined) problems.push('`response.output_item.done` has no item')
    if (item.type !== 'function_call') return
    const [id, name, key] = [idOf(item.call_id), nameOf(item.name), keyOf(item, event)]
    if (response.items.has(key)) return
    response.begun.delete(key)
    const args = this.#argumentsOf(response, event, item)
    const isTwin = isEmptyTwin({ id, name, args }, [...response.items.values(), ...listed])
    const why = isTwin ? EMPTY_TWIN : whyNotGiven(response, item, args, status)
    if (why !== null || id === null || name === null || args === null) {
      problems.push(notRun([{ name }], why ?? "it can't be answered without `call_id` and `name`"))
      return
    }
    const { known, isAgain } = this.#ids.takeOne(response.id, { id, name, args })
    response.items.set(key, { id, name, args: isEmpty(args) ? '' : 'some' })
    // What belongs to no response has no end: the oldest is forgotten.
    if (response.id === null) limit(response.items, MAX_ITEMS)
    if (isAgain) return
    response.hasCalls = true
    response.calls.set(known.id, 'running')
    limit(response.calls, MAX_ITEMS)
    calls.push(receivedCall(known.id, name, args))
  }

  /** @param {RealtimeResponse} response @param {Message} event @param {Message} item @returns {string | null} `null`: not clear */
  #argumentsOf(response, event, item) {
    const own = argumentsText(item.arguments)
    const isLate = response.isOver && response.id !== null && event.type !== undefined
    // What came before the end of the response was dropped with it, and an event that alone names no response may be late.
    const isUnnamed = response.id === null && this.#responses.size > 1
    if (own === '') return isLate || isUnnamed ? null : this.#arguments.take(response, event, item)
    this.#arguments.forget(response, event, item)
    return own
  }

  /** @param {unknown} value @param {ReadResult} result */
  #endResponse(value, result) {
    const { id, status, output, status_details: details } = recordOf(value)
    if (typeof value !== 'object' || value === null) result.problems.push('`response.done` has no response')
    const response = this.#response(idOf(id))
    const items = listOf(output).slice(0, MAX_ITEMS).map(recordOf)
    const listed = items.map(item => ({ id: idOf(item.call_id), name: nameOf(item.name), args: item.arguments }))
    if (status === 'completed')
      for (const [at, item] of items.entries())
        this.#readItem(response, { item, output_index: at }, status, result, listed)
    else for (const [at, item] of items.entries()) begin(response, { item, output_index: at })
    endBegun(response, status, result)
    this.#arguments.drop(response)
    if (status === 'cancelled') this.#cancel(response, result)
    if (status === 'failed') result.problems.push(providerError('the response failed', recordOf(details).error))
    response.isOver = true
    return isDue(response)
  }

  /** Cancels the running calls of a response; the model is not asked to continue after it. @param {RealtimeResponse} response @param {ReadResult} result */
  #cancel(response, { cancelled }) {
    response.isInterrupted = true
    for (const [id, state] of response.calls) {
      if (state === 'running') cancelled.push(id)
      response.calls.set(id, 'cancelled')
    }
  }
}

/** The same for the same item; one without an id is identified by its call and its place. @param {Message} item @param {Message} event */
function keyOf(item, { output_index: place }) {
  const [id, callId] = [idOf(item.id), idOf(item.call_id)]
  return JSON.stringify(id === null ? [null, callId, typeof place === 'number' ? place : null] : [id, callId])
}

/** Notes a call whose item is not done, to name it if it never is. @param {RealtimeResponse} response @param {Message} event with the item */
function begin({ items, begun }, event) {
  const item = recordOf(event.item)
  const key = keyOf(item, event)
  if (item.type === 'function_call' && !items.has(key) && begun.size < MAX_ITEMS) begun.set(key, nameOf(item.name))
}

/** Names the calls of a response that were not done when it ended. @param {RealtimeResponse} response @param {unknown} status @param {ReadResult} result */
function endBegun({ begun }, status, { problems }) {
  const calls = Array.from(begun.values(), name => ({ name }))
  begun.clear()
  const word = shortened(typeof status === 'string' ? status : 'no status', 40)
  if (calls.length > 0) problems.push(notRun(calls, `the response ended with \`${word}\`, and the item did not end`))
}

/** @param {RealtimeResponse} response @param {Message} item @param {string | null} args @param {string | undefined} status of the response */
function whyNotGiven(response, item, args, status) {
  const ending = item.status ?? status
  if (!isComplete(COMPLETION.realtime, ending))
    return typeof ending === 'string' ? `it ended with \`${shortened(ending, 40)}\`` : 'it has no status'
  if (idOf(item.call_id) === null || nameOf(item.name) === null)
    return "it can't be answered without `call_id` and `name`"
  if (response.isOver && status === undefined && response.isInterrupted) return 'its response was cancelled'
  if (response.id !== null && response.items.size >= MAX_ITEMS) return `its response has more than ${MAX_ITEMS} calls`
  return args === null ? 'it is not clear which arguments are its' : null
}

/** Whether the model must be asked to continue after a response; once. @param {RealtimeResponse} response */
function isDue(response) {
  if (!response.isOver || !response.hasCalls || response.calls.size > 0) return false
  response.hasCalls = false
  return !response.isInterrupted
}

/** Forgets the oldest entry beyond the most. @param {Map<any, unknown>} entries @param {number} most */
function limit(entries, most) {
  if (entries.size > most) entries.delete(entries.keys().next().value)
}

module.exports = { RealtimeReader }
