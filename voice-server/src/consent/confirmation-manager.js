// Open confirmation requests: shows them to the user, has them read back one after another, and takes the answer. Only an event
// of the user answers one: the button, a telephone key, or, if the host allows it, an utterance after the read-back. A key and an
// utterance answer the question that is read back, a key only while nothing else was asked; the next one is read once that has
// its answer. Output of models and tools never reaches this class.
import { AnswerWindow } from './answer-window.js'
import { AnsweredElsewhere } from './answered-elsewhere.js'
import { confirmationFrame, isOwn, notConfirmedFrame } from './confirmation-frames.js'
import { isForm, readBackOf } from './read-back.js'
import { readBackCheck } from './read-back-check.js'
import { FORM_NOTE, confirmedNote, deniedNote, notConfirmedNote } from '../delivery/model-notes.js'
import { ShownGrants } from './shown-grants.js'

const MAX_ANSWERED = 50
/** @type {Record<string, 'yes' | 'no'>} */
const DIGITS = { 1: 'yes', 2: 'no' }
/** The way of an answer in the audit. @type {Record<AnsweredBy, string>} */
const VIA = { button: 'page', dtmf: 'key', speech: 'speech' }

/**
 * @typedef {'button' | 'dtmf' | 'speech'} AnsweredBy
 * @typedef {import('../voice-types.js').Question} Question
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {{ outcome: 'confirmed' | 'denied' | 'expired', by: AnsweredBy | 'elsewhere' | 'time',
 *   result?: import('../voice-types.js').Answer }} Closed `result`: of the call that ran
 * @typedef {import('./answered-elsewhere.js').Elsewhere} Elsewhere
 * @typedef {{ request: Question, readBack: string, answerWindow: AnswerWindow, confirmedBy?: AnsweredBy, isRunning?: boolean }} Card
 *   `confirmedBy`: its confirmation is being processed here; `isRunning`: the client knows that the call runs
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
  /** @type {AnsweredElsewhere} */
  #elsewhere
  /** The token of the question that is read back; the others wait for its answer. @type {string | null} */
  #current = null

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(toolId: string) => import('./confirmation-frames.js').Tool | null} options.metadataOf
   * @param {(frame: import('../voice-types.js').ServerFrame) => void} options.sendFrame to the client
   * @param {{ remainingMs(): number, inputMs(): number, answered(): void }} options.conversation
   * @param {Pick<import('../delivery/delivery.js').Delivery, 'note' | 'noteWhenIdle' | 'contextWhenIdle' | 'askWhenIdle' | 'confirming' | 'notConfirmed' | 'showing'>} options.delivery
   * @param {(answer: import('../voice-types.js').Answer) => void} options.report reports a call's result to the client
   * @param {() => boolean} options.isShown whether the client gets it
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
    this.#elsewhere = new AnsweredElsewhere({
      ...options,
      close: (token, closed) => this.#close(token, closed),
      remember: (token, closed) => this.#markAnswered(token, closed),
      watch: () => this.#watch(),
    })
  }

  /**
   * Shows a question to the user. One that approvers decide about is shown, and not asked: its user can withdraw it.
   *
   * @param {Question} request the gate's confirmation request
   * @returns {string | null} the read-back; null if another question is read first
   */
  show(request) {
    const { session, metadataOf, sendFrame, conversation } = this.options
    const tool = metadataOf(request.tool)
    const readBack = readBackOf(request, tool?.title ?? request.tool)
    if (this.#answered.has(request.token)) return readBack
    // The call that runs by the answer to the current question may ask this one, and waits for it.
    const isFree = this.#current === null || this.#answered.has(this.#current)
    const isNext = isOwn(request) && (isFree || this.#current === request.token)
    const known = this.#cards.get(request.token)
    const rows = session.showArguments(request.tool, request.args)?.rows
    const answerWindow = known?.answerWindow ?? new AnswerWindow(conversation, readBackCheck(readBack, rows ?? []))
    this.#cards.set(request.token, { request, readBack, answerWindow })
    sendFrame(confirmationFrame(request, { tool, rows, readBack }))
    this.#watch()
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
    // The question of the handler's own call has been answered.
    this.options.guarded(() => this.#pollPending())
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
    const { session, report, isShown, filler, conversation, delivery } = this.options
    const card = this.#cards.get(token)
    if (card !== undefined && !isOwn(card.request)) return
    if (card !== undefined && isForm(card.request) && wishes?.args === undefined) return this.#sendNote(FORM_NOTE, by)
    const { callId, tool = '' } = card?.request ?? {}
    this.#markAnswered(token, null)
    if (card !== undefined) card.confirmedBy = by
    if (callId) filler.begin({ id: callId, name: tool })
    const isAnsweredHere = delivery.confirming(token)
    const response = await session.confirm(token, { via: VIA[by], ...wishes })
    if (callId) filler.end(callId, response)
    if (!response.ok && (await this.#isPending(token))) return this.#notConfirmed(token, response, by)
    const id = response.meta.callId ?? null
    const held = id === null ? null : session.heldResult(id)
    const result = { id, name: response.meta.toolId, result: response, ...(held && { held }) }
    if (!response.ok && response.error.type === 'CONFIRMATION_EXPIRED') {
      const known = await this.#elsewhere.look(token)
      const hasRun = ['answered', 'running', 'unknown'].includes(known.status)
      // An answer that an earlier connection sent: of this process, which gives its result, or of another one.
      if (hasRun && card === undefined && isAnsweredHere)
        return this.#close(token, { outcome: 'confirmed', by: 'elsewhere' })
      const question = { token, tool: result.name, callId: callId ?? result.id }
      if (hasRun || card !== undefined) return this.#elsewhere.closed(question, known, by)
      this.#close(token, { outcome: 'expired', by })
      return report(result)
    }
    this.#close(token, { outcome: 'confirmed', by, result })
    // What is held is offered to the session's next connection, which shows it.
    if (id === null || held === null || (isShown() && delivery.showing(id))) report(result)
    if (wishes?.grant) this.options.guarded(() => this.grants.show())
    if (!card?.request.isNested)
      this.#sendNote(confirmedNote(response, this.options.meta), by, held ? result : undefined)
    conversation.answered()
  }

  /**
   * The gate refused the changes or the grant, or could not run the call: its question still waits.
   * @param {string} token @param {ToolResponse & { ok: false }} response @param {AnsweredBy} by
   */
  #notConfirmed(token, response, by) {
    const { sendFrame, delivery, meta } = this.options
    this.#answered.delete(token)
    const card = this.#cards.get(token)
    if (card !== undefined) card.confirmedBy = undefined
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
    if (!denied && card !== undefined)
      return this.#elsewhere.closed(whatOf(card), await this.#elsewhere.look(token), by)
    this.#close(token, { outcome: denied ? 'denied' : 'expired', by })
    if (denied && card !== undefined && !card.request.isNested)
      this.#sendNote(deniedNote(card.request.tool, reason), by)
  }

  #watch() {
    const { guarded, pollMs } = this.options
    this.#timer ??= setInterval(() => guarded(() => this.#pollPending()), pollMs)
  }

  #stopIfDone() {
    if (this.#cards.size === 0 && !this.#elsewhere.isWaiting) this.stop()
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
   * @param {import('../voice-types.js').Answer} [answer] that the note reports
   */
  #sendNote(text, by, answer) {
    const { delivery } = this.options
    if (by === 'speech') delivery.noteWhenIdle(text, answer)
    else delivery.note(text, answer)
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
    const card = this.#cards.get(token)
    card?.answerWindow.stop()
    this.#cards.delete(token)
    this.#stopIfDone()
    if (card?.isRunning !== true) this.#sendClosed(token, closed)
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
        await this.#elsewhere.closed(whatOf(card), await this.#elsewhere.look(token), 'time')
      }
      await this.#elsewhere.poll()
      await this.#closeRunning(waiting)
      this.#stopIfDone()
    } catch {
      // The next poll retries a failed store; an answer given here reports the failure.
    } finally {
      this.#isPolling = false
    }
  }

  /**
   * The client learns that a call runs that was confirmed here: its result can take long, or wait for another question.
   * @param {Set<string>} waiting the tokens of the questions that wait
   */
  async #closeRunning(waiting) {
    for (const card of this.#cards.values()) {
      const { token } = card.request
      if (card.confirmedBy === undefined || card.isRunning || waiting.has(token)) continue
      const { status } = await this.#elsewhere.look(token)
      // The result may have come while it was looked at.
      if (status !== 'running' || this.#cards.get(token) !== card) continue
      card.isRunning = true
      this.#sendClosed(token, { outcome: 'confirmed', by: card.confirmedBy })
    }
  }

  /** Shows how many approvers have confirmed a question by now. @param {import('toolgate').PendingConfirmation} request */
  #showCounted({ token, confirmations = 0 }) {
    const card = this.#cards.get(token)
    if (card === undefined || isOwn(card.request) || confirmations === (card.request.confirmations ?? 0)) return
    this.show({ ...card.request, confirmations })
  }
}

/** @param {Card} card @returns {Elsewhere} */
const whatOf = ({ request: { token, tool, callId = null } }) => ({ token, tool, callId })
