'use strict'

// The questions that a server asks about one call. Each is a call of the built-in tool `server_question` by the handler: a
// confirmation, which the user answers by an edit of `content`.

const { ToolError } = require('../answers/errors.js')
const { isObject } = require('../gate/option-checks.js')
const { isInstance, memberOf } = require('../values/foreign.js')
const { SchemaValidator } = require('../tool-sets/schema-validator.js')
const { MAX_MESSAGE_CHARS, UnaskableQuestion, askedQuestion } = require('./asked-question.js')
const { answersMethod } = require('./client-methods.js')
const { SERVER_QUESTION } = require('../gate/server-question-form.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('./types.js').QuestionAnswer} QuestionAnswer */
/** @typedef {import('./types.js').ServerQuestion} ServerQuestion */
/** @typedef {import('./types.js').ClientRequest} ClientRequest */
/** @typedef {import('../../index.js').ToolResponse} ToolResponse */
/**
 * @typedef {object} CallQuestionsParts
 * @property {string} source
 * @property {boolean} asks whether questions are put to the user, or declined
 * @property {JsonObject} offers what the session's MCP client answers: `sampling`, `roots`
 * @property {boolean} writes
 * @property {import('../../index.js').HandlerContext} context of the call
 * @property {(reason: string) => void} warn
 */

/** Rounds of one call, and questions that it is asked in between. */
const MAX_ROUNDS = 8
/** How often a question is asked whose answers do not fit. */
const MAX_ASKED = 3
const MAX_FIELDS = 20
/** @type {Record<import('./types.js').ClientMethod, string>} */
const CLIENT_TEXTS = {
  'sampling/createMessage': '(It asks your application for a completion.)',
  'roots/list': '(It asks your application for your folders.)',
}
/** Before a request that the server only puts off is sent again. */
const PUT_OFF_MS = 250

class CallQuestions {
  #parts
  #rounds = 0
  #pushed = 0
  #asked = 0

  /** @param {CallQuestionsParts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** A question that the server sends while the call runs (before 2026-07-28). @param {JsonObject} params @returns {Promise<QuestionAnswer>} */
  async pushed(params) {
    this.#pushed += 1
    if (this.#pushed > MAX_ROUNDS) return this.#declined(`the call has asked ${MAX_ROUNDS} questions`)
    const { pushed } = await this.#answers({ pushed: params })
    return pushed
  }

  /** What the server asks of the client while the call runs (before 2026-07-28). @type {import('./types.js').ClientRequestHandler} */
  async pushedToClient(method, params) {
    this.#pushed += 1
    if (this.#pushed > MAX_ROUNDS || !this.#answersFor(method)) return undefined
    const { action, content } = await this.#ask({ pushed: { method, params } })
    return action === 'accept' ? content?.pushed : undefined
  }

  /** @param {string} method @returns {method is import('./types.js').ClientMethod} */
  #answersFor(method) {
    return Object.hasOwn(CLIENT_TEXTS, method) && answersMethod(this.#parts.offers, method)
  }

  /**
   * What the call is sent again with after an `input_required` result.
   * @param {JsonObject} result
   * @returns {Promise<{ inputResponses?: JsonObject, requestState?: string }>}
   * @throws {ToolError} if the server asks for what is not offered, or without end
   */
  async round({ inputRequests, requestState }) {
    this.#rounds += 1
    if (this.#rounds > MAX_ROUNDS) throw this.#refused(`asked more than ${MAX_ROUNDS} times`)
    const requests = Object.entries(isObject(inputRequests) ? inputRequests : {})
    const state = typeof requestState === 'string' ? { requestState } : {}
    if (requests.length === 0) {
      await new Promise(resolve => setTimeout(resolve, PUT_OFF_MS))
      return state
    }
    /** @type {Record<string, unknown>} */
    const questions = {}
    /** @type {Record<string, ClientRequest>} */
    const ofClient = {}
    for (const [name, request] of requests) {
      const [method, params] = [String(memberOf(request, 'method')), memberOf(request, 'params')]
      if (method === 'elicitation/create') questions[name] = params
      else if (this.#answersFor(method)) ofClient[name] = { method, ...(isObject(params) ? { params } : {}) }
      else throw this.#refused('asked for what its client does not offer')
    }
    return { inputResponses: { ...(await this.#answers(questions, ofClient)) }, ...state }
  }

  /** @param {string} reason */
  #refused(reason) {
    const { source, writes } = this.#parts
    return new ToolError('PERMANENT', `the server \`${source}\` ${reason}`, {
      retryable: false,
      ...(writes && { partialSideEffects: true }),
    })
  }

  /** @param {string} reason @returns {QuestionAnswer} */
  #declined(reason) {
    this.#parts.warn(`a question of its server was declined: ${reason}`)
    return { action: 'decline' }
  }

  /**
   * One question to the user for all requests that may be put to them or their client.
   * @param {Record<string, unknown>} requests parameters of questions, by name
   * @param {Record<string, ClientRequest>} [ofClient]
   */
  async #answers(requests, ofClient = {}) {
    /** @type {Record<string, QuestionAnswer>} */
    const answers = {}
    /** @type {Record<string, ServerQuestion>} */
    const askable = {}
    for (const [name, params] of Object.entries(requests)) {
      const { question, answer } = this.#checked(params)
      if (question === undefined) answers[name] = answer
      else askable[name] = question
    }
    const names = Object.keys(askable)
    if (names.length === 0 && Object.keys(ofClient).length === 0) return answers
    const excess = excessOf(Object.values(askable))
    const { action, content } =
      excess === null ? await this.#ask({ ...askable, ...ofClient }) : this.#declined(`it has more than ${excess}`)
    for (const name of names)
      answers[name] = action === 'accept' ? { action, content: content?.[name] ?? {} } : { action }
    if (action !== 'accept' && names.length === 0) throw this.#refused('got no answer of its client')
    // What a client answers has no form for a refusal: the server asks again, or goes on without it.
    const given = action === 'accept' ? Object.keys(ofClient).map(name => [name, content?.[name] ?? {}]) : []
    return { ...answers, ...Object.fromEntries(given) }
  }

  /** @param {unknown} params @returns {{ question: ServerQuestion, answer?: never } | { question?: never, answer: QuestionAnswer }} */
  #checked(params) {
    if (!this.#parts.asks) return { answer: { action: 'decline' } }
    try {
      const question = askedQuestion(isObject(params) ? params : {})
      // A pattern may be none.
      void new SchemaValidator(question.requestedSchema)
      return { question }
    } catch (error) {
      if (!isInstance(error, UnaskableQuestion) && !isInstance(error, TypeError)) throw error
      return { answer: this.#declined(error.message) }
    }
  }

  /**
   * @param {Record<string, ServerQuestion | ClientRequest>} requests
   * @returns {Promise<{ action: QuestionAnswer['action'], content?: Record<string, any> }>}
   */
  async #ask(requests) {
    const { source, context } = this.#parts
    const messages = Object.values(requests).map(saidBy)
    this.#asked += 1
    const id = `${context.meta.idempotencyKey} ${this.#asked}`
    let unfit = ''
    for (let time = 1; time <= MAX_ASKED; time += 1) {
      const text = [...(unfit === '' ? [] : [`(Your answer can't be used: ${unfit})`]), ...messages].join(' ')
      const args = { id: `${id}.${time}`, source, text, requests, content: {}, ...(unfit === '' ? {} : { unfit }) }
      const response = await context.callTool(SERVER_QUESTION, args, { confirmation: 'wait' })
      if (!response.ok) return { action: actionOf(response.error) }
      const answer = /** @type {import('./types.js').ServerQuestionAnswer} */ (response.data)
      if (answer.unfit === undefined) return { action: 'accept', content: answer.content }
      unfit = answer.unfit
    }
    return { action: 'cancel' }
  }
}

/** What a user reads of a request. @param {ServerQuestion | ClientRequest} request */
const saidBy = request => ('method' in request ? CLIENT_TEXTS[request.method] : request.message)

/** What is too much to be asked at once, though no single request is. @param {ServerQuestion[]} questions */
function excessOf(questions) {
  const fields = questions.flatMap(({ requestedSchema }) => Object.keys(requestedSchema.properties))
  if (fields.length > MAX_FIELDS || questions.length > MAX_FIELDS) return `${MAX_FIELDS} fields`
  const characters = questions.reduce((sum, { message }) => sum + message.length, 0)
  return characters > MAX_MESSAGE_CHARS ? `${MAX_MESSAGE_CHARS} characters` : null
}

/** The user declined, or can't be asked; or the question ended without them. @param {import('../../index.js').ToolResponseError} error @returns {'decline' | 'cancel'} */
function actionOf({ type, details }) {
  if (type === 'CANCELLED') return memberOf(details, 'outcome') === 'declined' ? 'decline' : 'cancel'
  return type === 'CONFIRMATION_EXPIRED' ? 'cancel' : 'decline'
}

module.exports = { CallQuestions }
