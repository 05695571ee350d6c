'use strict'
// The OpenAI Realtime API: server events to calls and cancellations, and when all calls of a response are answered.
//
// A call is given once its item is completed: by `response.output_item.done`, or by `response.done` where that event is missing.
// `response.function_call_arguments.done` also comes for a cancelled response, and gives none.
//
// Source: the Realtime API's reference of server events and its guide to function calling.
const { CallIds } = require('./call-ids.js')
const { COMPLETION, isComplete } = require('./completion-reasons.js')
const { argumentsText, listOf, recordOf, textOf } = require('./frame-reading.js')
const { MAX_ARGUMENTS_LENGTH } = require('./chat-calls.js')
const { notRun, providerError, shortened } = require('./problems.js')

/** The most responses, and the most texts of arguments, that are remembered. */
const [MAX_RESPONSES, MAX_TEXTS] = [256, 128]

/**
 * @typedef {import('./event-object.js').Message} Message
 * @typedef {import('./message-transport.js').ReadResult} ReadResult
 * @typedef {import('./call-ids.js').KnownCall} KnownCall
 * @typedef {object} RealtimeResponse
 * @property {string | null} id
 * @property {Set<unknown>} items its calls, by item
 * @property {Map<string, 'running' | 'cancelled'>} calls that have no answer, by id
 * @property {boolean} hasCalls
 * @property {boolean} isOver
 * @property {boolean} isInterrupted the model must not be asked to continue after it
 */

class RealtimeReader {
  #ids = new CallIds()
  /** @type {Map<string | null, RealtimeResponse>} */
  #responses = new Map()
  /** Arguments of the events before an item is done, by the item's id. @type {Map<unknown, string>} */
  #texts = new Map()

  /**
   * @param {Message} event
   * @param {ReadResult} result
   * @returns {boolean} whether a response is over whose calls are all answered: the model must be asked to continue
   */
  read(event, result) {
    switch (event.type) {
      case 'response.created':
        this.#response(textOf(recordOf(event.response).id))
        break
      case 'response.function_call_arguments.delta':
      case 'response.function_call_arguments.done':
        this.#addArguments(event)
        break
      case 'response.output_item.done':
        this.#readItem(this.#responseOf(event), recordOf(event.item), undefined, result)
        break
      case 'response.done':
        return this.#endResponse(event.response, result)
      case 'input_audio_buffer.speech_started':
        for (const response of this.#responses.values()) this.#cancel(response, result)
        break
      case 'error':
        result.problems.push(providerError('the service reports an error', event.error))
        break
      case undefined:
        result.problems.push('the event has no `type`')
    }
    return false
  }

  /** The id for the answer to a call; `null` if the transport did not give it, or it is answered. @param {string} id */
  wireId(id) {
    const known = this.#ids.get(id)
    return known === undefined || known.isAnswered ? null : known.wireId
  }

  /**
   * Notes that the answer to a call was sent.
   * @param {string} id
   * @returns {boolean} whether the model must be asked to continue
   */
  answered(id) {
    const known = this.#ids.get(id)
    this.#ids.answered(id)
    const response = known === undefined ? undefined : this.#responses.get(known.messageId)
    return response?.calls.delete(id) === true && isDue(response)
  }

  /** @param {string | null} id */
  #response(id) {
    const known = this.#responses.get(id)
    if (known !== undefined) return known
    // A response without an id has no end that could be told from another one's.
    const made = { id, items: new Set(), calls: new Map(), hasCalls: false, isOver: id === null, isInterrupted: false }
    this.#responses.set(id, made)
    limit(this.#responses, MAX_RESPONSES)
    return made
  }

  /** The response of an event; where the event names none, the one in progress. @param {Message} event */
  #responseOf({ response_id: id }) {
    const current = [...this.#responses.values()].findLast(({ isOver }) => !isOver)
    return this.#response(textOf(id) ?? current?.id ?? null)
  }

  /** @param {Message} event */
  #addArguments({ item_id: item, delta, arguments: whole }) {
    const text = delta === undefined ? argumentsText(whole) : (this.#texts.get(item) ?? '') + argumentsText(delta)
    if (text.length > MAX_ARGUMENTS_LENGTH) return
    this.#texts.set(item, text)
    limit(this.#texts, MAX_TEXTS)
  }

  /** @param {RealtimeResponse} response @param {Message} item @param {string | undefined} status of the response @param {ReadResult} result */
  #readItem(response, item, status, { calls, problems }) {
    if (item.type === undefined) problems.push('`response.output_item.done` has no item')
    if (item.type !== 'function_call') return
    const [id, name, ending] = [textOf(item.call_id), textOf(item.name), item.status ?? status]
    const key = JSON.stringify([textOf(item.id), id])
    if (response.items.has(key)) return
    if (!isComplete(COMPLETION.realtime, ending)) {
      problems.push(
        notRun(
          [{ name }],
          typeof ending === 'string' ? `it ended with \`${shortened(ending, 40)}\`` : 'it has no status',
        ),
      )
      return
    }
    if (id === null || name === null) {
      problems.push(notRun([{ name }], "it can't be answered without `call_id` and `name`"))
      return
    }
    if (response.isOver && status === undefined && response.isInterrupted) {
      problems.push(notRun([{ name }], 'its response was cancelled'))
      return
    }
    const args = argumentsText(item.arguments) || (this.#texts.get(item.id) ?? '')
    this.#texts.delete(item.id)
    const [{ known, isAgain }] = this.#ids.take(response.id, [{ id, name, args }])
    response.items.add(key)
    if (isAgain) return
    response.hasCalls = true
    response.calls.set(known.id, 'running')
    calls.push({ id: known.id, name, args })
  }

  /** @param {unknown} value @param {ReadResult} result */
  #endResponse(value, result) {
    const { id, status, output, status_details: details } = recordOf(value)
    if (typeof value !== 'object' || value === null) result.problems.push('`response.done` has no response')
    const response = this.#response(textOf(id))
    if (status === 'completed')
      for (const item of listOf(output)) this.#readItem(response, recordOf(item), status, result)
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
