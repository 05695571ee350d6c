// The calls that the model waits for. A client answers by id, or by name if a call was sent without id.

/**
 * @typedef {object} PendingCall
 * @property {string | undefined} id
 * @property {string} name
 * @property {unknown} args
 * @property {number} sent number of times it was sent under this id
 * @property {number} answers
 * @property {boolean} cancelled
 * @property {boolean} hasFirstWord it was answered by a part, and the model goes on without its result
 */

export class PendingCalls {
  /** @type {PendingCall[]} all calls of the session, to classify late and repeated answers */
  #calls = []
  /** Names of the functions that are declared as NON_BLOCKING. @type {Set<string>} */
  nonBlocking = new Set()

  /** @param {{ id?: string, name: string, args?: unknown }} call */
  add({ id, name, args }) {
    const openCall = id === undefined ? undefined : this.#calls.find(call => call.id === id && isOpen(call))
    // open calls with the same id are one: a client may answer once, or as often as the id was sent
    if (openCall === undefined)
      this.#calls.push({ id, name, args, sent: 1, answers: 0, cancelled: false, hasFirstWord: false })
    else openCall.sent += 1
  }

  get isEmpty() {
    return !this.#calls.some(isOpen)
  }

  /** The unanswered calls, as they were sent. */
  get open() {
    return this.#calls.filter(isOpen).map(({ id, name, args }) => ({ ...(id === undefined ? {} : { id }), name, args }))
  }

  /** @returns {string[]} ids of the unanswered calls */
  get openIds() {
    return this.#calls.flatMap(call => (isOpen(call) && call.id !== undefined ? [call.id] : []))
  }

  /** @param {string[]} ids */
  cancel(ids) {
    for (const call of this.#calls)
      if (call.id !== undefined && ids.includes(call.id) && isOpen(call)) call.cancelled = true
  }

  /** Cancels all open calls, including those without id. @returns {string[]} the ids of the others */
  cancelAll() {
    const ids = this.openIds
    for (const call of this.#calls) if (isOpen(call)) call.cancelled = true
    return ids
  }

  /**
   * @param {{ id?: string, name: string, willContinue?: boolean }} answer `willContinue`: more parts follow
   * @returns {'awaited' | 'later' | 'repeated' | import('../recorder.js').Anomaly['kind']} `repeated`: one more answer to an id
   *   that was sent more than once; `later`: more of a call that has its first word
   */
  answer({ id, name, willContinue }) {
    const same = id === undefined ? [] : this.#calls.filter(call => call.id === id)
    const unnumbered = this.#calls.find(call => call.id === undefined && call.name === name && isOpen(call))
    const call = same.find(isOpen) ?? same.at(-1) ?? unnumbered
    if (call === undefined) return 'unknown_id'
    if (call.cancelled) return 'answered_cancelled'
    if (call.hasFirstWord && call.answers === 0) {
      if (willContinue !== true) call.answers = 1
      return 'later'
    }
    const kind = kindOfAnswer(call)
    if (willContinue !== true) call.answers += 1
    else if (this.nonBlocking.has(call.name)) call.hasFirstWord = true
    return kind
  }
}

/** @param {PendingCall} call */
function kindOfAnswer({ sent, answers }) {
  if (answers === 0) return 'awaited'
  return answers < sent ? 'repeated' : 'answered_twice'
}

/** @param {PendingCall} call */
function isOpen(call) {
  return call.answers === 0 && !call.cancelled && !call.hasFirstWord
}
