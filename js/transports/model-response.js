'use strict'
// The model's view of an answer, for all transports.
const views = require('../views.js')

/** @param {import('../../index.js').ToolResponse} result its confirmation token is left out */
function toModelResponse(result) {
  if (typeof result?.ok !== 'boolean') {
    throw new TypeError('`result` must be a ToolResponse, such as the result of `session.execute`')
  }
  return views.toModelResponse(result)
}

module.exports = { toModelResponse }
