'use strict'

// Confirmation by elicitation, for clients of revisions before 2026-07-28. The client shows the gate's question to its user, who may
// change arguments in its form. The token never leaves this process, so a model can't answer for its user.

const {
  DISMISSED,
  MAX_SHOWN,
  UNASKED,
  UNHEARD,
  answerOf,
  canBeAsked,
  canShowForms,
  declined,
  isQuestion,
  isRefusedChange,
  requestsOf,
  unanswered,
  unusable,
} = require('./question.js')

const { memberOf } = require('../values/foreign.js')

/** The largest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @typedef {import('./question.js').ToolResponse} ToolResponse
 * @typedef {import('./question.js').FailedResponse} FailedResponse
 * @typedef {import('./question.js').TokenRequest} TokenRequest
 * @typedef {import('./question.js').QuestionResponse} QuestionResponse
 * @typedef {'accept' | 'decline' | 'cancel' | 'none' | 'unusable'} UserAnswer
 * @typedef {{ answer: UserAnswer, args?: Record<string, unknown> }} FilledForm `args`: as the user has changed them
 * @typedef {{ answer: UserAnswer, outcome?: Promise<ToolResponse> }} AskedQuestion `outcome`: of the confirmed call, or why the
 *   user's changes were `unusable`
 * @typedef {{ send: import('@modelcontextprotocol/server').ServerContext['mcpReq']['send'], signal: AbortSignal, reason: string }} AskingRequest
 *   `send`: a request to the client, over the stream of this one; `reason`: of a cancellation
 */

class Consent {
  /**
   * Token → promise of the user's answer: equal calls share one question, which is shown once.
   * @type {Map<string, Promise<AskedQuestion>>}
   */
  #asked = new Map()
  #session
  #server

  /**
   * @param {import('toolgate').Session} session
   * @param {import('@modelcontextprotocol/server').Server} server
   */
  constructor(session, server) {
    this.#session = session
    this.#server = server
  }

  /**
   * Asks the user about a call whose answer is CONFIRMATION_REQUIRED.
   * @param {import('toolgate').ToolCall} call
   * @param {QuestionResponse} response the gate's question
   * @param {AskingRequest} request
   * @returns {Promise<ToolResponse>} the answer of the confirmed call, or the reason why it did not
   *   run
   */
  async resolve(call, response, request) {
    // Others decide: the answer says who, and this client's user is not asked.
    if (!isQuestion(response)) return response
    const { token, expires } = response.error.confirmation_request
    if (!canShowForms(this.#server.getClientCapabilities())) return unanswered(response, UNASKED)
    const pending = this.#asked.get(token)
    if (pending === undefined) {
      const asked = await this.#ask(token, response.error.confirmation_request, request)
      const done = await this.#answered(asked, response)
      const isOwn = asked.answer === 'accept' && (done.ok || done.error.type !== 'CONFIRMATION_EXPIRED')
      const found = isOwn ? done : await this.#answeredElsewhere(token, call, { response, done, request })
      return this.#askedAnew(token, call, found, request)
    }
    const { answer } = await pending
    // The user accepted one run; an equal call gets its answer replayed.
    if (answer === 'accept') return this.#askedAnew(token, call, await this.#session.execute(call, request), request)
    // The request that asked may have been cancelled, and the question with it.
    if (answer === 'none' && Date.now() < expires && !request.signal.aborted)
      return this.resolve(call, response, request)
    return this.#answered(await pending, response)
  }

  /**
   * Asks the user about a handler's call, which waits for the answer: without one it would wait until the question expires.
   * @param {TokenRequest} asked
   * @param {AskingRequest | undefined} request of the model's call
   * @returns {Promise<void>}
   */
  async askNested(asked, request) {
    const { token, expires, approvers } = asked
    if (approvers !== undefined) return
    const canAsk = canBeAsked(asked, this.#server.getClientCapabilities()) && request !== undefined
    const pending = this.#asked.get(token)
    const { answer } = await (pending ?? (canAsk ? this.#ask(token, asked, request) : { answer: 'none' }))
    // The gate closes the question of a cancelled call, and not one that another call waits for.
    if (answer === 'accept' || answer === 'decline' || request?.signal.aborted) return
    // The request that asked may have been cancelled, and the question with it.
    if (pending !== undefined && canAsk && answer === 'none' && Date.now() < expires)
      return this.askNested(asked, request)
    await this.#session.deny(token, 'no answer', { via: 'mcp' })
  }

  /**
   * Asks again about a confirmed call whose act was done since the user was asked: the answer has another token.
   * @param {string} asked
   * @param {import('toolgate').ToolCall} call
   * @param {ToolResponse} response
   * @param {AskingRequest} request
   * @returns {Promise<ToolResponse>}
   */
  #askedAnew(asked, call, response, request) {
    const token = response.ok ? undefined : response.error.confirmation_request?.token
    return token !== undefined && token !== asked
      ? this.resolve(call, /** @type {QuestionResponse} */ (response), request)
      : Promise.resolve(response)
  }

  /**
   * What came of a question that was answered in another place while the client's form was open; else what the form came to.
   * @param {string} token @param {import('toolgate').ToolCall} call
   * @param {{ response: QuestionResponse, done: ToolResponse, request: AskingRequest }} asked
   */
  async #answeredElsewhere(token, call, { response, done, request }) {
    // If the store fails, the form's own answer counts.
    const { status } = await this.#session.outcome({ token }).catch(() => ({ status: 'pending' }))
    if (status === 'running' || status === 'answered') return this.#session.execute(call, request)
    return status === 'denied' ? declined(response) : done
  }

  /** @param {AskedQuestion} asked @param {QuestionResponse} response */
  async #answered({ answer, outcome }, response) {
    if (answer === 'accept') return /** @type {Promise<ToolResponse>} */ (outcome)
    if (answer === 'decline') return declined(response)
    if (answer === 'unusable') return unusable(response, await /** @type {Promise<FailedResponse>} */ (outcome))
    return unanswered(response, answer === 'cancel' ? DISMISSED : UNHEARD)
  }

  /** @param {string} token @param {TokenRequest} question @param {AskingRequest} request */
  #ask(token, question, request) {
    const asked = this.#act(token, question, request).finally(() => this.#asked.delete(token))
    this.#asked.set(token, asked)
    return asked
  }

  /**
   * The answer, and its outcome: the confirmed run begins before any equal call receives the answer.
   * @param {string} token
   * @param {TokenRequest} question
   * @param {AskingRequest} request
   * @returns {Promise<AskedQuestion>}
   */
  async #act(token, question, request) {
    let refused = ''
    for (let shown = 1; ; shown += 1) {
      const { answer, args } = await this.#elicit(question, request, refused)
      if (answer === 'decline') await this.#session.deny(token, 'declined', { via: 'mcp' })
      if (answer !== 'accept') return { answer }
      if (request.signal.aborted) return { answer: 'none' }
      const outcome = this.#session.confirm(token, { signal: request.signal, via: 'mcp', args })
      if (args === undefined) return { answer, outcome }
      const ended = await outcome
      if (!isRefusedChange(ended)) return { answer, outcome }
      if (shown === MAX_SHOWN) return { answer: 'unusable', outcome }
      refused = ended.error.message
    }
  }

  /**
   * @param {TokenRequest} question
   * @param {AskingRequest} request
   * @param {string} refused why the gate refused the user's changes, if they were asked before
   * @returns {Promise<FilledForm>} never rejects
   */
  async #elicit(question, { send, signal }, refused) {
    const timeout = Math.min(Math.max(question.expires - Date.now(), 1), MAX_TIMER_MS)
    /** @type {Record<string, unknown>} */
    const responses = {}
    try {
      for (const [name, asked] of Object.entries(requestsOf(this.#session, question, refused))) {
        // Not `elicitInput`: it drops an answer that does not fit the fields, and the user would not hear why.
        responses[name] = await send(/** @type {any} */ (asked), { signal, timeout })
        const action = asked.method === 'elicitation/create' ? memberOf(responses[name], 'action') : 'accept'
        if (action !== 'accept') return { answer: /** @type {UserAnswer} */ (action) }
      }
      const given = answerOf(this.#session, question, responses)
      return given === undefined
        ? { answer: 'none' }
        : { answer: /** @type {UserAnswer} */ (given.action), args: given.args }
    } catch {
      // Timed out, cancelled, or not supported after all: no answer.
      return { answer: 'none' }
    }
  }
}

module.exports = { Consent }
