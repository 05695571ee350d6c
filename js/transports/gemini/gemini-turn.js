'use strict'
// The function calls of one model turn of Gemini Live. A call is announced in `toolCall`, in the model's content, or in both, with
// or without an id: this class knows which of them are one call.
const { createHash } = require('node:crypto')
const { isEmptyTwin } = require('../shared/empty-twins.js')
const { idOf, nameOf, recordOf } = require('../shared/frame-reading.js')
const { MAX_CALLS } = require('../shared/message-limits.js')

/** The most calls of a turn that are compared with later ones. */
const MAX_COMPARED = 256

/**
 * @typedef {import('../shared/call-ids.js').KnownCall} KnownCall
 * @typedef {object} TurnCall
 * @property {string | null} id the provider's
 * @property {string} name
 * @property {unknown} args
 * @property {boolean} wasAnnounced in `toolCall`
 * @property {KnownCall | null} known once it was given
 * @property {string | null} [digest] of its arguments, once they were compared
 */

class GeminiTurn {
  /** @type {TurnCall[]} */
  #calls = []

  /** The calls from content without an id, which wait for their `toolCall`. */
  get held() {
    return this.#calls.filter(({ known }) => known === null)
  }

  /**
   * A call in the model's content.
   * @param {TurnCall} call
   * @returns {'given' | 'held' | 'repeated' | 'full'} `given`: it can run at once
   */
  inContent(call) {
    const twin = this.#calls.find(other => isTwin(call, other))
    if (twin?.known === null && call.id !== null) this.#calls.splice(this.#calls.indexOf(twin), 1)
    else if (twin !== undefined) return 'repeated'
    if (call.id === null && this.held.length === MAX_CALLS) return 'full'
    this.#add(call)
    return call.id === null ? 'held' : 'given'
  }

  /**
   * A call in `toolCall`. The same id in a second `toolCall` is no repetition: the service wants its answer again.
   * @param {TurnCall} call
   * @returns {TurnCall | null} the call of the content that it repeats
   */
  announced(call) {
    const twin = this.#calls.find(other => !other.wasAnnounced && isTwin(call, other))
    // One that waits was not given yet: the announced call takes its place.
    if (twin?.known === null) this.#calls.splice(this.#calls.indexOf(twin), 1)
    else if (twin !== undefined) {
      twin.wasAnnounced = true
      return twin
    }
    this.#add(call)
    return null
  }

  /** Whether a call has no arguments, and one of its id and name has some. @param {TurnCall} call @param {readonly TurnCall[]} [others] of its message */
  isEmptyTwin(call, others = []) {
    return isEmptyTwin(call, others) || isEmptyTwin(call, this.#calls)
  }

  /** @param {TurnCall} call */
  #add(call) {
    this.#calls.push(call)
    if (this.#calls.length > MAX_COMPARED) {
      const given = this.#calls.findIndex(({ known }) => known !== null)
      if (given !== -1) this.#calls.splice(given, 1)
    }
  }
}

/** Whether two calls are one: by name and arguments, and by their ids where both have one. @param {TurnCall} one @param {TurnCall} other */
const isTwin = (one, other) => (one.id === null || other.id === null || one.id === other.id) && isSame(one, other)

/** Whether two calls have equal names and arguments. @param {TurnCall} one @param {TurnCall} other */
function isSame(one, other) {
  return one.name === other.name && digestOf(one) !== null && digestOf(one) === digestOf(other)
}

/** Written once: a turn compares each call with all others. @param {TurnCall} call */
function digestOf(call) {
  if (call.digest !== undefined) return call.digest
  try {
    call.digest = createHash('sha256').update(canonical(call.args)).digest('base64')
  } catch {
    // Arguments that are nested too deeply to be compared, or no JSON: equal to none.
    call.digest = null
  }
  return call.digest
}

/** The JSON text of a value, with the members of each object in one order. @param {unknown} args */
const canonical = args =>
  JSON.stringify(args, (_, value) =>
    Array.isArray(value) || typeof value !== 'object' || value === null ? value : sorted(value),
  )

/** @param {object} value */
const sorted = value => Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

/**
 * Reads a function call. Missing arguments mean none.
 * @param {unknown} value
 * @param {boolean} wasAnnounced
 * @returns {TurnCall | string} the reason if it can't be run
 */
function readFunctionCall(value, wasAnnounced) {
  const { id, name, args, partialArgs, willContinue } = recordOf(value)
  const calledName = nameOf(name)
  if (calledName === null) return 'it has no name'
  if (willContinue === true || partialArgs !== undefined) return 'its arguments are streamed'
  return { id: idOf(id), name: calledName, args: args ?? {}, wasAnnounced, known: null }
}

module.exports = { GeminiTurn, isSame, readFunctionCall }
