// Questions that were answered in another place, by the text page, in this process or another one, or that are over. What became of
// them is looked at: a look answers nothing, and leaves nothing in the audit.
import { confirmedNote, deniedNote, elsewhereNote, expiredNote, goneNote } from '../delivery/model-notes.js'

/**
 * @typedef {import('./confirmation-manager.js').Closed} Closed
 * @typedef {import('./confirmation-manager.js').AnsweredBy} AnsweredBy
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('toolgate').CallOutcome} CallOutcome
 * @typedef {{ token: string, tool: string, callId: string | null }} Elsewhere `callId`: of the call that asked
 */

/** What the user's page says of a call that may have run. */
const LOST = 'it was confirmed and started, and whether it took effect is not known; it is not run again'

export class AnsweredElsewhere {
  /** Calls that were confirmed in another place and have not ended, by token. @type {Map<string, Elsewhere>} */
  #running = new Map()

  /**
   * @param {object} options
   * @param {import('toolgate').Session} options.session
   * @param {{ answered(): void }} options.conversation
   * @param {Pick<import('../delivery/delivery.js').Delivery, 'noteWhenIdle' | 'contextWhenIdle' | 'showing'>} options.delivery
   * @param {(answer: import('../voice-types.js').Answer) => void} options.report reports a call's result to the client
   * @param {import('toolgate').ModelMeta} [options.meta]
   * @param {(token: string, closed: Closed) => void} options.close closes the card
   * @param {(token: string, closed: Closed) => void} options.remember what a second answer gets
   * @param {() => void} options.watch begins to call `poll`
   */
  constructor(options) {
    this.options = options
  }

  get isWaiting() {
    return this.#running.size > 0
  }

  /** @param {string} token */
  look(token) {
    return this.options.session.outcome({ token })
  }

  /** Looks for the ends of calls that ran when they were looked at last. */
  async poll() {
    for (const question of this.#running.values()) await this.#report(question, await this.look(question.token))
  }

  /**
   * Closes the card of a question that does not wait here any more, and reports to the client and the model what became of it.
   * @param {Elsewhere} question @param {CallOutcome} known @param {AnsweredBy | 'time'} by how it was answered here
   */
  async closed(question, known, by) {
    const { delivery, close, watch } = this.options
    const { token, tool } = question
    switch (known.status) {
      case 'denied':
        close(token, { outcome: 'denied', by: 'elsewhere' })
        return delivery.noteWhenIdle(deniedNote(tool))
      case 'expired':
        close(token, { outcome: 'expired', by })
        return delivery.contextWhenIdle(expiredNote(tool))
      case 'not_found':
        close(token, { outcome: 'expired', by: 'elsewhere' })
        return delivery.contextWhenIdle(goneNote(tool))
      default:
        // The next poll looks again if the report fails: the card is not looked at any more.
        this.#running.set(token, question)
        close(token, { outcome: 'confirmed', by: 'elsewhere' })
        watch()
        return this.#report(question, known)
    }
  }

  /**
   * Reports the result of a confirmed call, once it has ended, by itself or with its process. That of one that runs and is owed, in the
   * background or to a connection that has left, is delivered as any other.
   * @param {Elsewhere} question @param {CallOutcome} known
   */
  async #report(question, { status, response }) {
    const { session, report, conversation, delivery, meta, remember } = this.options
    const { token, tool, callId } = question
    const isRunning = status === 'running'
    const isOwed =
      isRunning && callId !== null && (await session.backgroundCalls()).some(call => call.callId === callId)
    // Another look may have reported it meanwhile.
    if ((isRunning && !isOwed) || !this.#running.delete(token)) return
    const answer = response ?? (isRunning ? runningResponse(question) : lostResponse(question))
    const id = response?.meta.callId ?? callId
    const result = { id, name: tool, result: answer }
    remember(token, { outcome: 'confirmed', by: 'elsewhere', result })
    // It may have been delivered before.
    const isEnd = id !== null && !isRunning
    if (!isEnd || delivery.showing(id)) report(result)
    const note =
      response === undefined ? elsewhereNote(tool, isRunning ? 'running' : 'unknown') : confirmedNote(response, meta)
    delivery.noteWhenIdle(note, isEnd ? result : undefined)
    conversation.answered()
  }
}

/** What is known of a call without its answer. @param {Elsewhere} question */
const metaOf = ({ tool, callId }) => /** @type {ToolResponse['meta']} */ ({ toolId: tool, callId, duration: 0 })

/** @param {Elsewhere} question @returns {ToolResponse} */
const runningResponse = question => ({
  ok: true,
  data: undefined,
  intents: [],
  meta: { ...metaOf(question), pending: true },
})

/** @param {Elsewhere} question @returns {ToolResponse} */
const lostResponse = question => ({
  ok: false,
  error: {
    type: 'CONFLICT',
    message: LOST,
    retryable: false,
    partialSideEffects: true,
    details: { outcome: 'unknown' },
  },
  intents: [],
  meta: metaOf(question),
})
