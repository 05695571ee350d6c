'use strict'
// The one way from a transport to the model's view of an answer.
const views = require('../views.js')

/** @param {import('../../index.js').ToolResponse} result the token of its confirmation is left out */
function toModelResponse(result) {
  if (typeof result?.ok !== 'boolean') {
    throw new TypeError('`result` must be a ToolResponse, as `session.execute` resolves to')
  }
  return views.toModelResponse(result)
}

module.exports = { toModelResponse }
