'use strict'

// The options of a handler's call, and the question that it waits for.

const { checkOptionNames, isObject } = require('./option-checks.js')

/** @typedef {import('../../index.js').NestedConfirmation} NestedConfirmation */

/** Whether a handler's call waits while its user is asked. @param {import('../../index.js').NestedCallOptions} [options] */
function waitsForUser(options) {
  if (options === undefined) return false
  if (!isObject(options)) throw new TypeError('the options of `callTool` must be an object')
  checkOptionNames(options, ['confirmation'], '`callTool`')
  const { confirmation } = options
  if (confirmation !== undefined && confirmation !== 'wait') throw new TypeError("`confirmation` must be 'wait'")
  return confirmation === 'wait'
}

/**
 * What its user is asked about a handler's call; null if the call has another answer.
 * @param {string} answer JSON text of a ToolResponse
 * @returns {NestedConfirmation | null}
 */
function confirmationRequest(answer) {
  /** @type {import('../../index.js').ToolResponse} */
  const response = JSON.parse(answer)
  const request = response.ok ? undefined : response.error.confirmation_request
  if (!request?.token) return null
  return { ...request, token: request.token, callId: response.meta.parentCallId ?? null }
}

module.exports = { waitsForUser, confirmationRequest }
