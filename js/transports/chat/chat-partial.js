'use strict'
// A streamed message of Chat Completions: which of its calls are due.
//
// The API ends a message with one finish reason, in a chunk of its own. Gateways put one on every chunk, so it ends the message only for
// what is whole: a call whose arguments are a complete object. One whose arguments have begun waits for the rest of them. One without any
// may be whole, or have lost its arguments to the next chunk: it is due once an event has come that does not continue it.
const { ChatCalls } = require('./chat-calls.js')
const { RepeatedMessage } = require('./repeated-message.js')
const { isJson, isObjectText } = require('../shared/frame-reading.js')
const { TOO_MANY_CALLS, notRun } = require('../shared/problems.js')

/**
 * @typedef {import('./chat-calls.js').PartialCall} PartialCall
 */

const MIXED = 'the arguments of a call are no object, and a part of them may be of another call'

class PartialMessage {
  message = new RepeatedMessage()
  /** Whether a delta came without the role that begins a message. */
  hasContinued = false
  /** The last finish reason, if there was one: each said that the message is complete. @type {string | null} */
  finish = null
  #calls = new ChatCalls()
  /** The calls that were given, or named in a problem. @type {Set<object>} */
  #settled = new Set()
  /** The calls that the last chunk has a piece of. @type {Set<PartialCall | null>} */
  #touched = new Set()
  #isFullNamed = false
  #isConflictNamed = false

  /** @param {string | null} id */
  constructor(id) {
    this.id = id
  }

  get hasEnded() {
    return this.finish !== null
  }

  /** Whether the message has ended and lacks nothing. */
  get isWhole() {
    return this.hasEnded && this.#calls.conflict === null && this.left.length === 0
  }

  /** Its calls that can be read. */
  get calls() {
    return this.#calls.calls
  }

  /** Its calls that were neither given nor named. @returns {{ name: string | null }[]} */
  get left() {
    return this.#calls.named.filter(call => !this.#settled.has(call))
  }

  /** @param {unknown[]} pieces the calls of a chunk @param {boolean} isLegacy whether they are its `function_call` */
  append(pieces, isLegacy) {
    if (pieces.length > 0 && this.#calls.calls.length > 0 && this.message.isLegacy !== isLegacy)
      this.#calls.conflict ??= 'the message has `tool_calls` and a legacy `function_call`'
    if (pieces.length > 0) this.message.isLegacy = isLegacy
    this.#touched = new Set(pieces.map(piece => this.#calls.append(piece)))
  }

  /** An event came that has no piece of the message. */
  passOver() {
    this.#touched.clear()
  }

  /** The calls that are due, once each. @param {string[]} problems @returns {PartialCall[]} */
  due(problems) {
    if (!this.hasEnded) return []
    const { calls } = this
    this.#calls.conflict ??= whyUnclear(calls)
    if (this.#calls.conflict !== null) {
      if (!this.#isConflictNamed && this.left.length === 0) problems.push(this.#calls.conflict)
      this.#isConflictNamed = true
      this.#name(this.left, this.#calls.conflict, problems)
      return []
    }
    if (this.#calls.isFull && !this.#isFullNamed) problems.push(TOO_MANY_CALLS)
    this.#isFullNamed ||= this.#calls.isFull
    if (areMixed(calls)) return []
    const areAllWhole = calls.every(call => call.progress === 'empty' || isWhole(call))
    const whole = calls.filter(call => !this.#settled.has(call) && this.#isDue(call, areAllWhole))
    const doubtful = whole.filter(call => this.#calls.isDoubtful(call))
    this.#name(doubtful, 'it has no arguments, and the message can be read without it', problems)
    const due = whole.filter(call => !doubtful.includes(call))
    for (const call of due) this.#settled.add(call)
    return due
  }

  /** The message is over: names what is left of it. @param {string} why if it did not say that it is complete @param {string[]} problems */
  end(why, problems) {
    const left = areMixed(this.calls) ? MIXED : 'the arguments did not end'
    this.#name(this.left, this.hasEnded ? (this.#calls.conflict ?? left) : why, problems)
    if (this.finish === 'tool_calls' && this.calls.length === 0 && !this.message.isEmpty)
      problems.push('the message ended with `tool_calls`, and has no call')
  }

  /** What an unlabelled call lacks may be in another one, so an empty call waits for those that are not whole. @param {PartialCall} call @param {boolean} areAllWhole */
  #isDue(call, areAllWhole) {
    if (call.progress !== 'empty') return isWhole(call)
    return areAllWhole && !this.#touched.has(call)
  }

  /** @param {{ name: string | null }[]} calls @param {string} why @param {string[]} problems */
  #name(calls, why, problems) {
    if (calls.length === 0) return
    problems.push(notRun(calls, why))
    for (const call of calls) this.#settled.add(call)
  }
}

/** Whether no more of a call's arguments can come. What can't become an object is left to the gate, which refuses it. @param {PartialCall} call */
function isWhole({ progress, args }) {
  if (progress !== 'other') return progress === 'closed'
  return !/^\s*["[]/.test(args) || isJson(args)
}

/** Why the calls of a message are ambiguous, whatever follows. @param {PartialCall[]} calls */
function whyUnclear(calls) {
  if (calls.some(({ name, args }) => name === null && args !== ''))
    return 'arguments came without the name of their call'
  // A stream that came twice, or two equal calls: an index distinguishes them only if they have no id.
  const labelled = haveOwnIndexes(calls) ? calls.filter(({ id }) => id !== null) : calls
  const distinct = new Set(labelled.map(({ id, name, args }) => JSON.stringify([id, name, args])))
  return distinct.size < labelled.length ? 'a call came twice, or two calls are equal' : null
}

/**
 * Whether a part of the arguments may be of another call: one that does not fit its call may be missing in another one. What a call
 * lacks may be in another one unless each has an index of its own, and id and name in its first delta alone.
 * @param {PartialCall[]} calls
 */
function areMixed(calls) {
  if (calls.length < 2) return false
  const haveOwnLabels = haveOwnIndexes(calls) && calls.every(({ id, isRelabelled }) => id !== null && !isRelabelled)
  return calls.some(
    ({ progress, args }) => progress === 'other' || (!haveOwnLabels && progress !== 'empty' && !isObjectText(args)),
  )
}

/** @param {PartialCall[]} calls */
function haveOwnIndexes(calls) {
  const indexes = new Set(calls.map(({ index }) => index))
  return indexes.size === calls.length && !indexes.has(null)
}

module.exports = { PartialMessage }
