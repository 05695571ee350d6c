'use strict'
// The one way from a transport to the model's view of an answer.
const toolResponse = require('../tool-response.js')

/** @param {import('../../index.js').ToolResponse} result the token of its confirmation is left out */
function toModelResponse(result) {
  if (typeof result?.ok !== 'boolean') {
    throw new TypeError('`result` must be a ToolResponse, as `session.execute` resolves to')
  }
  return toolResponse.toModelResponse(result)
}

module.exports = { toModelResponse }
