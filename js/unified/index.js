'use strict'

// `toolgate/unified`: the gate for code bases whose tools return `{ success, data?, error? }`.

const { fromToolResult, toLiveAnswer, toToolRecord, toToolResult } = require('./tool-result.js')
const { createUnifiedTools } = require('./unified-tools.js')

const { executeUnifiedTool, getChatToolDefinitions, validateToolArgs } = createUnifiedTools()

module.exports = {
  createUnifiedTools,
  executeUnifiedTool,
  fromToolResult,
  getChatToolDefinitions,
  toLiveAnswer,
  toToolRecord,
  toToolResult,
  validateToolArgs,
}
