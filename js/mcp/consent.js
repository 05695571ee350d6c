'use strict'

// Confirmation as elicitation. The client shows its user what the gate asks, and the answer is the user's own act: the token
// never leaves this process, and nothing that a model sends answers for its user.

/** Timers count no further. */
const LONGEST_MS = 2 ** 31 - 1

/** Nothing is asked but yes or no, which are the protocol's own answers. */
const NO_FIELDS = Object.freeze({ type: 'object', properties: Object.freeze({}) })

class Consent {
  /** Token → what its user says: equal calls have one question, which is shown once. */
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
   * What comes of a call whose answer is CONFIRMATION_REQUIRED.
   * @param {import('toolgate').ToolCall} call
   * @param {import('toolgate').ToolResponse} response the gate's question
   * @param {{ requestId: string | number, signal: AbortSignal }} extra of the request that asked
   * @returns {Promise<import('toolgate').ToolResponse>} of the confirmed call, or why it did not run
   */
  async resolve(call, response, extra) {
    if (!this.#server.getClientCapabilities()?.elicitation?.form) return unanswered(response, UNASKED)
    const { token, expires } = response.error.confirmation_request
    const pending = this.#asked.get(token)
    if (pending === undefined) return this.#answered(await this.#ask(token, response, extra), response)
    const { answer } = await pending
    // The user's yes is for one run; an equal call gets what came of it.
    if (answer === 'accept') return this.#session.execute(call)
    // Whoever asked may have taken its request back, and the question with it.
    if (answer === 'none' && Date.now() < expires && !extra.signal.aborted) return this.resolve(call, response, extra)
    return this.#answered({ answer }, response)
  }

  #answered({ answer, outcome }, response) {
    if (answer === 'accept') return outcome
    if (answer === 'decline') return declined(response)
    return unanswered(response, answer === 'cancel' ? DISMISSED : UNHEARD)
  }

  #ask(token, response, extra) {
    const asked = this.#act(token, response, extra).finally(() => this.#asked.delete(token))
    this.#asked.set(token, asked)
    return asked
  }

  /** The answer, and what is done for it: that has begun before any equal call hears of the answer. */
  async #act(token, response, extra) {
    const answer = await this.#elicit(response.error.confirmation_request, extra)
    if (answer === 'decline') await this.#session.deny(token, 'declined')
    if (answer !== 'accept') return { answer }
    if (extra.signal.aborted) return { answer: 'none' }
    return { answer, outcome: this.#session.confirm(token) }
  }

  /** @returns {Promise<'accept' | 'decline' | 'cancel' | 'none'>} never rejects */
  async #elicit({ preview, expires }, { requestId, signal }) {
    const timeout = Math.min(Math.max(expires - Date.now(), 1), LONGEST_MS)
    const question = { mode: 'form', message: preview, requestedSchema: NO_FIELDS }
    try {
      return (await this.#server.elicitInput(question, { relatedRequestId: requestId, signal, timeout })).action
    } catch {
      // Too late, taken back, or a client that can't after all: a yes was not given.
      return 'none'
    }
  }
}

const UNASKED =
  "this client can't ask its user (it has no elicitation), so the call can't be confirmed here: tell the user"
const DISMISSED = 'the user closed the question without an answer: ask what they want, and call again if they want it'
const UNHEARD = 'no answer of the user has come: ask what they want, and call again if they want it'

/** Nothing has run. The question waits until it expires; an equal call asks it once more. */
function unanswered(response, suggestion) {
  return { ...response, error: { ...response.error, suggestion } }
}

/** The model hears no more of the question: it is closed. */
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
