'use strict'

// What a server asks about a request that is no call, as an MCP client is asked: the client's user answers it there, and the server
// gets the answer.

const { isObject } = require('../gate/option-checks.js')
const { isInstance, memberOf } = require('../values/foreign.js')
const { UnaskableQuestion, askedQuestion } = require('./asked-question.js')
const { answersMethod } = require('./client-methods.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */

/** @param {string} source @param {unknown} params of `elicitation/create` @returns {JsonObject} @throws {UnaskableQuestion} */
function formOf(source, params) {
  const { message, requestedSchema } = askedQuestion(isObject(params) ? params : {})
  return { mode: 'form', message: `${source} asks: ${message}`, requestedSchema }
}

/**
 * A result of 2026-07-28 with the questions as the client may be asked them; any other as it is.
 * @param {JsonObject} result @param {string} source @param {JsonObject} [capabilities] what the server may ask of the client
 * @returns {JsonObject}
 * @throws {Error} if it asks for anything else
 */
function askableResult(result, source, capabilities = {}) {
  const { resultType, inputRequests } = result
  if (resultType !== 'input_required' || !isObject(inputRequests)) return result
  const requests = Object.entries(inputRequests).map(([name, request]) => {
    const [method, params] = [String(memberOf(request, 'method')), memberOf(request, 'params')]
    if (!answersMethod(capabilities, method))
      throw new Error(`the server \`${source}\` asked for what its client does not offer`)
    return [name, method === 'elicitation/create' ? { method, params: askable(source, params) } : request]
  })
  return { ...result, inputRequests: Object.fromEntries(requests) }
}

/** @param {string} source @param {unknown} params */
function askable(source, params) {
  try {
    return formOf(source, params)
  } catch (error) {
    if (!isInstance(error, UnaskableQuestion)) throw error
    const message = `a question of the server \`${source}\` is not put to its user: ${error.message}`
    throw new Error(message, { cause: error })
  }
}

module.exports = { askableResult, formOf }
