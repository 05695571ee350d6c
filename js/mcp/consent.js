'use strict'

// Confirmation by elicitation. The client shows the gate's question to its user. The token never leaves this process,
// so a model can't answer for its user.

/** The largest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A form without fields: yes and no are actions of the protocol. */
const NO_FIELDS = Object.freeze({ type: 'object', properties: Object.freeze({}) })

/**
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {Extract<ToolResponse, { ok: false }>} FailedResponse
 * @typedef {import('toolgate').ConfirmationRequest & { token: string }} TokenRequest
 * @typedef {FailedResponse & { error: { confirmation_request: TokenRequest } }} QuestionResponse
 * @typedef {'accept' | 'decline' | 'cancel' | 'none'} UserAnswer
 * @typedef {{ answer: UserAnswer, outcome?: Promise<ToolResponse> }} AskedQuestion
 * @typedef {{ requestId: string | number, signal: AbortSignal, reason: string }} AskingRequest `reason`: of a cancellation
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
   * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} server
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
    if (!this.#server.getClientCapabilities()?.elicitation?.form) return unanswered(response, UNASKED)
    const { token, expires } = response.error.confirmation_request
    const pending = this.#asked.get(token)
    if (pending === undefined) {
      const done = await this.#answered(await this.#ask(token, response, request), response)
      return this.#askedAnew(token, call, done, request)
    }
    const { answer } = await pending
    // The user accepted one run; an equal call gets its answer replayed.
    if (answer === 'accept') return this.#askedAnew(token, call, await this.#session.execute(call, request), request)
    // The request that asked may have been cancelled, and the question with it.
    if (answer === 'none' && Date.now() < expires && !request.signal.aborted)
      return this.resolve(call, response, request)
    return this.#answered({ answer }, response)
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

  /** @param {AskedQuestion} asked @param {QuestionResponse} response */
  #answered({ answer, outcome }, response) {
    if (answer === 'accept') return /** @type {Promise<ToolResponse>} */ (outcome)
    if (answer === 'decline') return declined(response)
    return unanswered(response, answer === 'cancel' ? DISMISSED : UNHEARD)
  }

  /** @param {string} token @param {QuestionResponse} response @param {AskingRequest} request */
  #ask(token, response, request) {
    const asked = this.#act(token, response, request).finally(() => this.#asked.delete(token))
    this.#asked.set(token, asked)
    return asked
  }

  /**
   * The answer, and its outcome: the confirmed run begins before any equal call receives the answer.
   * @param {string} token
   * @param {QuestionResponse} response
   * @param {AskingRequest} request
   * @returns {Promise<AskedQuestion>}
   */
  async #act(token, response, request) {
    const answer = await this.#elicit(response.error.confirmation_request, request)
    if (answer === 'decline') await this.#session.deny(token, 'declined', { via: 'mcp' })
    if (answer !== 'accept') return { answer }
    if (request.signal.aborted) return { answer: 'none' }
    return { answer, outcome: this.#session.confirm(token, { signal: request.signal, via: 'mcp' }) }
  }

  /**
   * @param {TokenRequest} question
   * @param {AskingRequest} request
   * @returns {Promise<UserAnswer>} never rejects
   */
  async #elicit({ tool, args, preview, expires }, { requestId, signal }) {
    const timeout = Math.min(Math.max(expires - Date.now(), 1), MAX_TIMER_MS)
    const table = this.#session.showArguments(tool, args)?.text ?? ''
    // The preview of a tool without a template is this table already. A client shows nothing but the message.
    const message = preview.endsWith(table) ? preview : `${preview}\n\n${table}`
    /** @type {import('@modelcontextprotocol/sdk/types.js').ElicitRequestFormParams} */
    const question = { mode: 'form', message, requestedSchema: NO_FIELDS }
    try {
      return (await this.#server.elicitInput(question, { relatedRequestId: requestId, signal, timeout })).action
    } catch {
      // Timed out, cancelled, or not supported after all: no answer.
      return 'none'
    }
  }
}

const UNASKED =
  "this client can't ask its user (it has no elicitation), so the call can't be confirmed here: tell the user"
const DISMISSED = 'the user closed the question without an answer: ask what they want, and call again if they want it'
const UNHEARD = 'the user did not answer: ask what they want, and call again if they want it'

/**
 * Nothing has run. The question stays pending until it expires; an equal call asks it again.
 * @param {FailedResponse} response
 * @param {string} suggestion
 * @returns {FailedResponse}
 */
function unanswered(response, suggestion) {
  return { ...response, error: { ...response.error, suggestion } }
}

/**
 * The question is closed, so it is removed from the answer.
 * @param {FailedResponse} response
 * @returns {FailedResponse}
 */
function declined(response) {
  const { confirmation_request: _closed, ...error } = response.error
  return {
    ...response,
    error: {
      ...error,
      type: 'CANCELLED',
      message: `the user declined \`${response.meta.toolId}\`: it has not run`,
      details: { outcome: 'declined' },
      suggestion: 'do not call it again unless the user asks for it',
    },
  }
}

module.exports = { Consent }
