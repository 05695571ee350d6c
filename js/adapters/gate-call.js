'use strict'

// What the adapters have in common: the declarations of a session's tools, and one call of a framework through the gate.

const { withProgress } = require('./call-progress.js')
const { nonceOf } = require('./confirmation-cards.js')
const { toModelResponse } = require('../answers/views.js')
const { messageOf } = require('../values/foreign.js')

/** `via` of the answers that a framework passes on. */
const VIA = 'adapter'

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./ai-sdk.js').AiSdkToolsOptions['onToolResponse']} ResponseListener
 * @typedef {{ name: string, description: string, parameters: object }} Declaration
 * @typedef {{ session: Session, registry: ToolRegistry, call: import('toolgate').ToolCall & { id?: string | null },
 *   signal?: AbortSignal, approved?: boolean, token?: string, args?: Record<string, unknown>,
 *   grant?: import('toolgate').NewGrant, onToolResponse?: ResponseListener, onProgress?: import('./call-progress.js').TakeProgress,
 *   meta?: 'lean' | 'full' }} GateCall
 *   `approved`: the framework has the user's approval of this call; `token`: of the question that was shown, where the approval carries a text
 *   that was made of it, otherwise the first question of the call is meant; `args`: what the user wants instead of what was shown; `grant`: what they grant;
 *   `meta`: of the answer, see `toModelResponse`
 * @typedef {import('toolgate').ConfirmationRequest} ConfirmationRequest
 * @typedef {{ session: Session, registry: ToolRegistry, approvals: boolean, onToolResponse?: ResponseListener,
 *   cards: import('./confirmation-cards.js').ConfirmationCards }} AskingGate `approvals`: whether the framework asks the user
 * @typedef {import('toolgate').ToolCall & { id: string }} IdentifiedCall
 * @typedef {{ type: import('toolgate').ErrorTypeName, message: string, details: Record<string, string>, suggestion?: string,
 *   partialSideEffects?: boolean }} Refusal
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
      services: services ?? /** @type {import('../gate/session.js').Session} */ (session).services,
      roles: session.roles,
    })
    .map((/** @type {{ function: Declaration }} */ { function: declaration }) => declaration)

/**
 * Makes one call, until its request is aborted. An approval runs only a call that the gate has asked about.
 * @param {GateCall} gateCall
 * @returns {Promise<ToolResponse>} for the model: without the confirmation token
 */
async function callThroughGate({
  session,
  call,
  signal,
  approved = false,
  token,
  args,
  grant,
  onToolResponse,
  onProgress,
  meta = 'lean',
}) {
  const confirmation = { signal, via: VIA, args, grant, token }
  const response = await withProgress({ session, call, onProgress }, () =>
    approved ? session.confirm(call, confirmation) : session.execute(call, { signal }),
  )
  await notifyHost(onToolResponse, response, { id: call.id ?? '', name: call.name })
  return toModelResponse(response, { meta })
}

/**
 * Makes one call of a framework that can suspend it for the user's reply. Only a reply with the nonce of this call's
 * confirmation is one; anything else asks again.
 * @param {AskingGate} gate
 * @param {IdentifiedCall} call
 * @param {{ signal?: AbortSignal, reply?: unknown, message?: object | string, unasked?: IdentifiedCall, onProgress?: GateCall['onProgress'] }} [how] `reply`: the user's
 *   `{ nonce, approved, reason, args }`, if there is one; `message`: what stands for the model's message, see `questionOf`; `unasked`: the
 *   call as it is made if it asks nothing
 * @returns {Promise<{ answer: ToolResponse, request?: ConfirmationRequest, nonce?: string }>} `request`: the call waits
 *   for the user, who is shown this; the reply must carry `nonce`
 */
async function callOrAsk({ approvals, ...gate }, call, { reply, message, unasked = call, ...made } = {}) {
  if (!approvals) return { answer: await callThroughGate({ ...gate, call: unasked, ...made }) }
  const { answer, question, token = '' } = await questionOf({ approvals, ...gate }, call, message)
  if (answer !== undefined) return { answer }
  if (question === undefined) return { answer: await callThroughGate({ ...gate, call: unasked, ...made }) }
  const nonce = nonceOf(token, call.id)
  const { nonce: given, approved, reason, args } = /** @type {Record<string, any>} */ (reply ?? {})
  if (given === nonce && approved === true)
    return { answer: await callThroughGate({ ...gate, call, ...made, approved, token, args }) }
  if (given === nonce && approved === false) {
    return { answer: await denyCall(gate, call, token, typeof reason === 'string' ? reason : undefined) }
  }
  return { ...shownQuestion(question), nonce }
}

/**
 * A question as the model gets it, and the request that the user is shown.
 * @param {ToolResponse} question @param {import('toolgate').ModelMeta} [meta]
 */
function shownQuestion(question, meta) {
  const answer = /** @type {ToolResponse & { ok: false, error: { confirmation_request: ConfirmationRequest } }} */ (
    toModelResponse(question, { meta })
  )
  return { answer, request: answer.error.confirmation_request }
}

/**
 * The question that a call asks the user. Within one message of a model, equal calls are one card, which the first of them
 * has, and an id names one call.
 * @param {AskingGate} gate
 * @param {IdentifiedCall} call
 * @param {object | string} [message] what stands for the model's message; without it each call has its own card
 * @returns {Promise<{ answer?: ToolResponse, question?: ToolResponse, token?: string, owner?: string }>} `question`: the
 *   user is to be asked; `answer`: the call gets no card of its own; neither: it needs no confirmation
 */
async function questionOf(gate, call, message) {
  const { session, registry, cards, onToolResponse } = gate
  if (cards.hasOther(message, call)) return { answer: refusal(session, registry, call, idReused(call)) }
  const question = await session.ask(call)
  const token = tokenOf(question)
  if (question === null || token === undefined) return {}
  if (areOthersAsked(question)) {
    await notifyHost(onToolResponse, question, { id: call.id, name: call.name })
    return { answer: toModelResponse(question) }
  }
  const owner = cards.ownerOf(message, token, call.id)
  if (owner !== call.id) return { answer: refusal(session, registry, call, equalPending(call)), owner }
  await notifyHost(onToolResponse, question, { id: call.id, name: call.name })
  return { question, token }
}

/** The token of a question. @param {ToolResponse | null} question */
const tokenOf = question => (question?.ok === false ? question.error.confirmation_request?.token : undefined)

/** Whether approvers decide: the framework's user can't, and is not asked. @param {ToolResponse} question */
const areOthersAsked = question => !question.ok && question.error.confirmation_request?.approvers !== undefined

/** @param {IdentifiedCall} call @returns {Refusal} */
const idReused = ({ id, name }) => ({
  type: 'CONFLICT',
  message: `another call of this message has the id \`${id}\`: \`${name}\` has not run`,
  details: { reason: 'call_id_reused' },
  suggestion: 'make the call again with an id of its own',
})

/**
 * The other call is not named: its id may be one that no model has seen.
 * @param {IdentifiedCall} call
 * @returns {Refusal}
 */
const equalPending = ({ name }) => ({
  type: 'CONFIRMATION_REQUIRED',
  message: `\`${name}\` has not run: it is the same as another call, whose confirmation is pending`,
  details: { reason: 'equal_call_pending' },
  suggestion: 'do not repeat the call; its user is asked once, and the answer to the other call says what came of it',
})

/**
 * The answer to a call that was not admitted, so that it is not recorded.
 * @param {Session} session
 * @param {ToolRegistry} registry
 * @param {{ id: string, name: string }} call
 * @param {Refusal} error
 * @param {import('toolgate').ModelMeta} [meta]
 * @returns {ToolResponse} for the model
 */
const refusal = (session, registry, call, error, meta = 'lean') =>
  toModelResponse(
    {
      ok: false,
      error: { retryable: false, partialSideEffects: false, ...error },
      intents: [],
      meta: metaOf(session, registry, call),
    },
    { meta },
  )

/**
 * What a call that runs has reported, as an answer in full.
 * @param {{ session: Session, registry: ToolRegistry }} gate
 * @param {{ id: string, name: string }} call
 * @param {import('toolgate').JsonValue} progress
 * @returns {ToolResponse}
 */
const runningAnswer = ({ session, registry }, call, progress) => ({
  ok: true,
  data: { status: 'running', callId: call.id, progress },
  intents: [],
  meta: { ...metaOf(session, registry, call), pending: true },
})

/**
 * @param {Session} session @param {ToolRegistry} registry @param {{ id: string, name: string }} call
 * @returns {import('toolgate').ToolResponseMeta} of an answer that is made here
 */
const metaOf = (session, registry, { id, name }) => ({
  toolId: name,
  toolVersion: registry.getToolMetadata(name)?.version ?? null,
  registryVersion: session.toolsVersion,
  duration: 0,
  timestamp: new Date().toISOString(),
  responseSchemaVersion: '1.0.0',
  callId: id,
  mode: session.mode,
  turn: session.turn,
})

/**
 * Denies the question of a call. One that was answered elsewhere is not denied: the answer says what became of the call.
 * @param {{ session: Session, registry: ToolRegistry, meta?: import('toolgate').ModelMeta }} gate
 * @param {{ id: string, name: string }} call
 * @param {string} token
 * @param {string} [reason] for the model
 * @returns {Promise<ToolResponse>} the answer to the call
 */
async function denyCall(gate, call, token, reason) {
  const isDenied = await gate.session.deny(token, reason ?? 'the user declined', { via: VIA })
  const ended = isDenied ? undefined : await endedAnswer(gate, call, { token })
  return ended ?? deniedAnswer(gate, call, reason)
}

/**
 * The answer to a call whose question was not open when its user denied it; undefined if it was denied before.
 * @param {{ session: Session, registry: ToolRegistry, meta?: import('toolgate').ModelMeta }} gate
 * @param {{ id: string, name: string }} call
 * @param {{ callId: string } | { token: string }} named
 * @returns {Promise<ToolResponse | undefined>} for the model
 */
async function endedAnswer({ session, registry, meta = 'lean' }, call, named) {
  const { status, response } = await session.outcome(named)
  if (response !== undefined) return toModelResponse(response, { meta })
  const error = NOT_DENIED[status]?.(call.name)
  return error === undefined ? undefined : refusal(session, registry, call, error, meta)
}

/** Why a denial closed nothing. @type {Record<string, (name: string) => Refusal>} */
const NOT_DENIED = {
  running: name => ({
    type: 'CONFLICT',
    message: `\`${name}\` was confirmed before it was declined, and is running`,
    details: { outcome: 'running' },
    suggestion: 'tell the user that it is being done',
    partialSideEffects: true,
  }),
  unknown: name => ({
    type: 'CONFLICT',
    message: `\`${name}\` was confirmed before it was declined; it was started, and its outcome is not known`,
    details: { outcome: 'unknown' },
    suggestion: 'find out whether it took effect before calling again',
    partialSideEffects: true,
  }),
  expired: name => ({
    type: 'CONFIRMATION_EXPIRED',
    message: `the confirmation of \`${name}\` was over before it was declined; it has not run`,
    details: { reason: 'expired' },
  }),
  not_found: name => ({
    type: 'CONFIRMATION_EXPIRED',
    message: `the confirmation of \`${name}\` is not known any more, and neither is whether it has run`,
    details: { reason: 'unknown' },
    suggestion: 'find out whether it took effect before calling again',
  }),
}

/**
 * @param {{ session: Session, registry: ToolRegistry, meta?: import('toolgate').ModelMeta }} gate
 * @param {{ id: string, name: string }} call
 * @param {string} [reason] for the model
 * @returns {ToolResponse} the answer to a call whose question was denied
 */
const deniedAnswer = ({ session, registry, meta }, call, reason = 'the user declined') =>
  refusal(
    session,
    registry,
    call,
    {
      type: 'CANCELLED',
      message: `\`${call.name}\` was declined: nothing was done`,
      details: { outcome: 'aborted', reason },
    },
    meta,
  )

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
    process.emitWarning(`onToolResponse failed for \`${call.name}\`: ${messageOf(error)}`, 'ToolgateWarning')
  }
}

module.exports = {
  VIA,
  callOrAsk,
  callThroughGate,
  declarationsOf,
  deniedAnswer,
  denyCall,
  endedAnswer,
  notifyHost,
  questionOf,
  refusal,
  runningAnswer,
  shownQuestion,
  tokenOf,
}
