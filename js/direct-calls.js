'use strict'

// Calls of `executeTool` whose context has a mode, a session or a confirmation: each runs in a session of its own, so that
// the core's admission decides, and no budget of another call counts.

const { randomUUID } = require('node:crypto')

const { isObject } = require('./options.js')

/** The first attachment number of calls without a session: far above the core's numbers of sessions' attachments. */
const FIRST_DIRECT_ATTACHMENT = 2 ** 52

/** The most questions that are kept; the oldest one expires if another is asked. */
const QUESTIONS_KEPT = 1000

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('../index.js').ExecutionContext} ExecutionContext
 * @typedef {import('../index.js').ToolResponse} ToolResponse
 * @typedef {{ isActive: boolean, sessionId?: string }} HostView what the host says of its session
 * @typedef {{ session: Session, callId: string, expires: number, sessionId?: string }} Question
 */

class DirectCalls {
  /** token → the question and the session that asked it @type {Map<string, Question>} */
  #questions = new Map()
  #createSession

  /** @param {(options: import('../index.js').SessionOptions, view: HostView) => Promise<Session>} createSession */
  constructor(createSession) {
    this.#createSession = createSession
  }

  /**
   * Runs one call.
   * @param {string} toolId
   * @param {ExecutionContext} context
   * @returns {Promise<ToolResponse>}
   */
  async execute(toolId, context) {
    const { confirmationToken: token } = context
    if (token === undefined || token === null) return this.#ask(toolId, context)
    return this.#confirm(String(token), toolId, context)
  }

  /** @param {string} toolId @param {ExecutionContext} context */
  async #ask(toolId, context) {
    const session = await this.#open(context)
    const callId = randomUUID()
    const answer = await session.execute({ id: callId, name: toolId, args: context.args })
    const request = answer.ok ? undefined : answer.error.confirmation_request
    if (request === undefined) await session.end()
    else
      this.#keep(/** @type {string} */ (request.token), {
        session,
        callId,
        expires: request.expires,
        sessionId: sessionIdOf(context),
      })
    return answer
  }

  /** @param {string} token @param {string} toolId @param {ExecutionContext} context */
  async #confirm(token, toolId, context) {
    const question = this.#questions.get(token)
    if (question === undefined || question.sessionId !== sessionIdOf(context)) return this.#expired(token, context)
    const { session, callId } = question
    const answer = await session.approve({ id: callId, name: toolId, args: context.args })
    // A call with other arguments runs nothing, and the question waits on.
    if (!answer.ok && answer.error.type === 'CONFIRMATION_EXPIRED') return answer
    if (this.#questions.delete(token)) await session.end()
    return answer
  }

  /** The core's answer to a token that it never gave. @param {string} token @param {ExecutionContext} context */
  async #expired(token, context) {
    const session = await this.#open(context)
    const answer = await session.confirm(token)
    await session.end()
    return answer
  }

  /** @param {string} token @param {Question} question */
  #keep(token, question) {
    const now = Date.now()
    for (const [kept, { session, expires }] of this.#questions) {
      if (expires > now && this.#questions.size < QUESTIONS_KEPT) break
      this.#questions.delete(kept)
      // The caller does not wait for the end of another call's session; a failed store reports itself.
      session.end().catch(() => {})
    }
    this.#questions.set(token, question)
  }

  /** @param {ExecutionContext} context @returns {Promise<Session>} */
  #open({ session: host, mode, services, clientId, ws, geminiSession, messaging }) {
    const state = stateOf(host?.state)
    const { isActive: activeState = true, mode: stateMode, ...fields } = state
    const options = {
      mode: mode ?? host?.mode ?? stateMode ?? 'text',
      state: fields,
      roles: host?.roles,
      exclusive: false,
      ...{ services, clientId, ws, geminiSession, messaging },
    }
    return this.#createSession(options, {
      isActive: (host?.isActive ?? activeState) !== false,
      sessionId: host?.sessionId,
    })
  }
}

/** @param {ExecutionContext} context */
const sessionIdOf = context => context.session?.sessionId

/**
 * The fields of a plain state, or of a controller.
 * @param {unknown} state
 * @returns {Record<string, any>}
 */
function stateOf(state) {
  if (!isObject(state)) return {}
  return typeof state.getSnapshot === 'function' ? state.getSnapshot() : state
}

/**
 * Whether a call of `executeTool` needs what only a session has: a mode that restricts, or a question.
 * @param {ExecutionContext} context
 * @param {{ requiresConfirmation?: boolean } | undefined} tool
 */
const needsSession = ({ session, mode, confirmationToken }, tool) =>
  (session ?? mode ?? confirmationToken ?? null) !== null || tool?.requiresConfirmation === true

/** A call of `executeTool` in a session of the gate. @param {Session} session @param {string} toolId @param {ExecutionContext} context */
const executeWithin = (session, toolId, { args, confirmationToken: token }) =>
  typeof token === 'string' ? session.confirm(token) : session.execute({ name: String(toolId), args })

module.exports = { DirectCalls, FIRST_DIRECT_ATTACHMENT, executeWithin, needsSession }
