'use strict'

// What the adapters have in common: the declarations of a session's tools, and one call of a framework through the gate.

const { toModelResponse } = require('../views.js')

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./ai-sdk.js').AiSdkToolsOptions['onToolResponse']} ResponseListener
 * @typedef {{ name: string, description: string, parameters: object }} Declaration
 * @typedef {{ session: Session, registry: ToolRegistry, call: import('toolgate').ToolCall & { id?: string | null },
 *   signal?: AbortSignal, approved?: boolean, onToolResponse?: ResponseListener, meta?: 'lean' | 'full' }} GateCall
 *   `approved`: the framework has the user's approval of this call; `meta`: of the answer, see `toModelResponse`
 * @typedef {{ session: Session, registry: ToolRegistry, approvals: boolean, onToolResponse?: ResponseListener }} AskingGate
 *   `approvals`: whether the framework asks the user
 */

/**
 * The tools that a session may use.
 * @param {Session} session
 * @param {{ registry?: ToolRegistry, services?: string[] }} [options]
 * @returns {Declaration[]}
 */
const declarationsOf = (session, { registry = session.registry, services } = {}) =>
  registry
    .getProviderSchemas('openai', {
      mode: session.mode,
      services: services ?? /** @type {import('../session.js').Session} */ (session).services,
      roles: session.roles,
    })
    .map((/** @type {{ function: Declaration }} */ { function: declaration }) => declaration)

/**
 * Makes one call, until its request is aborted. An approval runs only a call that the gate has asked about.
 * @param {GateCall} gateCall
 * @returns {Promise<ToolResponse>} for the model: without the confirmation token
 */
async function callThroughGate({ session, call, signal, approved = false, onToolResponse, meta = 'lean' }) {
  const response = await (approved ? session.approve(call, { signal }) : session.execute(call, { signal }))
  await notifyHost(onToolResponse, response, { id: call.id ?? '', name: call.name })
  return toModelResponse(response, { meta })
}

/**
 * Makes one call of a framework that can suspend it for the user's reply. Anything but an approval or a refusal asks again.
 * @param {AskingGate} gate
 * @param {import('toolgate').ToolCall & { id?: string | null }} call without an id the user is not asked
 * @param {{ signal?: AbortSignal, reply?: unknown }} [how] `reply`: the user's `{ approved, reason }`, if there is one
 * @returns {Promise<{ answer: ToolResponse, request?: import('toolgate').ConfirmationRequest }>} `request`: the call waits for
 *   the user, who is shown this
 */
async function callOrAsk({ approvals, ...gate }, call, { signal, reply } = {}) {
  const id = call.id ?? undefined
  if (!approvals || id === undefined) return { answer: await callThroughGate({ ...gate, call, signal }) }
  const named = { id, name: call.name }
  const { approved, reason } = /** @type {{ approved?: unknown, reason?: unknown }} */ (reply ?? {})
  if (approved === true) return { answer: await callThroughGate({ ...gate, call, signal, approved }) }
  if (approved === false) {
    const why = typeof reason === 'string' ? reason : undefined
    return { answer: await declineCall(gate.session, gate.registry, named, why) }
  }
  const question = await gate.session.ask({ ...call, id })
  if (question === null) return { answer: await callThroughGate({ ...gate, call, signal }) }
  await notifyHost(gate.onToolResponse, question, named)
  const answer = toModelResponse(question, { meta: 'lean' })
  return answer.error?.type === 'CONFIRMATION_REQUIRED'
    ? { answer, request: answer.error.confirmation_request }
    : { answer }
}

/**
 * The answer to a call whose question was declined. It was not admitted, so it is not recorded.
 * @param {Session} session
 * @param {ToolRegistry} registry
 * @param {{ id: string, name: string }} call
 * @param {string} reason
 * @returns {ToolResponse}
 */
function declinedAnswer(session, registry, { id, name }, reason) {
  return {
    ok: false,
    error: {
      type: 'CANCELLED',
      message: `\`${name}\` was declined: nothing was done`,
      retryable: false,
      partialSideEffects: false,
      details: { outcome: 'aborted', reason },
    },
    intents: [],
    meta: {
      toolId: name,
      toolVersion: registry.getToolMetadata(name)?.version ?? null,
      registryVersion: session.toolsVersion,
      duration: 0,
      timestamp: new Date().toISOString(),
      responseSchemaVersion: '1.0.0',
      callId: id,
      mode: session.mode,
      turn: session.turn,
    },
  }
}

/**
 * Declines the question of a call.
 * @param {Session} session
 * @param {ToolRegistry} registry
 * @param {{ id: string, name: string }} call
 * @param {string} [reason] for the model
 * @returns {Promise<ToolResponse>} the answer to the call
 */
async function declineCall(session, registry, call, reason = 'the user declined') {
  await session.decline(call.id, reason)
  return declinedAnswer(session, registry, call, reason)
}

/**
 * Calls the listener. Its error becomes a warning: the call is answered, and its answer must not be lost.
 * @param {ResponseListener} onToolResponse
 * @param {ToolResponse} response
 * @param {{ id: string, name: string }} call
 */
async function notifyHost(onToolResponse, response, call) {
  try {
    await onToolResponse?.(response, call)
  } catch (error) {
    process.emitWarning(
      `onToolResponse failed for \`${call.name}\`: ${/** @type {Partial<Error> | null} */ (error)?.message ?? error}`,
      'ToolgateWarning',
    )
  }
}

module.exports = { callOrAsk, callThroughGate, declarationsOf, declineCall, notifyHost }
