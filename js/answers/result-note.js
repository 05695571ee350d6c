'use strict'

// The result of a background call, for a model whose call was answered before: a provider takes one answer for a call.

const { toModelResponse } = require('./views.js')

/**
 * @param {{ toolId: string, response: import('../../index.js').ToolResponse }} result
 * @param {{ meta?: import('../../index.js').ModelMeta }} [options]
 * @returns {string} a sentence with the answer as JSON
 */
function toResultNote({ toolId, response }, { meta = 'lean' } = {}) {
  const answer = JSON.stringify(toModelResponse(response, { meta }))
  return `[The result of \`${toolId}\`, asked earlier: ${answer} Go on with that; do not call it again for that.]`
}

module.exports = { toResultNote }
