// Open confirmation requests: shows them to the user, has them read back one after another, and takes the answer. Only an event
// of the user answers one: the button, a telephone key, or, if the host allows it, an utterance after the read-back. A key and an
// utterance answer the question that is read back, a key only while nothing else was asked; the next one is read once that has
// its answer. Output of models and tools never reaches this class.
import { AnswerWindow } from './answer-window.js'
import { confirmationFrame, isOwn, notConfirmedFrame } from './confirmation-frames.js'
import { detailsOf, outcomeResponse } from './known-outcome.js'
import { readBackOf } from './read-back.js'
import { readBackCheck } from './read-back-check.js'
import { confirmedNote, deniedNote, elsewhereNote, expiredNote, notConfirmedNote } from '../delivery/model-notes.js'
import { ShownGrants } from './shown-grants.js'

const MAX_ANSWERED = 50
/** @type {Record<string, 'yes' | 'no'>} */
const DIGITS = { 1: 'yes', 2: 'no' }
/** The way of an answer in the audit. @type {Record<AnsweredBy, string>} */
const VIA = { button: 'page', dtmf: 'key', speech: 'speech' }

/**
 * @typedef {'button' | 'dtmf' | 'speech'} AnsweredBy
 * @typedef {import('../voice-types.js').Question} Question
 * @typedef {import('../voice-types.js').ReadyCall} ReadyCall
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {{ outcome: 'confirmed' | 'denied' | 'expired', by: AnsweredBy | 'elsewhere' | 'time',
 *   result?: import('../voice-types.js').Answer }} Closed `result`: of the call that ran
 * @typedef {{ token: string, tool: string, call?: ReadyCall }} Elsewhere a question that was answered in another place
 * @typedef {{ request: Question, readBack: string, call?: ReadyCall, answerWindow: AnswerWindow }} Card
 */

export class ConfirmationManager {
  /** By token. @type {Map<string, Card>} */
  #cards = new Map()
  /**
   * How the last questions were answered, by token; `null` while an answer is being processed here.
   * @type {Map<string, Closed | null>}
   */
  #answered = new Map()
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  #isPolling = false
  /** Calls that were confirmed in another place and have not ended, by token. @type {Map<string, Elsewhere>} */
  #running = new Map()
  /** The token of the question that is read back; the others wait for its answer. @type {string | null} */
  #current = null

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(toolId: string) => import('./confirmation-frames.js').Tool | null} options.metadataOf
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   * @param {{ remainingMs(): number, inputMs(): number, answered(): void }} options.conversation
   * @param {Pick<import('../delivery/delivery.js').Delivery, 'note' | 'noteWhenIdle' | 'contextWhenIdle' | 'askWhenIdle' | 'confirming' | 'notConfirmed'>} options.delivery
   * @param {(answer: import('../voice-types.js').Answer) => void} options.report reports a call's result to the client
   * @param {import('../conversation/filler.js').Filler} options.filler
   * @param {null | ((text: string) => 'yes' | 'no' | null)} options.consentOf classifies a spoken answer
   * @param {boolean} [options.isDuplex] the server asks its questions itself, at rest
   * @param {import('toolgate').ModelMeta} [options.meta]
   * @param {number} options.pollMs poll interval for answers given elsewhere while a question is open
   * @param {import('../voice-types.js').Guarded} options.guarded runs `act` and handles its errors
   */
  constructor(options) {
    this.options = options
    this.grants = new ShownGrants(options)
  }

  /**
   * Shows a question to the user. One that approvers decide about is shown, and not asked: its user can withdraw it.
   *
   * @param {Question} request the gate's confirmation request
   * @param {ReadyCall} [call] that needs confirmation; unknown after a reconnect
   * @returns {string | null} the read-back; null if another question is read first
   */
  show(request, call) {
    const { session, metadataOf, sendFrame, conversation, pollMs, guarded } = this.options
    const tool = metadataOf(request.tool)
    const readBack = readBackOf(request, tool?.title ?? request.tool)
    if (this.#answered.has(request.token)) return readBack
    const isNext = isOwn(request) && (this.#current === null || this.#current === request.token)
    const known = this.#cards.get(request.token)
    const rows = session.showArguments(request.tool, request.args)?.rows
    const answerWindow = known?.answerWindow ?? new AnswerWindow(conversation, readBackCheck(readBack, rows ?? []))
    this.#cards.set(request.token, { request, readBack, call: call ?? known?.call, answerWindow })
    sendFrame(confirmationFrame(request, { tool, rows, readBack }))
    this.#timer ??= setInterval(() => guarded(() => this.#pollPending()), pollMs)
    if (!isNext) {
      if (known === undefined && isOwn(request)) this.#currentCard?.answerWindow.otherShown()
      return null
    }
    this.#current = request.token
    return readBack
  }

  /** Asks about a call that a handler has made and waits for; its model's call says what came of it. @param {Question} request */
  askNested(request) {
    const readBack = this.show({ ...request, isNested: true })
    if (readBack !== null) this.options.delivery.askWhenIdle(request.token)
  }

  /** Who made a call knows of its question, and the model has the read-back unless the server asks. @param {string} token */
  questionSent(token) {
    if (token !== this.#current || !this.#cards.has(token)) return
    if (this.options.isDuplex) this.options.delivery.askWhenIdle(token)
    else this.readBackSent(token)
  }

  /** The model got the read-back. @param {string} token */
  readBackSent(token) {
    this.#cards.get(token)?.answerWindow.readBackSent()
  }

  /** What happens in the conversation. @param {'turnCompleted' | 'modelSpoke' | 'played' | 'interrupted'} event */
  hear(event) {
    for (const { answerWindow } of this.#cards.values()) answerWindow[event]()
  }

  /** What the model was saying was lost with its connection: a read-back in it is said again. */
  answerCut() {
    const card = this.#currentCard
    if (card?.answerWindow.isOwed) this.options.delivery.askWhenIdle(card.request.token)
  }

  /** @param {string} text that the client gets to hear */
  modelSaid(text) {
    for (const { answerWindow } of this.#cards.values()) answerWindow.modelSaid(text)
  }

  /** @param {string} digit @returns {Promise<boolean>} false if there is no question that it could answer */
  async keyPressed(digit) {
    const answer = DIGITS[digit]
    if (answer === undefined) return true
    const card = this.#currentCard
    const isAsked = card?.answerWindow.isAsked === true
    if (card === undefined || !(await this.#isPending(card.request.token))) return false
    if (isAsked) await this.#answer(card, answer, 'dtmf')
    else if (card.answerWindow.isReadBackSent) this.options.delivery.askWhenIdle(card.request.token)
    return isAsked
  }

  /** How often the model has said other words instead of a question's. @param {string} token */
  rephrased(token) {
    return this.#cards.get(token)?.answerWindow.rephrased ?? 0
  }

  /** Whether words answer a question that is open, if they come at the right time. @param {string} text */
  isAnswer(text) {
    return this.#currentCard !== undefined && (this.options.consentOf?.(text) ?? null) !== null
  }

  /** @param {{ text: string, startMs: number | null }} utterance the user's final words */
  async userSaid({ text, startMs }) {
    const answer = this.options.consentOf?.(text) ?? null
    const card = this.#currentCard
    if (answer === null || card === undefined || this.#answered.has(card.request.token)) return
    if (card.answerWindow.contains(startMs)) await this.#answer(card, answer, 'speech')
    // The user believes to have answered: silence would leave them waiting.
    else if (card.answerWindow.isReadBackSent) this.options.delivery.askWhenIdle(card.request.token)
  }

  /** @param {string} token @returns {string | null} the read-back of an open question, unless it is being asked just now */
  unasked(token) {
    const card = this.#cards.get(token)
    return card === undefined || card.answerWindow.isOpen || this.#answered.has(token) ? null : card.readBack
  }

  /**
   * Confirms on an act of the user: runs the call that was shown, or what they have made of it, outside of any turn's budget.
   *
   * @param {string} token @param {AnsweredBy} by @param {import('../voice-types.js').Wishes} [wishes]
   */
  async confirm(token, by, wishes) {
    if (this.#repeatOutcome(token)) return
    const { session, report, filler, conversation, delivery } = this.options
    const card = this.#cards.get(token)
    if (card !== undefined && !isOwn(card.request)) return
    const { callId, tool = '' } = card?.request ?? {}
    this.#markAnswered(token, null)
    if (callId) filler.begin({ id: callId, name: tool })
    const isAnsweredHere = delivery.confirming(token)
    const response = await session.confirm(token, { via: VIA[by], ...wishes })
    if (callId) filler.end(callId, response)
    if (!response.ok && (await this.#isPending(token))) return this.#notConfirmed(token, response, by)
    const result = { id: response.meta.callId ?? null, name: response.meta.toolId, result: response }
    const isLate = !response.ok && response.error.type === 'CONFIRMATION_EXPIRED'
    const elsewhere = { token, tool: response.meta.toolId, call: card?.call }
    if (isLate && card !== undefined) return this.#closedElsewhere(elsewhere, response, by)
    // An answer that an earlier connection sent: of this process, which gives its result, or of another one.
    if (isLate && detailsOf(response).reason === 'used')
      return isAnsweredHere
        ? this.#close(token, { outcome: 'confirmed', by: 'elsewhere' })
        : this.#closedElsewhere(elsewhere, response, by)
    this.#close(token, isLate ? { outcome: 'expired', by } : { outcome: 'confirmed', by, result })
    report(result)
    if (isLate) return
    if (wishes?.grant) this.options.guarded(() => this.grants.show())
    if (!card?.request.isNested) this.#sendNote(confirmedNote(response, this.options.meta), by)
    conversation.answered()
  }

  /**
   * The gate refused the changes or the grant, or could not run the call: its question still waits.
   * @param {string} token @param {ToolResponse & { ok: false }} response @param {AnsweredBy} by
   */
  #notConfirmed(token, response, by) {
    const { sendFrame, delivery, meta } = this.options
    this.#answered.delete(token)
    delivery.notConfirmed(token)
    sendFrame(notConfirmedFrame(token, response))
    // Who has spoken, or pressed a key, may have no card to look at.
    if (by !== 'button') this.#sendNote(notConfirmedNote(response, meta), by)
  }

  /** @param {string} token @param {AnsweredBy} by @param {string} [reason] */
  async deny(token, by, reason) {
    if (this.#repeatOutcome(token)) return
    const { session } = this.options
    const card = this.#cards.get(token)
    this.#markAnswered(token, null)
    const denied = await session.deny(token, reason, { via: VIA[by] })
    if (!denied && card !== undefined) return this.#closedElsewhere(whatOf(card), await session.confirm(token), by)
    this.#close(token, { outcome: denied ? 'denied' : 'expired', by })
    if (denied && card !== undefined && !card.request.isNested)
      this.#sendNote(deniedNote(card.request.tool, reason), by)
  }

  stop() {
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
    for (const { answerWindow } of this.#cards.values()) answerWindow.stop()
  }

  /** @param {Card} card @param {'yes' | 'no'} answer @param {AnsweredBy} by */
  #answer({ request: { token } }, answer, by) {
    return answer === 'yes' ? this.confirm(token, by) : this.deny(token, by)
  }

  /**
   * After a button or key the model speaks about the result at once; after speech it is already answering.
   * @param {string} text
   * @param {AnsweredBy} by
   */
  #sendNote(text, by) {
    const { delivery } = this.options
    if (by === 'speech') delivery.noteWhenIdle(text)
    else delivery.note(text)
  }

  /** The card of the question that is read back. */
  get #currentCard() {
    return this.#current === null ? undefined : this.#cards.get(this.#current)
  }

  /** Has the oldest question read that its user has not answered. */
  #readNext() {
    const next = [...this.#cards.values()].find(({ request }) => isOwn(request) && !this.#answered.has(request.token))
    this.#current = next?.request.token ?? null
    if (this.#current !== null) this.options.delivery.askWhenIdle(this.#current)
  }

  /** @param {string} token */
  async #isPending(token) {
    return (await this.options.session.listPending()).some(request => request.token === token)
  }

  /**
   * An answer to a question that has one gets the first one's outcome, once that is known.
   * @param {string} token
   * @returns {boolean} whether the question has an answer, also one under way
   */
  #repeatOutcome(token) {
    const closed = this.#answered.get(token)
    if (closed === undefined) return false
    if (closed !== null) this.#sendClosed(token, closed)
    if (closed?.result !== undefined) this.options.report(closed.result)
    return true
  }

  /** @param {string} token @param {Closed | null} closed */
  #markAnswered(token, closed) {
    this.#answered.set(token, closed)
    if (this.#answered.size > MAX_ANSWERED)
      this.#answered.delete(/** @type {string} */ (this.#answered.keys().next().value))
  }

  /** @param {string} token @param {Closed} closed */
  #close(token, closed) {
    this.#markAnswered(token, closed)
    this.#cards.get(token)?.answerWindow.stop()
    this.#cards.delete(token)
    if (this.#cards.size === 0 && this.#running.size === 0) this.stop()
    this.#sendClosed(token, closed)
    if (token === this.#current) this.#readNext()
  }

  /** @param {string} token @param {Closed} closed */
  #sendClosed(token, { outcome, by }) {
    this.options.sendFrame({ type: 'confirmationClosed', token, outcome, by })
  }

  /** Detects answers given elsewhere: by the text page, in this process or another one. */
  async #pollPending() {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      const pending = await this.options.session.listPending()
      for (const request of pending) this.#showCounted(request)
      const waiting = new Set(pending.map(({ token }) => token))
      const gone = [...this.#cards.values()].filter(
        ({ request: { token } }) => !waiting.has(token) && !this.#answered.has(token),
      )
      for (const card of gone) {
        const { token } = card.request
        this.#markAnswered(token, null)
        // Of a token that no longer waits, `confirm` returns the outcome and runs nothing.
        this.#closedElsewhere(whatOf(card), await this.options.session.confirm(token), 'time')
      }
      for (const question of this.#running.values())
        await this.#reportOutcome(question, await this.options.session.confirm(question.token))
    } catch {
      // The next poll retries a failed store; an answer given here reports the failure.
    } finally {
      this.#isPolling = false
    }
  }

  /** Shows how many approvers have confirmed a question by now. @param {import('toolgate').PendingConfirmation} request */
  #showCounted({ token, confirmations = 0 }) {
    const card = this.#cards.get(token)
    if (card === undefined || isOwn(card.request) || confirmations === (card.request.confirmations ?? 0)) return
    this.show({ ...card.request, confirmations }, card.call)
  }

  /**
   * Reports a question that has been answered in another place, or is over.
   * @param {Elsewhere} question
   * @param {ToolResponse} response of `confirm`: its error has the outcome
   * @param {AnsweredBy | 'time'} by how it was answered here
   */
  #closedElsewhere(question, response, by) {
    const { delivery, guarded } = this.options
    const { token, tool } = question
    const { reason, callId } = detailsOf(response)
    if (reason === 'used') {
      this.#close(token, { outcome: 'confirmed', by: 'elsewhere' })
      return guarded(() => this.#fetchResult(question, callId, response))
    }
    const isOver = reason !== 'unknown' && reason !== 'denied'
    this.#close(token, isOver ? { outcome: 'expired', by } : { outcome: 'denied', by: 'elsewhere' })
    if (isOver) delivery.contextWhenIdle(expiredNote(tool))
    else delivery.noteWhenIdle(deniedNote(tool))
  }

  /**
   * Repeats the original call: the gate answers from its record or joins the running call, and never asks again.
   * @param {Elsewhere} question
   * @param {string} callId of the call that was confirmed
   * @param {ToolResponse} known
   */
  async #fetchResult(question, callId, known) {
    const { session, report, conversation, delivery, meta } = this.options
    const { token, tool, call } = question
    const response = call !== undefined && call.id === callId ? await session.execute(call) : null
    const asked = response === null || response.ok ? undefined : response.error.confirmation_request?.token
    if (asked !== undefined) await session.deny(asked, 'answered before')
    if (response === null || asked !== undefined) return this.#reportOutcome(question, known)
    const result = { id: callId, name: tool, result: response }
    this.#markAnswered(token, { outcome: 'confirmed', by: 'elsewhere', result })
    report(result)
    delivery.noteWhenIdle(confirmedNote(response, meta))
    conversation.answered()
  }

  /**
   * Reports a confirmed call of which only the outcome is known: once it has ended, by itself or with its process. The result of a
   * background call is delivered as any other.
   * @param {Elsewhere} question
   * @param {ToolResponse} known of `confirm`
   */
  async #reportOutcome(question, known) {
    const { session, report, conversation, delivery, guarded, pollMs } = this.options
    const { token, tool } = question
    const { callId = null, outcome } = detailsOf(known)
    const isBackground = (await session.backgroundCalls()).some(call => call.callId === callId)
    if (outcome === 'running' && !isBackground) {
      this.#running.set(token, question)
      this.#timer ??= setInterval(() => guarded(() => this.#pollPending()), pollMs)
      return
    }
    this.#running.delete(token)
    if (this.#cards.size === 0 && this.#running.size === 0) this.stop()
    const result = { id: callId, name: tool, result: outcomeResponse(known) }
    this.#markAnswered(token, { outcome: 'confirmed', by: 'elsewhere', result })
    report(result)
    delivery.noteWhenIdle(elsewhereNote(tool, outcome))
    conversation.answered()
  }
}

/** @param {Card} card @returns {Elsewhere} */
const whatOf = ({ request: { token, tool }, call }) => ({ token, tool, call })
