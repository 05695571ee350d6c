'use strict'
// Gemini Live: server messages to calls and cancellations.
//
// A call in `toolCall` is given at once. The same call may also be in the model's content: with an id it is given at once, and its
// repetition is dropped; without an id it is held until a `toolCall` or the end of generation. What is held when the turn is
// interrupted is dropped: the model does not wait for it.
//
// A session that is resumed while calls run, or before it has their answers, knows nothing of them, or makes them again, under the
// same or another id: such a call is the one that runs, or has run (`resume`).
const { CallIds } = require('../shared/call-ids.js')
const { EMPTY_TWIN } = require('../shared/empty-twins.js')
const { listOf, recordOf, textOf } = require('../shared/frame-reading.js')
const { GeminiTurn, isSame, readFunctionCall } = require('./gemini-turn.js')
const { MAX_CALLS } = require('../shared/message-limits.js')
const { ANSWERED, CANCELLED, notRun } = require('../shared/problems.js')

/** The most cancellations, and the most unanswered calls, that are remembered. */
const [MAX_CANCELLED, MAX_OPEN] = [256, 1000]

/**
 * @typedef {import('../shared/event-object.js').Message} Message
 * @typedef {import('../shared/call-ids.js').KnownCall} KnownCall
 * @typedef {import('./gemini-turn.js').TurnCall} TurnCall
 * @typedef {{ known: KnownCall, args: unknown }} GivenCall
 * @typedef {{ given: GivenCall[], cancelled: string[], problems: string[] }} LiveResult
 */

class GeminiLiveReader {
  #ids = new CallIds({ isUnique: true })
  #turn = new GeminiTurn()
  /** Calls that have no answer yet. @type {Map<KnownCall, TurnCall>} */
  #open = new Map()
  /** Answered calls whose answers the service may not have: nothing of the model came since. @type {Map<KnownCall, TurnCall>} */
  #unheard = new Map()
  /** Calls of earlier connections that the service may make again. @type {Map<KnownCall, TurnCall>} */
  #earlier = new Map()
  /** Calls that ran when the session was resumed, and were not made again: the service does not know them. @type {Set<KnownCall>} */
  #unknown = new Set()
  /** What was dropped with a connection, named with the next message. @type {string[]} */
  #lost = []
  /** Cancelled calls by the provider's id; true if the cancellation came before the call. @type {Map<string, boolean>} */
  #cancelled = new Map()

  /** Whether a call without an id waits for its `toolCall`. If none follows, the model waits for the answer. */
  get holds() {
    return this.#turn.held.length > 0
  }

  /** @param {Message} message @returns {LiveResult} */
  read({ toolCallCancellation, serverContent, toolCall }) {
    /** @type {LiveResult} */
    const result = { given: [], cancelled: [], problems: this.#lost.splice(0) }
    for (const id of listOf(recordOf(toolCallCancellation).ids)) this.#cancel(id, result)
    if (serverContent ?? toolCall) this.#unheard.clear()
    const { modelTurn, interrupted, generationComplete, turnComplete } = recordOf(serverContent)
    for (const part of listOf(recordOf(modelTurn).parts)) {
      const value = recordOf(part).functionCall
      if (value !== undefined && value !== null) this.#inContent(value, result)
    }
    if (toolCall !== undefined && toolCall !== null) this.#announced(recordOf(toolCall).functionCalls, result)
    if (interrupted === true) this.#interrupt(result)
    if (generationComplete === true || turnComplete === true) this.#give(this.#turn.held, result)
    if (turnComplete === true) this.#endTurn()
    return result
  }

  /** Gives the calls that wait, for a host whose wait timed out. A `toolCall` that repeats them later is dropped. */
  release() {
    /** @type {LiveResult} */
    const result = { given: [], cancelled: [], problems: [] }
    this.#give(this.#turn.held, result)
    return result.given
  }

  /** The connection was replaced by one that resumes the session: it awaits no answer to the calls so far. */
  resume() {
    if (this.holds) this.#lost = [notRun(this.#turn.held, 'its connection was lost')]
    this.#turn = new GeminiTurn()
    for (const [known, call] of this.#unheard) this.#earlier.set(known, call)
    for (const [known, call] of this.#open) {
      this.#earlier.set(known, call)
      this.#unknown.add(known)
    }
    this.#open.clear()
    limit(this.#earlier, MAX_OPEN)
  }

  /**
   * Takes the answer to a call, once.
   * @param {string} id
   * @param {boolean} [continues] another answer follows: the call stays open
   * @returns {{ wireId: string | null, isEarlier: boolean } | string} `wireId`: `null` if the provider gave none; `isEarlier`: the
   *   connection did not make the call. A text: why the call is not answered
   */
  takeAnswer(id, continues = false) {
    const known = this.#ids.get(id)
    // The host reads calls itself, and answers here.
    if (known === undefined) return this.#cancelled.has(id) ? CANCELLED : { wireId: id, isEarlier: false }
    if (known.isAnswered) return ANSWERED
    if (continues && this.awaits(id)) return { wireId: known.providerId, isEarlier: false }
    this.#ids.answered(id)
    const call = this.#open.get(known)
    this.#open.delete(known)
    const isEarlier = this.#unknown.delete(known)
    if (this.#cancelled.delete(keyOf(known))) return CANCELLED
    if (call !== undefined) this.#unheard.set(known, call)
    limit(this.#unheard, MAX_OPEN)
    return { wireId: known.providerId, isEarlier }
  }

  /** Whether this connection has made the call, and awaits an answer to it. @param {string} id */
  awaits(id) {
    const known = this.#ids.get(id)
    return known !== undefined && this.#open.has(known) && !this.#cancelled.has(keyOf(known))
  }

  /** @param {unknown} id @param {LiveResult} result */
  #cancel(id, { cancelled }) {
    if (typeof id !== 'string' || id === '') return
    const known = this.#ids.ofProvider(id)
    cancelled.push(known?.id ?? id)
    this.#cancelled.set(id, known === undefined)
    limit(this.#cancelled, MAX_CANCELLED)
  }

  /** @param {unknown} value @param {LiveResult} result */
  #inContent(value, result) {
    const call = readFunctionCall(value, false)
    if (typeof call === 'string') return this.#refuse(value, call, result)
    if (this.#turn.isEmptyTwin(call)) return this.#refuse(value, EMPTY_TWIN, result)
    const place = this.#turn.inContent(call)
    if (place === 'given') this.#give([call], result)
    if (place === 'full')
      result.problems.push(notRun([call], `more than ${MAX_CALLS} function calls wait for their ids`))
  }

  /** @param {unknown} values @param {LiveResult} result */
  #announced(values, result) {
    if (!Array.isArray(values)) result.problems.push('`toolCall` has no list of function calls')
    const read = listOf(values).map(value => (value === null ? null : readFunctionCall(value, true)))
    const calls = read.filter(call => call !== null && typeof call !== 'string')
    /** @type {TurnCall[]} */
    const fresh = []
    for (const [at, call] of read.entries()) {
      if (call === null) continue
      if (typeof call === 'string') this.#refuse(listOf(values)[at], call, result)
      else if (this.#turn.isEmptyTwin(call, calls)) this.#refuse(call, EMPTY_TWIN, result)
      else this.#announcedCall(call, fresh, result)
    }
    this.#give([...fresh, ...this.#turn.held.filter(call => !fresh.includes(call))], result)
  }

  /** @param {TurnCall} call @param {TurnCall[]} fresh @param {LiveResult} result */
  #announcedCall(call, fresh, result) {
    const twin = this.#turn.announced(call)
    if (twin === null) fresh.push(call)
    else if (twin.known !== null && twin.id === null && call.id !== null) {
      const wasAnswered = twin.known.isAnswered
      this.#ids.rename(twin.known, call.id)
      // The gate has its record: the answer is sent again, under the id that the provider waits for.
      if (wasAnswered) this.#push(twin.known, call, result)
    }
  }

  /** @param {TurnCall[]} calls @param {LiveResult} result */
  #give(calls, result) {
    const fresh = calls.filter(call => !this.#giveAgain(call, result))
    const taken = this.#ids.take(null, fresh)
    for (const [at, { known }] of taken.entries()) this.#push(known, fresh[at], result)
  }

  /** Gives a call of the time before the resumption again. @param {TurnCall} call @param {LiveResult} result */
  #giveAgain(call, result) {
    for (const [known, earlier] of this.#earlier) {
      if ((call.id === null || known.providerId !== call.id) && !isSame(call, earlier)) continue
      this.#earlier.delete(known)
      this.#unknown.delete(known)
      if (call.id !== null) this.#ids.rename(known, call.id)
      this.#push(known, call, result)
      return true
    }
    return false
  }

  /** @param {KnownCall} known @param {TurnCall} call @param {LiveResult} result */
  #push(known, call, result) {
    call.known = known
    known.isAnswered = false
    this.#open.set(known, call)
    limit(this.#open, MAX_OPEN)
    const key = keyOf(known)
    // A cancellation that came before the call means this one. If the call is made again, it is answered.
    if (this.#cancelled.get(key) === true) this.#cancelled.set(key, false)
    else this.#cancelled.delete(key)
    result.given.push({ known, args: call.args })
  }

  /** @param {LiveResult} result */
  #interrupt({ problems }) {
    if (this.holds) problems.push(notRun(this.#turn.held, 'the turn was interrupted'))
    this.#endTurn()
  }

  #endTurn() {
    this.#turn = new GeminiTurn()
    this.#earlier.clear()
  }

  /** @param {unknown} value @param {string} why @param {LiveResult} result */
  #refuse(value, why, { problems }) {
    problems.push(notRun([{ name: textOf(recordOf(value).name) }], why))
  }
}

/** @param {KnownCall} known */
const keyOf = known => known.providerId ?? known.id

/** Forgets the oldest entries beyond the most. @param {Map<any, unknown>} entries @param {number} most */
function limit(entries, most) {
  while (entries.size > most) entries.delete(entries.keys().next().value)
}

module.exports = { GeminiLiveReader }
