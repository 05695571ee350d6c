// Questions that wait for the user: shown, read back, answered. Only an event of the user's own answers one: the button,
// a key, or, where the host allows it, what they said after the read-back. Nothing that a model says or a tool returns
// comes here.
import { ReadBackClock } from './read-back-clock.js'
import { readBackOf } from './read-back.js'
import { confirmedNote, deniedNote, elsewhereNote, expiredNote } from './model-notes.js'

const CLOSED_KEPT = 50
const DIGITS = { 1: 'yes', 2: 'no' }

export class Consent {
  /** Token → `{ request, title, readBack, call, clock }`. */
  #cards = new Map()
  /** Tokens that are being answered here, and the last that were. */
  #answered = new Set()
  #timer = null
  #looking = false

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {(toolId: string) => { title: string } | null} options.metadataOf
   * @param {(frame: object) => void} options.tell the client
   * @param {{ remainingMs(): number, inputMs(): number, note(text: string): void, noteWhenIdle(text: string): void,
   *   contextWhenIdle(text: string): void }} options.conversation
   * @param {(answer: { id: string | null, name: string, result: import('toolgate').ToolResponse }) => void} options.report
   *   what came of a call
   * @param {import('./filler.js').Filler} options.filler
   * @param {null | ((text: string) => 'yes' | 'no' | null)} options.matcher what is taken for a spoken answer
   * @param {number} options.pollMs how often another place's answer is looked for while a question is open
   * @param {(act: () => Promise<void>) => void} options.guarded runs what nobody awaits
   */
  constructor(options) {
    this.options = options
  }

  /**
   * A question that the user is to see.
   *
   * @param {object} request as the gate made it
   * @param {import('toolgate').ToolCall} [call] that asked, as it came; unknown after a reconnect
   * @returns {string} what is read back
   */
  asked(request, call) {
    const { metadataOf, tell, conversation, pollMs, guarded } = this.options
    const title = metadataOf(request.tool)?.title ?? request.tool
    const readBack = readBackOf(request, title)
    if (this.#answered.has(request.token)) return readBack
    const known = this.#cards.get(request.token)
    const clock = known?.clock ?? new ReadBackClock(conversation)
    this.#cards.set(request.token, { request, readBack, call: call ?? known?.call, clock })
    tell({ type: 'confirmation', request: cardOf(request), title, readBack })
    this.#timer ??= setInterval(() => guarded(() => this.#look()), pollMs)
    return readBack
  }

  /** The model was given the read-back. */
  told(token) {
    this.#cards.get(token)?.clock.told()
  }

  turnCompleted() {
    for (const { clock } of this.#cards.values()) clock.turnCompleted()
  }

  modelSpoke() {
    for (const { clock } of this.#cards.values()) clock.modelSpoke()
  }

  played() {
    for (const { clock } of this.#cards.values()) clock.played()
  }

  interrupted() {
    for (const { clock } of this.#cards.values()) clock.interrupted()
  }

  /** @param {string} digit @returns {Promise<boolean>} false where nothing was asked that it could answer */
  async digit(digit) {
    const answer = DIGITS[digit]
    if (answer === undefined) return true
    const card = await this.#onlyCard()
    if (!card?.clock.isTold) return false
    await this.#answer(card, answer, 'dtmf')
    return true
  }

  /** @param {{ text: string, startMs: number | null }} utterance the user's final words */
  async heard({ text, startMs }) {
    const answer = this.options.matcher?.(text) ?? null
    if (answer === null || this.#cards.size !== 1) return
    const card = await this.#onlyCard()
    if (card?.clock.isAnsweredFrom(startMs)) await this.#answer(card, answer, 'speech')
  }

  /**
   * The user's act: it runs what was shown, outside of any turn's budget.
   *
   * @param {string} token @param {'button' | 'dtmf' | 'speech'} by
   */
  async confirm(token, by) {
    const { session, tell, report, filler, conversation } = this.options
    const { callId } = this.#cards.get(token)?.request ?? {}
    this.#take(token)
    if (callId) filler.begin({ id: callId, name: this.#cards.get(token).request.tool })
    const response = await session.confirm(token)
    if (callId) filler.end(callId, response)
    const result = { id: response.meta.callId ?? null, name: response.meta.toolId, result: response }
    // What the gate could not take just now still waits.
    if (!response.ok && response.error.retryable && (await this.#isPending(token))) {
      this.#answered.delete(token)
      return report(result)
    }
    const isLate = response.error?.type === 'CONFIRMATION_EXPIRED'
    this.#close(token)
    tell({ type: 'confirmationClosed', token, outcome: isLate ? 'expired' : 'confirmed', by })
    report(result)
    if (isLate) return
    this.#note(confirmedNote(response), by)
    conversation.answered()
  }

  /** @param {string} token @param {'button' | 'dtmf' | 'speech'} by @param {string} [reason] */
  async deny(token, by, reason) {
    const { session, tell } = this.options
    const tool = this.#cards.get(token)?.request.tool
    this.#take(token)
    const denied = await session.deny(token, reason)
    this.#close(token)
    tell({ type: 'confirmationClosed', token, outcome: denied ? 'denied' : 'expired', by })
    if (denied && tool !== undefined) this.#note(deniedNote(tool, reason), by)
  }

  stop() {
    clearInterval(this.#timer)
    this.#timer = null
    for (const { clock } of this.#cards.values()) clock.stop()
  }

  #answer({ request: { token } }, answer, by) {
    return answer === 'yes' ? this.confirm(token, by) : this.deny(token, by)
  }

  /** Who pressed a button waits for the answer; who spoke is being answered already. */
  #note(text, by) {
    const { conversation } = this.options
    if (by === 'speech') conversation.noteWhenIdle(text)
    else conversation.note(text)
  }

  /** The card of the one question that waits in the whole session; none where there are more. */
  async #onlyCard() {
    const [request, ...more] = await this.options.session.listPending()
    return request === undefined || more.length > 0 ? undefined : this.#cards.get(request.token)
  }

  async #isPending(token) {
    return (await this.options.session.listPending()).some(request => request.token === token)
  }

  #take(token) {
    this.#answered.add(token)
    if (this.#answered.size > CLOSED_KEPT) this.#answered.delete(this.#answered.values().next().value)
  }

  #close(token) {
    this.#cards.get(token)?.clock.stop()
    this.#cards.delete(token)
    if (this.#cards.size === 0) this.stop()
  }

  /** Another place may have answered: the page, in this process or another one. */
  async #look() {
    if (this.#looking) return
    this.#looking = true
    try {
      const waiting = new Set((await this.options.session.listPending()).map(({ token }) => token))
      const gone = [...this.#cards.values()].filter(
        ({ request: { token } }) => !waiting.has(token) && !this.#answered.has(token),
      )
      for (const card of gone) await this.#closedElsewhere(card)
    } catch {
      // A store that fails just now is asked again; what the user answers here tells of it.
    } finally {
      this.#looking = false
    }
  }

  /** A token that waits no more never waits again: asked about, the gate says what became of it, and runs nothing. */
  async #closedElsewhere(card) {
    const { session, tell, conversation } = this.options
    const { token, tool } = card.request
    this.#take(token)
    this.#close(token)
    const { reason, callId, outcome } = (await session.confirm(token)).error?.details ?? {}
    if (reason === 'used') {
      tell({ type: 'confirmationClosed', token, outcome: 'confirmed', by: 'elsewhere' })
      return this.options.guarded(() => this.#resultOf(card, { callId, outcome }))
    }
    const isOver = reason !== 'unknown'
    const how = isOver ? { outcome: 'expired', by: 'time' } : { outcome: 'denied', by: 'elsewhere' }
    tell({ type: 'confirmationClosed', token, ...how })
    if (isOver) conversation.contextWhenIdle(expiredNote(tool))
    else conversation.noteWhenIdle(deniedNote(tool))
  }

  /** The call that asked, made again, is answered from its record, or waits for it. It never asks a second time. */
  async #resultOf({ call, request: { tool } }, { callId, outcome }) {
    const { session, report, conversation } = this.options
    const response = call !== undefined && call.id === callId ? await session.execute(call) : null
    const token = response?.error?.confirmation_request?.token
    if (token !== undefined) await session.deny(token, 'answered before')
    if (response === null || token !== undefined) return conversation.noteWhenIdle(elsewhereNote(tool, outcome))
    report({ id: callId, name: tool, result: response })
    conversation.noteWhenIdle(confirmedNote(response))
    conversation.answered()
  }
}

/** What the user's card needs, and nothing of the record behind it. */
function cardOf({ token, expires, tool, args, preview }) {
  return { token, expires, tool, args, preview }
}
