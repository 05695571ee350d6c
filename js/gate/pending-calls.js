'use strict'

// Calls that wait for the core. The answer arrives under the call's number, among the messages that the native function
// returns, or later. The core never keeps the process alive; a pending call does.

const { setInterval } = require('./timers.js')

/** A timer to reference. Its delay, 12 days, only means that it rarely fires. */
const keepAlive = setInterval(() => {}, 2 ** 30)
keepAlive.unref()
/**
 * The objects with pending calls: keeps them, and their answers, from being collected. The timer is always a member,
 * because V8 rebuilds a set or map that becomes empty, at each call.
 * @type {Set<object>}
 */
const busy = new Set([keepAlive])
/** The size of `busy` and of `#waiting` without a pending call. */
const NONE = 1

/**
 * @typedef {(callNumber: number) => string | null} Start a native function that returns messages
 * @typedef {{ resolve(text: string): void, retained?: object }} PendingCall
 */

class PendingCalls {
  #next = 0
  /**
   * Call number → call; `retained` stays reachable while the call is pending. 0 is reserved.
   * @type {Map<number, PendingCall | null>}
   */
  #waiting = new Map([[0, null]])
  #read
  /** Whether `busy` contains this object. */
  #isBusy = false

  /** @param {(messages: string | null) => void} read reads messages; passes answers to `answer` */
  constructor(read) {
    this.#read = read
  }

  /**
   * @param {Start} start
   * @param {object} [retained] what must stay reachable while the call is pending
   * @returns {Promise<string>}
   */
  run(start, retained) {
    return new Promise(resolve => this.#begin(start, { resolve, retained }))
  }

  /**
   * As `run`, for a call that is answered when the native function returns.
   * @param {Start} start
   * @param {object} [retained]
   * @returns {string | null} null if the call is pending
   */
  now(start, retained) {
    /** @type {string | null} */
    let answer = null
    this.#begin(start, {
      resolve: text => {
        answer = text
      },
      retained,
    })
    return answer
  }

  /** @param {number} callNumber @param {string} text */
  answer(callNumber, text) {
    const waiting = this.#waiting.get(callNumber)
    if (!waiting) return
    this.#waiting.delete(callNumber)
    if (this.#waiting.size === NONE && this.#isBusy) this.#rest()
    waiting.resolve(text)
  }

  /** @param {Start} start @param {PendingCall} entry */
  #begin(start, entry) {
    const callNumber = this.#take()
    // A function that throws has started nothing. A handler that the messages start may end at once: its caller waits
    // by then.
    const messages = start(callNumber)
    this.#waiting.set(callNumber, entry)
    try {
      this.#read(messages)
    } finally {
      // A call that these messages answer keeps nothing alive: referencing the timer takes longer than many answers.
      if (this.#waiting.size > NONE && !this.#isBusy) this.#stay()
    }
  }

  #take() {
    do this.#next = (this.#next + 1) >>> 0
    while (this.#waiting.has(this.#next))
    return this.#next
  }

  #stay() {
    this.#isBusy = true
    if (busy.size === NONE) keepAlive.ref()
    busy.add(this)
  }

  #rest() {
    this.#isBusy = false
    busy.delete(this)
    if (busy.size === NONE) keepAlive.unref()
  }
}

module.exports = { PendingCalls }
