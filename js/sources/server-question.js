'use strict'

// The handler of the built-in tool `server_question`: whether the user's answer fits what the server asks.

const { success } = require('../answers/tool-response.js')
const { SchemaValidator } = require('../tool-sets/schema-validator.js')

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('./types.js').ServerQuestionArgs} ServerQuestionArgs */

/**
 * The answers by request, or why they do not fit. That is no failure: of a call that has failed and done nothing no answer is kept,
 * and the process that asked would not hear it from the one where its user answers.
 * @param {{ args: any }} context
 */
async function execute({ args }) {
  const { requests, content } = /** @type {ServerQuestionArgs} */ (args)
  const answers = Object.entries(requests).map(([name, request]) => {
    const answer = own(content, name) ?? {}
    if ('method' in request) return /** @type {const} */ ([name, answer])
    const { properties } = request.requestedSchema
    const known = Object.entries(answer).filter(([field]) => Object.hasOwn(properties, field))
    return /** @type {const} */ ([name, Object.fromEntries(known)])
  })
  const problems = answers.flatMap(([name, answer]) => problemsOf(requests[name], answer))
  return success(problems.length > 0 ? { unfit: problems.join('; ') } : { content: Object.fromEntries(answers) })
}

/** @param {ServerQuestionArgs['requests'][string]} request @param {JsonObject} answer */
function problemsOf(request, answer) {
  // A client's result is the server's to check; none is what a page gives, which can't answer for a client.
  if ('method' in request) return Object.keys(answer).length === 0 ? ['only an MCP client can answer this'] : []
  const { errors } = new SchemaValidator(request.requestedSchema, { formats: 'all' }).validate(answer)
  return errors.map(({ message }) => message)
}

/** @template T @param {Record<string, T>} members @param {string} name @returns {T | undefined} */
const own = (members, name) => (Object.hasOwn(members, name) ? members[name] : undefined)

module.exports = { execute }
