// What the model still has to get: results of calls whose connection died, results of background calls, and notes. One
// queue per session; it outlives the connections of client and model, and what was not heard before one died is sent on the
// next one. A note waits until neither side speaks, at most for a maximum time.

const POLL_MS = 200
const MAX_WAIT_MS = 30_000
/** How long results wait after a resumption: a provider may make the calls again, and takes their results as answers then. */
const REPETITION_MS = 400
const [MAX_OWNERS, MAX_FRAMES, MAX_NOTES, MAX_CONFIRMED, MAX_RESULTS] = [1000, 100, 500, 50, 500]

/**
 * @typedef {object} Note
 * @property {string} text
 * @property {boolean} isSpoken the model is to speak about it
 * @property {string} [question] the token of a question that the model is to ask again
 * @property {boolean} [isPatient] it waits for rest without a bound
 * @property {string | null} [callId] it is the result of this call
 * @property {boolean} [isEnd] it is what the call came to: the model gets that once
 * @property {import('../voice-types.js').Answer & { scheduling: 'WHEN_IDLE' | 'SILENT' }} [later] the result of a call that was
 *   answered before it ended
 * @property {() => void} [onHeard] the model has taken it up
 * @property {boolean} [isOffered] the gate offers it to the session's next attachment
 *
 * @typedef {object} Outlet a conversation that sends what waits
 * @property {() => boolean} isIdle
 * @property {() => boolean} isConnected
 * @property {(notes: Note[]) => Note[]} deliver returns those that could not be sent together with the others
 * @property {(frame: import('../voice-types.js').ServerFrame) => void} sendFrame
 *
 * @typedef {{ note: Note, until: number }} Waiting
 * @typedef {{ note: Note, receipts: Set<string>, isAnswer: boolean }} Sent `receipts`: what the provider has not acknowledged;
 *   `isAnswer`: it was sent as the answer to a call, not as a text
 */

const isResult = (/** @type {Note} */ { callId }) => callId !== undefined && callId !== null

export class DeliveryQueue {
  /** @type {Waiting[]} */
  #waiting = []
  /** What the model has not taken up yet. @type {Sent[]} */
  #sent = []
  /** @type {Outlet | null} */
  #outlet = null
  /** Who answers a call: the last one that ran it. @type {Map<string, object>} */
  #owners = new Map()
  /** Tokens of the last confirmations that this process has given: it reports the results of their calls. @type {Set<string>} */
  #confirmed = new Set()
  /** Calls whose results a client was shown: the gate offers them until the model has taken them up. @type {Set<string>} */
  #shown = new Set()
  /** Calls whose results the model has taken up: the gate may offer them once more. @type {Set<string>} */
  #heard = new Set()
  /** Frames of calls that ended while no client was there. @type {import('../voice-types.js').ServerFrame[]} */
  #frames = []
  #resultsFrom = -Infinity
  /** @type {NodeJS.Timeout | null} */
  #timer = null

  /** @param {{ maxWaitMs?: number, now?: () => number }} [options] */
  constructor({ maxWaitMs = MAX_WAIT_MS, now = performance.now.bind(performance) } = {}) {
    this.maxWaitMs = maxWaitMs
    this.now = now
  }

  /** @returns {Note[]} the oldest first */
  get waiting() {
    return this.#waiting.map(({ note }) => note)
  }

  get hasResults() {
    return this.waiting.some(isResult)
  }

  /** @param {Outlet} outlet takes the place of an earlier one @param {{ isResumed?: boolean }} [options] */
  attach(outlet, { isResumed = false } = {}) {
    this.#outlet = outlet
    if (isResumed) this.#resultsFrom = this.now() + REPETITION_MS
    this.flush()
  }

  /** Gives the frames that came while no client was there. */
  showFrames() {
    for (const frame of this.#frames.splice(0)) this.#outlet?.sendFrame(frame)
  }

  /** Keeps what the model has not taken up for the next outlet. @param {Outlet} outlet */
  detach(outlet) {
    if (this.#outlet !== outlet) return
    this.#outlet = null
    this.#takeBack()
    this.#waiting = this.#waiting.filter(({ note }) => !note.isOffered)
    this.#rest()
  }

  /**
   * A frame that a conversation cannot give to its client any more: the next client gets it.
   * @param {import('../voice-types.js').ServerFrame} frame @param {Outlet} from
   */
  missed(frame, from) {
    if (this.#outlet !== null && this.#outlet !== from) return this.#outlet.sendFrame(frame)
    this.#frames = [...this.#frames, frame].slice(-MAX_FRAMES)
  }

  /** A call begins, or is made again: whoever runs it now gives its result. @param {string} callId @param {object} owner */
  own(callId, owner) {
    this.#owners.delete(callId)
    this.#owners.set(callId, owner)
    if (this.#owners.size > MAX_OWNERS) this.#owners.delete(/** @type {string} */ (this.#owners.keys().next().value))
    for (const known of [this.#shown, this.#heard]) known.delete(callId)
    this.#forget(callId)
  }

  /** @param {string} callId @param {object} owner */
  owns(callId, owner) {
    return this.#owners.get(callId) === owner
  }

  /** A confirmation is given. @param {string} token @returns {boolean} whether it was given here before */
  confirming(token) {
    if (this.#confirmed.has(token)) return true
    this.#confirmed.add(token)
    if (this.#confirmed.size > MAX_CONFIRMED)
      this.#confirmed.delete(/** @type {string} */ (this.#confirmed.values().next().value))
    return false
  }

  /** The result of a call is about to be shown. @param {string} callId @returns {boolean} false if a client has it */
  showing(callId) {
    if (this.#shown.has(callId)) return false
    addBounded(this.#shown, callId)
    return true
  }

  /** Results that a client may not have received before its connection was cut: they are shown again. @param {string[]} callIds */
  forgetShown(callIds) {
    for (const id of callIds) this.#shown.delete(id)
  }

  /** It ran nothing, and its question still waits. @param {string} token */
  notConfirmed(token) {
    this.#confirmed.delete(token)
  }

  /** @param {Note} note */
  add(note) {
    if (note.isEnd && this.#isKnown(note)) return
    if (isResult(note)) this.#forget(/** @type {string} */ (note.callId))
    this.#waiting.push(this.#entryOf(note))
    this.#waiting = this.#waiting.slice(-MAX_NOTES)
    this.flush()
  }

  /**
   * Keeps what was sent until the model takes it up. Of a call it is the last that counts: its result, and no more its question.
   * @param {Note[]} notes
   * @param {{ receipts: string[], isAnswer?: boolean }} how `receipts`: what the provider will acknowledge
   */
  sent(notes, { receipts, isAnswer = false }) {
    for (const note of notes.filter(isResult)) this.#forget(/** @type {string} */ (note.callId))
    for (const note of notes) this.#sent.push({ note, receipts: new Set(receipts), isAnswer })
    this.#sent = this.#sent.slice(-MAX_NOTES)
  }

  /**
   * A message of the provider came. A refused answer becomes a note.
   * @param {Pick<import('../providers/provider-link.js').ParsedMessage, 'receipts' | 'refused' | 'modelSpoke'>} message
   * @returns {Note[]} what the model has taken up
   */
  heard({ receipts, refused, modelSpoke }) {
    if (this.#sent.length === 0) return []
    for (const key of refused) this.#refused(key)
    for (const sent of this.#sent) for (const key of receipts) sent.receipts.delete(key)
    const isHeard = (/** @type {Sent} */ sent) => sent.receipts.size === 0 && (modelSpoke || !sent.note.isSpoken)
    const heard = this.#sent.filter(isHeard)
    this.#sent = this.#sent.filter(sent => !heard.includes(sent))
    for (const { note } of heard) {
      if (note.isEnd && isResult(note)) addBounded(this.#heard, /** @type {string} */ (note.callId))
      note.onHeard?.()
    }
    return heard.map(({ note }) => note)
  }

  /**
   * A result comes twice if its call was answered here and the gate offers it as well: what is done once the model has taken it
   * up is done for both.
   * @param {Note} note
   */
  #isKnown({ callId, onHeard, isOffered }) {
    if (callId === undefined || callId === null) return false
    if (this.#heard.has(callId)) {
      onHeard?.()
      return true
    }
    const same = [...this.#waiting, ...this.#sent].find(({ note }) => note.isEnd && note.callId === callId)?.note
    if (same === undefined) return false
    const first = same.onHeard
    same.onHeard = () => (first?.(), onHeard?.())
    same.isOffered ||= isOffered
    return true
  }

  /** @param {string} key */
  #refused(key) {
    const refused = this.#sent.filter(({ receipts }) => receipts.has(key))
    this.#sent = this.#sent.filter(sent => !refused.includes(sent))
    for (const { note, isAnswer } of refused) if (isAnswer) this.add(note)
  }

  /**
   * The provider's connection is another one: what the model has not taken up is sent again.
   * @returns {boolean} whether the model owes words about some of that
   */
  reconnected() {
    const isOwed = this.#sent.some(({ note }) => note.isSpoken)
    this.#takeBack()
    this.#resultsFrom = this.now() + REPETITION_MS
    this.#watch()
    return isOwed
  }

  /** Sends the oldest note if idle, else the oldest that is overdue. Results go together; the rest one at a time: the model may
   * begin to speak about it. */
  flush() {
    const outlet = this.#outlet
    if (outlet === null) return
    const [isIdle, now] = [outlet.isIdle(), this.now()]
    const isDue = (/** @type {Waiting} */ { note, until }) =>
      (isIdle && (!isResult(note) || now >= this.#resultsFrom)) || now >= until
    const next = outlet.isConnected() ? this.#waiting.find(isDue) : undefined
    if (next !== undefined) this.#deliver(next, outlet)
    this.#watch()
  }

  /** @param {Waiting} next @param {Outlet} outlet */
  #deliver(next, outlet) {
    const together = this.#waiting.filter(
      entry =>
        entry === next || (isResult(entry.note) && isResult(next.note) && entry.note.isSpoken === next.note.isSpoken),
    )
    this.#waiting = this.#waiting.filter(entry => !together.includes(entry))
    const left = outlet.deliver(together.map(({ note }) => note))
    this.#waiting.unshift(...together.filter(({ note }) => left.includes(note)))
  }

  #takeBack() {
    this.#waiting.unshift(...this.#sent.splice(0).map(({ note }) => this.#entryOf(note)))
  }

  /** @param {string} callId */
  #forget(callId) {
    const isOther = (/** @type {{ note: Note }} */ { note }) => note.callId !== callId
    this.#waiting = this.#waiting.filter(isOther)
    this.#sent = this.#sent.filter(isOther)
  }

  /** @param {Note} note @returns {Waiting} */
  #entryOf(note) {
    return { note, until: note.isPatient ? Infinity : this.now() + this.maxWaitMs }
  }

  #watch() {
    if (this.#waiting.length === 0 || this.#outlet === null) this.#rest()
    else this.#timer ??= setInterval(() => this.flush(), POLL_MS)
  }

  #rest() {
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
  }
}

/** Adds to the last ones that are kept. @param {Set<string>} known @param {string} callId */
function addBounded(known, callId) {
  known.add(callId)
  if (known.size > MAX_RESULTS) known.delete(/** @type {string} */ (known.values().next().value))
}
