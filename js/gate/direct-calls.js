'use strict'

// Calls of `executeTool`: each runs in a session of its own, so that the core's admission decides, and no budget of
// another call counts.

const { randomUUID } = require('node:crypto')

const { TOOL_RESPONSE_SCHEMA_VERSION, failure } = require('../answers/tool-response.js')
const { isObject } = require('./option-checks.js')
const { memberOf, messageOf } = require('../values/foreign.js')

/** The most questions that are kept; the oldest one expires if another is asked. */
const QUESTIONS_KEPT = 1000

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('../../index.js').ExecutionContext} ExecutionContext
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {{ isActive: boolean, sessionId?: string }} HostView what the host says of its session
 * @typedef {{ createSession(options: import('../../index.js').SessionOptions, view: HostView): Promise<Session>,
 *   tool(toolId: string): ToolMetadata | undefined, getVersion(): string }} Host
 * @typedef {{ session: Session, callId: string, expires: number, sessionId?: string }} Question
 */

class DirectCalls {
  /** token → the question and the session that asked it @type {Map<string, Question>} */
  #questions = new Map()
  #host

  /** @param {Host} host */
  constructor(host) {
    this.#host = host
  }

  /**
   * Runs one call.
   * @param {string} toolId
   * @param {ExecutionContext} context
   * @returns {Promise<ToolResponse>}
   */
  async execute(toolId, context) {
    const { confirmationToken: token } = context
    try {
      return token === undefined || token === null
        ? await this.#ask(toolId, context)
        : await this.#confirm(String(token), toolId, context)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === null) throw error
      return this.#answerWithoutCall(toolId, refusal)
    }
  }

  /** @param {string} toolId @param {ExecutionContext} context */
  async #ask(toolId, context) {
    const session = await this.#open(context, this.#host.tool(toolId))
    const callId = randomUUID()
    const answer = await session.execute({ id: callId, name: toolId, args: context.args })
    const request = answer.ok ? undefined : answer.error.confirmation_request
    if (request === undefined) await end(session)
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
    const answer = await session.confirm({ id: callId, name: toolId, args: context.args }, { token })
    // A call with other arguments runs nothing, and the question waits on.
    if (!answer.ok && answer.error.type === 'CONFIRMATION_EXPIRED') return answer
    if (this.#questions.delete(token)) await end(session)
    return answer
  }

  /** The core's answer to a token that it never gave. @param {string} token @param {ExecutionContext} context */
  async #expired(token, context) {
    const session = await this.#open(context)
    const answer = await session.confirm(token)
    await end(session)
    return answer
  }

  /** @param {string} token @param {Question} question */
  #keep(token, question) {
    const now = Date.now()
    for (const [kept, { session, expires }] of this.#questions) {
      if (expires > now && this.#questions.size < QUESTIONS_KEPT) break
      this.#questions.delete(kept)
      // The caller does not wait for the end of another call's session.
      void end(session)
    }
    this.#questions.set(token, question)
  }

  /**
   * Without a mode and a session of the host no policy of a session applies: the call gets a mode that allows the tool, and
   * the roles that it needs.
   * @param {ExecutionContext} context
   * @param {ToolMetadata} [tool]
   * @returns {Promise<Session>}
   */
  #open({ session: host, mode, services, clientId, ws, geminiSession, messaging }, tool) {
    const { isActive: activeState = true, mode: stateMode, ...fields } = stateOf(host?.state)
    const hasPolicy = (host ?? mode ?? null) !== null
    const options = {
      mode: mode ?? host?.mode ?? stateMode ?? (hasPolicy ? 'text' : modeFor(tool)),
      state: fields,
      roles: hasPolicy ? host?.roles : tool?.requiredRoles,
      exclusive: false,
      ...{ services, clientId, ws, geminiSession, messaging },
    }
    return this.#host.createSession(options, {
      isActive: (host?.isActive ?? activeState) !== false,
      sessionId: host?.sessionId,
    })
  }

  /**
   * The answer to a call whose session the core did not create.
   * @param {string} toolId
   * @param {ReturnType<typeof failure>['error']} error
   * @returns {ToolResponse}
   */
  #answerWithoutCall(toolId, error) {
    const meta = {
      toolId,
      toolVersion: this.#host.tool(toolId)?.version ?? null,
      registryVersion: this.#host.getVersion(),
      duration: 0,
      timestamp: new Date().toISOString(),
      responseSchemaVersion: /** @type {ToolResponse['meta']['responseSchemaVersion']} */ (
        TOOL_RESPONSE_SCHEMA_VERSION
      ),
    }
    return { ok: false, error: { partialSideEffects: false, ...error }, intents: [], meta }
  }
}

/** Ends the session of a call that is answered: a store that fails then reports itself. @param {Session} session */
const end = session => session.end().catch(() => {})

/** @param {ToolMetadata | undefined} tool */
const modeFor = tool => (tool === undefined || tool.allowedModes.includes('text') ? 'text' : tool.allowedModes[0])

/** The refusal if no session is created because the registry is closed, or its store fails; null for other errors. @param {unknown} error */
function refusalOf(error) {
  if (memberOf(error, 'code') === 'CLOSED') return failure('SESSION_INACTIVE', messageOf(error)).error
  if (memberOf(error, 'name') !== 'ToolError') return null
  const { type, message, retryable, retryAfterMs } = /** @type {any} a ToolError of this package */ (error)
  return failure(type, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }).error
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

/** A call of `executeTool` in a session of the gate. @param {Session} session @param {string} toolId @param {ExecutionContext} context */
const executeWithin = (session, toolId, { args, confirmationToken: token }) =>
  typeof token === 'string' ? session.confirm(token) : session.execute({ name: String(toolId), args })

module.exports = { DirectCalls, executeWithin }
