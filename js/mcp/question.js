'use strict'

// A question of the gate as a form of the protocol, and the answers of calls that their user did not confirm.

const { answerSchema, answeredArgs, isServerQuestion } = require('../gate/server-question-form.js')
const { changedArgs, formFields } = require('../gate/argument-fields.js')

/**
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('../answers/views.js').FailedResponse} FailedResponse
 * @typedef {import('toolgate').ConfirmationRequest & { token: string }} TokenRequest
 * @typedef {FailedResponse & { error: { confirmation_request: TokenRequest } }} QuestionResponse
 */

/** How often a question is shown: again only after changes that the gate has refused. */
const MAX_SHOWN = 3

/**
 * The parameters of `elicitation/create`.
 * @param {import('toolgate').Session} session
 * @param {TokenRequest} question
 * @param {string} [refused] why the gate refused the user's changes, if they were asked before
 */
function questionForm(session, { tool, args, preview }, refused = '') {
  // The question of a source's server: the form is the server's.
  const isServers = isServerQuestion({ tool })
  const table = isServers ? '' : (session.showArguments(tool, args)?.text ?? '')
  // The preview of a tool without a template is this table already. A client shows nothing but the message.
  const question = preview.endsWith(table) ? preview : `${preview}\n\n${table}`
  const message = refused === '' ? question : `Your changes can't be used: ${refused}\n\n${question}`
  const mode = /** @type {const} */ ('form')
  if (isServers) return { mode, message, requestedSchema: answerSchema(args) }
  const properties = formFields(session.registry.tools.get(tool)?.jsonSchema, args)
  return { mode, message, requestedSchema: { type: /** @type {const} */ ('object'), properties } }
}

/**
 * All arguments as the user has changed them; undefined if they have changed none.
 * @param {import('toolgate').Session} session
 * @param {TokenRequest} question
 * @param {unknown} content of an accepted form, from the client
 */
function editedArgs(session, { tool, args }, content) {
  if (isServerQuestion({ tool })) return answeredArgs(args, content)
  return changedArgs(formFields(session.registry.tools.get(tool)?.jsonSchema, args), args, content)
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
  UNASKED,
  UNHEARD,
  canShowForms,
  declined,
  editedArgs,
  isQuestion,
  isRefusedChange,
  questionForm,
  unanswered,
  unusable,
}
