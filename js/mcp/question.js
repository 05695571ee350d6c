'use strict'

// A question of the gate as a form of the protocol, and the answers of calls that their user did not confirm.

const { isServerQuestion } = require('../gate/server-question-form.js')
const { answersMethod } = require('../sources/client-methods.js')
const { memberOf } = require('../values/foreign.js')
const { changedArgs, formFields } = require('../gate/argument-fields.js')

/**
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('../answers/views.js').FailedResponse} FailedResponse
 * @typedef {import('toolgate').ConfirmationRequest & { token: string }} TokenRequest
 * @typedef {FailedResponse & { error: { confirmation_request: TokenRequest } }} QuestionResponse
 * @typedef {import('../shared-types.js').JsonObject} JsonObject
 * @typedef {Record<string, { method: string, params?: JsonObject }>} ClientRequests by name
 * @typedef {{ action: string, args?: Record<string, unknown> }} GivenAnswer `args`: of an accepted question, as the user has changed them
 */

/** How often a question is shown: again only after changes that the gate has refused. */
const MAX_SHOWN = 3

/** The name of the gate's question among what a client is asked. */
const QUESTION = 'confirmation'

/**
 * What the client is asked for a question, by name. Of a source's server it is what the server asks.
 * @param {import('toolgate').Session} session
 * @param {TokenRequest} question
 * @param {string} [refused] why the gate refused the user's changes, if they were asked before
 * @returns {ClientRequests}
 */
function requestsOf(session, question, refused = '') {
  const why = refused === '' ? '' : `Your changes can't be used: ${refused}\n\n`
  if (isServerQuestion(question)) return requestsOfServer(question.args, why)
  const { tool, args, preview } = question
  const table = session.showArguments(tool, args)?.text ?? ''
  // The preview of a tool without a template is this table already. A client shows nothing but the message.
  const message = why + (preview.endsWith(table) ? preview : `${preview}\n\n${table}`)
  const properties = formFields(session.registry.tools.get(tool), args)
  return { [QUESTION]: elicitation(message, { type: 'object', properties }) }
}

/** @param {JsonObject} args of `server_question` @param {string} why @returns {ClientRequests} */
function requestsOfServer({ source, requests, unfit }, why) {
  const before = unfit === undefined ? '' : `(Your answer can't be used: ${unfit}) `
  const asked = Object.entries(/** @type {import('../sources/types.js').ServerQuestionArgs['requests']} */ (requests))
  return Object.fromEntries(
    asked.map(([name, request]) => [
      name,
      'method' in request
        ? request
        : elicitation(`${why}${source} asks: ${before}${request.message}`, request.requestedSchema),
    ]),
  )
}

/** @param {string} message @param {JsonObject} requestedSchema */
const elicitation = (message, requestedSchema) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema },
})

/**
 * What a client's answers say; undefined if one is missing.
 * @param {import('toolgate').Session} session
 * @param {TokenRequest} question
 * @param {unknown} responses by name; foreign
 * @returns {GivenAnswer | undefined}
 */
function answerOf(session, question, responses) {
  const { tool, args } = question
  if (!isServerQuestion(question)) {
    const form = memberOf(responses, QUESTION)
    if (form === undefined || form === null) return undefined
    const action = String(memberOf(form, 'action'))
    const changed = changedArgs(formFields(session.registry.tools.get(tool), args), args, memberOf(form, 'content'))
    return { action, ...(action === 'accept' && changed !== undefined && { args: changed }) }
  }
  /** @type {Record<string, unknown>} */
  const content = {}
  for (const [name, { method }] of Object.entries(requestsOfServer(args, ''))) {
    const response = memberOf(responses, name)
    if (typeof response !== 'object' || response === null) return undefined
    const action = method === 'elicitation/create' ? String(memberOf(response, 'action')) : 'accept'
    if (action !== 'accept') return { action }
    content[name] = method === 'elicitation/create' ? (memberOf(response, 'content') ?? {}) : response
  }
  return { action: 'accept', args: { ...args, content } }
}

/** Whether a client can be asked. @param {{ tool: string, args: JsonObject }} question @param {Record<string, any> | undefined} capabilities */
function canBeAsked(question, capabilities) {
  if (!isServerQuestion(question)) return canShowForms(capabilities)
  const methods = Object.values(requestsOfServer(question.args, '')).map(({ method }) => method)
  return methods.every(method =>
    method === 'elicitation/create' ? canShowForms(capabilities) : answersMethod(capabilities, method),
  )
}

/**
 * Whether the gate refused the user's changes: nothing has run, and the question is still pending. A handler's VALIDATION has attempts.
 * @param {ToolResponse} response
 * @returns {response is FailedResponse}
 */
const isRefusedChange = response =>
  !response.ok && response.error.type === 'VALIDATION' && response.meta.attempts === undefined

/**
 * Whether this client's user decides about the call: not if approvers do.
 * @param {ToolResponse} response
 * @returns {response is QuestionResponse}
 */
const isQuestion = response =>
  !response.ok &&
  response.error.type === 'CONFIRMATION_REQUIRED' &&
  response.error.confirmation_request !== undefined &&
  response.error.confirmation_request.approvers === undefined

/** Whether a client can show a form. Before there were pages (`url`), `{}` was a form. @param {Record<string, any> | undefined} capabilities */
function canShowForms(capabilities) {
  const { elicitation } = capabilities ?? {}
  return elicitation?.form !== undefined || (elicitation !== undefined && elicitation.url === undefined)
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

/** @param {FailedResponse} response @param {FailedResponse} refusal @returns {FailedResponse} */
function unusable(response, refusal) {
  return unanswered(
    response,
    `the user's changes were refused (${refusal.error.message}): ask what they want, and call again with that`,
  )
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

module.exports = {
  DISMISSED,
  MAX_SHOWN,
  QUESTION,
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
}
