'use strict'

// Calls of clients of the revision 2026-07-28: a question is the result of a request, and its answer comes with the same call sent
// again. A call whose handler waits for its user outlives its requests; whatever process gets the answer, the store has the question.

const {
  DISMISSED,
  MAX_SHOWN,
  QUESTION,
  UNASKED,
  answerOf,
  declined,
  isQuestion,
  isRefusedChange,
  unanswered,
  unusable,
} = require('./question.js')
const { memberOf } = require('../values/foreign.js')

const VIA = { via: 'mcp' }
/** The pause before a look at the store for a question of a call that another process runs. */
const LOOK_MS = 250
/** @type {Promise<never>} */
const UNSTARTED = new Promise(() => {})

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./tool-calls.js').IdentifiedCall} IdentifiedCall
 * @typedef {import('./question.js').ToolResponse} ToolResponse
 * @typedef {import('./question.js').FailedResponse} FailedResponse
 * @typedef {import('./question.js').TokenRequest} TokenRequest
 * @typedef {{ token: string, isNested: boolean, shown: number }} RoundQuestion the question that a request answers; `isNested`: a handler's
 *   call asked; `shown`: how often
 * @typedef {{ question: TokenRequest, isNested: boolean, shown: number, refused: string }} Ask `refused`: why the gate refused the
 *   user's changes, if they were asked before
 * @typedef {object} RoundRequest
 * @property {RoundQuestion | null} asked
 * @property {unknown} responses what the client has answered, by name; foreign
 * @property {(question: TokenRequest) => boolean} canAsk
 * @property {AbortSignal} signal
 * @property {string} reason of a cancellation
 *
 * @typedef {object} RunningCall
 * @property {Promise<ToolResponse>} outcome
 * @property {AbortController} stop
 * @property {TokenRequest[]} questions of its handler, not answered
 * @property {Set<() => void>} woken called if there is another question
 * @property {{ question: TokenRequest, shown: number } | null} edited the question whose arguments the user has changed
 * @property {boolean} isElsewhere whether another process may run it: that one gets its questions
 * @property {Set<string>} ids of the request that began it, and of the call that runs: an equal one may have asked first
 *
 * @typedef {{ ask: Ask } | { response: ToolResponse }} Round
 * @typedef {Round & { ended: Promise<unknown> }} EndedRound `ended`: settles when the call needs its session no more
 * @typedef {(signal: AbortSignal) => Promise<ToolResponse>} Begin
 * @typedef {{ begin: Begin, edited?: RunningCall['edited'], isElsewhere?: boolean, runId?: string | null }} Beginning `runId`: of
 *   the call that asked, and runs
 */

class Rounds {
  /** By call id. @type {Map<string, RunningCall>} */
  #running = new Map()

  /**
   * A question of a handler's call, which waits for the answer. False if no call of a client waits.
   * @param {import('toolgate').NestedConfirmation} question
   */
  ask(question) {
    const running = this.#running.get(question.callId ?? '')
    if (running === undefined) return false
    if (question.approvers !== undefined) return true
    if (running.questions.every(({ token }) => token !== question.token)) running.questions.push(question)
    for (const wake of running.woken) wake()
    return true
  }

  /**
   * The call up to its answer, or to the next question.
   * @param {Session} session @param {IdentifiedCall} call @param {RoundRequest} request
   * @returns {Promise<EndedRound>}
   */
  async round(session, call, request) {
    const step = await this.#answered(session, call, request)
    if (!('begin' in step)) return { ...step, ended: Promise.resolve() }
    const known = this.#running.get(call.id)
    const running = known ?? this.#start(call.id, step)
    const round = await this.#next(session, call, running, request)
    return { ...round, ended: known === undefined ? running.outcome.catch(() => {}) : Promise.resolve() }
  }

  /** @param {string} id @param {Beginning} beginning @returns {RunningCall} */
  #start(id, { begin, edited = null, isElsewhere = false, runId }) {
    const stop = new AbortController()
    const ids = new Set([id, runId ?? id])
    /** @type {RunningCall} */
    const running = { outcome: UNSTARTED, stop, questions: [], woken: new Set(), edited, isElsewhere, ids }
    // A handler may ask before `begin` returns.
    for (const one of ids) this.#running.set(one, running)
    running.outcome = begin(stop.signal)
    const end = () => {
      for (const one of ids) if (this.#running.get(one) === running) this.#running.delete(one)
    }
    running.outcome.then(end, end)
    return running
  }

  /**
   * Gives the gate the user's answer. The result is how the call goes on.
   * @param {Session} session @param {IdentifiedCall} call @param {RoundRequest} request
   * @returns {Promise<Round | Beginning>}
   */
  async #answered(session, call, { asked, responses, reason }) {
    /** @type {Beginning} */
    const execute = { begin: signal => session.execute(call, { signal, reason }) }
    if (asked === null || responses === undefined) return execute
    const pending = (await session.listPending()).find(({ token }) => token === asked.token)
    const question = /** @type {TokenRequest | undefined} */ (pending)
    if (asked.isNested)
      return (
        (await this.#answerNested(session, call.id, asked, question, responses)) ?? { ...execute, isElsewhere: true }
      )
    // The question is gone if it was answered before: a call runs once for one answer.
    const given = question === undefined ? actionOf(responses) : answerOf(session, question, responses)
    if (given === undefined) return execute
    const { action, args } = given
    if (action === 'accept') {
      return {
        begin: async signal => {
          const options = { signal, ...VIA }
          const response = question && (await session.confirm(question.token, { ...options, args }))
          // Without a question, or if its answer has reached another process since, the call gets what came of it.
          if (response !== undefined && !isGone(response)) return response
          const found = await session.confirm(call, options)
          // Another request's equal call was the one that ran for the answer.
          return hasRun(found) ? session.execute(call, { signal, reason }) : found
        },
        edited: question === undefined || args === undefined ? null : { question, shown: asked.shown },
        runId: pending?.callId ?? null,
      }
    }
    if (action === 'decline') return (await this.#declined(session, call, question)) ?? execute
    const response = await session.execute(call, { reason })
    return { response: isQuestion(response) ? unanswered(response, DISMISSED) : response }
  }

  /**
   * @param {Session} session @param {IdentifiedCall} call @param {TokenRequest | undefined} question
   * @returns {Promise<Round | null>} null if it was answered before, and the call has begun
   */
  async #declined(session, call, question) {
    const isDenied = question !== undefined && (await session.deny(question.token, 'declined', VIA))
    if (!isDenied && (await session.outcome({ callId: call.id })).status !== 'denied') return null
    const error = { retryable: false, partialSideEffects: false }
    return { response: declined(/** @type {FailedResponse} */ ({ ok: false, error, meta: { toolId: call.name } })) }
  }

  /**
   * @param {Session} session @param {string} callId @param {RoundQuestion} asked @param {TokenRequest | undefined} question
   * @param {unknown} responses
   * @returns {Promise<Round | null>} null if the call goes on
   */
  async #answerNested(session, callId, { token, shown }, question, responses) {
    const given = question === undefined ? undefined : answerOf(session, question, responses)
    // An answer is missing: the question is asked again.
    if (question !== undefined && given === undefined) return null
    const { action, args } = given ?? {}
    if (question !== undefined && action === 'accept') {
      const outcome = session.confirm(token, { ...VIA, args })
      // The handler gets the answer of its call. What is waited for here is whether the changes were refused.
      outcome.catch(() => {})
      const refusal = args === undefined ? null : await outcome
      if (refusal !== null && isRefusedChange(refusal)) {
        if (shown < MAX_SHOWN)
          return { ask: { question, isNested: true, shown: shown + 1, refused: refusal.error.message } }
        await session.deny(token, 'no answer', VIA)
      }
    } else if (question !== undefined) {
      await session.deny(token, action === 'decline' ? 'declined' : 'no answer', VIA)
    }
    const running = this.#running.get(callId)
    if (running !== undefined) running.questions = running.questions.filter(other => other.token !== token)
    return null
  }

  /**
   * @param {Session} session @param {IdentifiedCall} call @param {RunningCall} running @param {RoundRequest} request
   * @returns {Promise<Round>}
   */
  async #next(session, call, running, { signal, canAsk, reason }) {
    const stop = () => running.stop.abort()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    /** @type {() => void} */
    let wake = () => {}
    try {
      for (;;) {
        const [question] = running.questions
        if (question !== undefined && canAsk(question))
          return { ask: { question, isNested: true, shown: 1, refused: '' } }
        // Without an answer the handler would wait until the question expires.
        if (question !== undefined) await session.deny(running.questions.splice(0, 1)[0].token, 'no answer', VIA)
        if (running.questions.length > 0) continue
        const asked = new Promise(resolve => running.woken.add((wake = () => resolve(null))))
        const looked = running.isElsewhere ? this.#look(session, running) : UNSTARTED
        const response = /** @type {ToolResponse | null} */ (await Promise.race([running.outcome, asked, looked]))
        running.woken.delete(wake)
        if (response !== null) return await ended(session, call, running, response, { canAsk, reason })
      }
    } finally {
      running.woken.delete(wake)
      signal.removeEventListener('abort', stop)
    }
  }

  /**
   * Takes the questions that the call has asked in the process that runs it.
   * @param {Session} session @param {RunningCall} running
   * @returns {Promise<null>}
   */
  async #look(session, running) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    const isHere = (/** @type {string | null | undefined} */ id) => this.#running.get(id ?? '') === running
    if (![...running.ids].some(isHere)) return null
    // A store that fails has its say in the call's own answer.
    const pending = await session.listPending().catch(() => [])
    for (const { parentCallId, ...question } of pending)
      if (isHere(parentCallId)) this.ask({ ...question, callId: parentCallId ?? null })
    return null
  }
}

/**
 * @param {Session} session @param {IdentifiedCall} call @param {RunningCall} running @param {ToolResponse} response
 * @param {Pick<RoundRequest, 'canAsk' | 'reason'>} request
 * @returns {Promise<Round>}
 */
async function ended(session, call, { edited }, response, { canAsk, reason }) {
  if (edited !== null && isRefusedChange(response)) {
    const { question, shown } = edited
    if (shown < MAX_SHOWN)
      return { ask: { question, isNested: false, shown: shown + 1, refused: response.error.message } }
    const pending = await session.execute(call, { reason })
    return { response: isQuestion(pending) ? unusable(pending, response) : pending }
  }
  if (!isQuestion(response)) return { response }
  const question = response.error.confirmation_request
  return canAsk(question)
    ? { ask: { question, isNested: false, shown: 1, refused: '' } }
    : { response: unanswered(response, UNASKED) }
}

/** Of a question that was answered before, what its user has done. @param {unknown} responses @returns {import('./question.js').GivenAnswer | undefined} */
function actionOf(responses) {
  const form = memberOf(responses, QUESTION)
  return form === undefined || form === null ? undefined : { action: String(memberOf(form, 'action')) }
}

/** @param {ToolResponse} response */
const isGone = response => !response.ok && response.error.type === 'CONFIRMATION_EXPIRED'

/** Whether an equal call runs, or has run, by the same yes: its result is this one's, too. @param {ToolResponse} response */
const hasRun = response =>
  isGone(response) &&
  ['running', 'committed'].includes(String(memberOf(memberOf(memberOf(response, 'error'), 'details'), 'outcome')))

module.exports = { LOOK_MS, Rounds }
