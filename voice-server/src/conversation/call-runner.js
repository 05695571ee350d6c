// Runs the tool calls of provider messages through the gate and answers them. The gate decides; this class keeps the
// order: the calls of one message are admitted and answered together. A barge-in that is more than a cough (`BargeIn`)
// aborts the calls of its turn: reads are dropped; a write that has begun is reported when it ends, without interrupting.
import { randomUUID } from 'node:crypto'
import { askedByServer, askedLater, withReadBack } from '../consent/read-back.js'
import { cancelled } from '../delivery/cancelled-answer.js'
import { resultFrame } from './result-frame.js'

/**
 * @typedef {import('../voice-types.js').ReadyCall} ReadyCall
 * @typedef {import('../voice-types.js').Answer} Answer
 * @typedef {import('../voice-types.js').Outcome} Outcome
 * @typedef {import('../voice-types.js').Channel} Channel
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./filler.js').Filler} Filler
 * @typedef {{ call: ReadyCall, turn: number, isCancelled: boolean, isExpected: boolean, isInterrupted: boolean }} Entry
 */

/** @param {ToolResponse} response */
const isCommitted = response => response.ok || response.error.partialSideEffects

const BROKE_IN = 'the user broke in'

export class CallRunner {
  /** Call id → call that has no answer yet. @type {Map<string, Entry>} */
  #running = new Map()
  /** Number of turns that the model has completed. */
  #turn = 0
  #stopped = false

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {import('../voice-types.js').MetadataOf} options.metadataOf
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   * @param {() => Promise<unknown>} options.turnBegun resolves when the gate has begun the user's turn
   * @param {() => void} options.onAnswered after each round of answers
   * @param {Pick<import('../delivery/delivery.js').Delivery, 'own' | 'owns' | 'showing' | 'answer' | 'answerLate' | 'answerCancelled'>} options.delivery
   * @param {() => boolean} options.isShown whether a frame reaches the client
   * @param {(isInterrupted: boolean) => void} options.answersSent the model owes its words about answers;
   *   `isInterrupted`: the provider detected speech over the calls
   * @param {boolean} [options.isDuplex] the server asks its questions itself
   * @param {(readBack: string) => void} options.prepareReadBack the model's next response is to say it
   * @param {import('./filler.js').Filler} options.filler
   * @param {import('../consent/confirmation-manager.js').ConfirmationManager} options.confirmations
   * @param {(call: { name: string }, response: ToolResponse | null) => void} options.onWrite called when a write begins
   *   (`null`) and when it has its response
   */
  constructor(options) {
    this.options = options
  }

  get isBusy() {
    return this.#running.size > 0
  }

  /** @param {string} callId */
  runs(callId) {
    return this.#running.has(callId)
  }

  /**
   * Registers announced calls that will run with others of their response: they can be cancelled from now on.
   * @param {ReadyCall[]} calls
   */
  expect(calls) {
    for (const call of calls) this.#running.set(call.id, this.#entryOf(call, { isExpected: true }))
  }

  /** Forgets announced calls after their connection was lost. */
  forgetExpected() {
    for (const [id, { isExpected }] of this.#running) if (isExpected) this.#running.delete(id)
  }

  /** Cancels calls whose answers the provider no longer wants. @param {string[]} callIds */
  cancel(callIds) {
    for (const id of callIds) this.#cancel(id, 'cancelled by the provider')
  }

  /** The calls that run since the model last completed a turn. Those of earlier turns run on through a barge-in. */
  callsOfTurn() {
    return [...this.#running.values()].filter(({ turn }) => turn === this.#turn)
  }

  turnCompleted() {
    this.#turn += 1
  }

  /** The model's response ended before its calls were complete: they never run. */
  dropExpected() {
    for (const entry of this.#running.values()) if (entry.isExpected) this.#cancelEntry(entry, BROKE_IN)
  }

  /** The provider does not continue by itself after the answers of calls over which it detected speech. */
  speechDetected() {
    for (const entry of this.#running.values()) entry.isInterrupted = true
  }

  /** Aborts those that still run. @param {Entry[]} entries */
  abort(entries) {
    for (const entry of entries) if (this.#running.get(entry.call.id) === entry) this.#cancelEntry(entry, BROKE_IN)
  }

  stop() {
    this.#stopped = true
  }

  /** Reports a call's result to the client. @param {Answer} answer */
  report(answer) {
    if (answer.result.meta.grant !== undefined) this.options.confirmations.grants.used()
    this.options.sendFrame(resultFrame(answer, this.options.metadataOf(answer.name)))
  }

  /** Reports the result of a call that was answered before it ended. @param {Answer} answer */
  endedLater(answer) {
    if (this.#isWrite(answer)) this.options.onWrite(answer, answer.result)
    this.report(answer)
  }

  /**
   * @param {ReadyCall[]} calls of one message
   * @param {Channel} channel that the calls came on; only its connection awaits the answers
   */
  async run(calls, channel) {
    const { session, sendFrame, turnBegun, filler, delivery } = this.options
    const entries = calls.map(call => this.#entryOf(call, { isCancelled: this.#wasCancelledWhileExpected(call) }))
    for (const entry of entries) {
      this.#running.set(entry.call.id, entry)
      delivery.own(entry.call.id, entry)
    }
    await turnBegun()
    for (const {
      call: { id, name },
    } of entries) {
      sendFrame({ type: 'toolCall', id, name, title: this.#titleOf(name), turn: session.turn })
    }
    // A call that was cancelled while its turn began must not run.
    const wanted = entries.filter(entry => !entry.isCancelled)
    for (const entry of entries) if (entry.isCancelled) this.#reportNeverRan(entry, channel)
    if (wanted.length === 0 || this.#stopped) return
    for (const { call } of wanted) this.#begin(call, filler)
    const responses = await session.executeAll(wanted.map(({ call }) => call))
    const answers = wanted.map((entry, index) => this.#end(entry, responses[index], filler))
    // Of a call that was made again meanwhile, the later run answers.
    this.#answer(
      answers.filter((_, index) => delivery.owns(wanted[index].call.id, wanted[index])),
      channel,
    )
  }

  /**
   * Makes calls of the host's agent, which gets the responses itself.
   * @param {import('toolgate').ToolCall[]} calls
   * @param {import('toolgate').CallerOptions} [options]
   * @returns {Promise<Answer[]>}
   */
  async execute(calls, options) {
    const { session, sendFrame, filler, onAnswered } = this.options
    // A transport's call is kept as it is: a copy would parse its arguments.
    const hasId = (/** @type {import('toolgate').ToolCall} */ call) => (call?.id ?? null) !== null
    const shown = calls.map(call => /** @type {ReadyCall} */ (hasId(call) ? call : { ...call, id: randomUUID() }))
    const entries = shown.map(call => this.#entryOf(call, {}))
    for (const entry of entries) {
      const { id, name } = entry.call
      this.#running.set(id, entry)
      sendFrame({ type: 'toolCall', id, name, title: this.#titleOf(name), turn: session.turn })
      this.#begin(entry.call, filler)
    }
    /** @type {ToolResponse[]} */
    let responses = []
    try {
      responses = await session.executeAll(calls, options)
    } finally {
      for (const [index, entry] of entries.entries()) this.#end(entry, responses[index], filler)
    }
    const answers = entries.map(({ call }, index) => this.#settled({ call, response: responses[index] }))
    this.#asked(answers)
    onAnswered()
    return answers
  }

  /** @param {ReadyCall} call @param {Partial<Entry>} state @returns {Entry} */
  #entryOf(call, { isCancelled = false, isExpected = false }) {
    return { call, turn: this.#turn, isCancelled, isExpected, isInterrupted: false }
  }

  /** Whether a call was cancelled between its announcement and its run. @param {ReadyCall} call */
  #wasCancelledWhileExpected({ id }) {
    const { isExpected = false, isCancelled = false } = this.#running.get(id) ?? {}
    return isExpected && isCancelled
  }

  /** @param {ReadyCall} call @param {Filler} filler */
  #begin(call, filler) {
    filler.begin(call)
    if (this.#isWrite(call)) this.options.onWrite(call, null)
  }

  /** @template {ToolResponse | undefined} Response @param {Entry} entry @param {Response} response @param {Filler} filler */
  #end(entry, response, filler) {
    const { call } = entry
    filler.end(call.id, response)
    if (this.#running.get(call.id) === entry) this.#running.delete(call.id)
    return { ...entry, isCancelled: entry.isCancelled, response }
  }

  /** @param {(Entry & Outcome)[]} answers @param {Channel} channel */
  #answer(answers, channel) {
    // A write that had begun when it was cancelled continues: its result is reported when it ends.
    const isUnderWay = (/** @type {Outcome} */ { call, response }) =>
      isDetached(response) && this.#isWrite(call) && canBeAskedAgain(call)
    const settled = answers.filter(answer => !isUnderWay(answer))
    for (const { call } of answers.filter(isUnderWay)) this.#followUp(call, channel)
    const made = settled.map(answer => this.#settled(answer))
    const inTime = made.filter((_, index) => !settled[index].isCancelled)
    const isInterrupted = settled.some(answer => answer.isInterrupted)
    const tooLate = made.filter(answer => !inTime.includes(answer))
    if (inTime.length > 0) this.#answerInTime(inTime, channel, isInterrupted)
    for (const answer of tooLate) this.#reportLate(answer, channel)
    this.options.onAnswered()
  }

  /**
   * @param {(Answer & { token?: string, readBack?: string, isAskedLater?: boolean })[]} answers
   * @param {Channel} channel
   * @param {boolean} isInterrupted
   */
  #answerInTime(answers, channel, isInterrupted) {
    const { delivery, prepareReadBack, answersSent } = this.options
    // Beside other results the model has more to say than the read-back.
    const [first, ...more] = answers.filter(({ isAskedLater }) => !isAskedLater)
    if (first?.readBack !== undefined && more.length === 0) prepareReadBack(first.readBack)
    if (delivery.answer(answers, channel)) answersSent(isInterrupted)
    this.#asked(answers)
  }

  /** @param {{ token?: string }[]} answers */
  #asked(answers) {
    for (const { token } of answers) if (token !== undefined) this.options.confirmations.questionSent(token)
  }

  /**
   * Reports the result to the client and returns the answer for the model.
   * @param {Outcome} outcome
   * @returns {Answer & { token?: string, readBack?: string, isAskedLater?: boolean }}
   */
  #settled({ call, response }) {
    const { confirmations, onWrite } = this.options
    if (this.#isWrite(call) && !response.meta.pending) onWrite(call, response)
    const held = this.options.session.heldResult(call.id)
    const answer = { id: call.id, name: call.name, result: response, ...(held && { held }) }
    // What is held is offered to the session's next connection, which shows it.
    if (held === null || (this.options.isShown() && this.options.delivery.showing(call.id))) this.report(answer)
    const request = response.ok ? undefined : response.error.confirmation_request
    // Without a client, its next connection shows the question.
    if (response.ok || request?.token === undefined || this.#stopped) return answer
    const { token } = request
    const readBack = confirmations.show({ ...request, token, callId: call.id })
    // The gate's answer says who decides; this user is not asked.
    if (request.approvers !== undefined) return answer
    if (readBack === null) return { ...answer, isAskedLater: true, result: askedLater(response) }
    const result = this.options.isDuplex ? askedByServer(response) : withReadBack(response, readBack)
    return { ...answer, token, readBack, result }
  }

  /**
   * Repeats a call: the gate joins the running one or returns its record, and runs nothing twice under one id.
   * @param {ReadyCall} call
   * @param {Channel} channel
   */
  async #followUp(call, channel) {
    const response = await this.options.session.execute(call)
    const answer = this.#settled({ call, response })
    this.#reportLate(answer, channel)
  }

  /** @param {Answer} answer @param {Channel} channel */
  #reportLate(answer, channel) {
    const { delivery } = this.options
    if (this.#isWrite(answer) && isCommitted(answer.result)) delivery.answerLate(answer, channel)
    else delivery.answerCancelled(answer, channel)
  }

  /** @param {string} id @param {string} reason */
  #cancel(id, reason) {
    const entry = this.#running.get(id)
    if (entry !== undefined) this.#cancelEntry(entry, reason)
    else this.options.session.cancel(id, reason)
  }

  /** @param {Entry} entry @param {string} reason */
  #cancelEntry(entry, reason) {
    entry.isCancelled = true
    this.options.session.cancel(entry.call.id, reason)
  }

  /** @param {Entry} entry @param {Channel} channel */
  #reportNeverRan({ call: { id, name } }, channel) {
    this.#running.delete(id)
    const answer = { id, name, result: cancelled({ toolId: name, duration: 0 }) }
    this.report(answer)
    this.options.delivery.answerCancelled(answer, channel)
  }

  /** @param {{ name: string }} call */
  #isWrite({ name }) {
    return this.options.metadataOf(name)?.sideEffects === 'writes'
  }

  /** @param {string} name */
  #titleOf(name) {
    return this.options.metadataOf(name)?.title ?? name
  }
}

/** @param {ToolResponse} response */
function isDetached(response) {
  if (response.ok || response.error.type !== 'CANCELLED') return false
  return (
    /** @type {import('../voice-types.js').JsonObject | undefined} */ (response.error.details)?.outcome === 'unknown'
  )
}

/**
 * Whether the gate recognizes the call id in a later turn. Ids that look unstable to the gate are excluded.
 * @param {ReadyCall} call
 */
function canBeAskedAgain({ id, name }) {
  return id.length > 12 && !id.includes('temp') && !id.includes(name)
}
