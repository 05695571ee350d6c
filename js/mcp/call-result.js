'use strict'

// Converts a ToolResponse to the result of `tools/call`. The first text is the model's view of the ToolResponse. Blocks of a source
// follow it. `structuredContent` is `data` if the tool declares an output schema; it always fits that schema, because clients
// check it.

const { toModelResponse, toUiResponse } = require('../answers/views.js')
const { isFit } = require('./output-schema.js')

/** @typedef {import('@modelcontextprotocol/server').Tool} McpTool */
/** @typedef {import('@modelcontextprotocol/server').ContentBlock} ContentBlock */

/**
 * @param {import('toolgate').ToolResponse} response
 * @param {McpTool} [declaration] the tool's, as `tools/list` returns it
 * @param {{ meta?: import('toolgate').ModelMeta, blocks?: ContentBlock[] }} [options] `blocks`: of the source
 * @returns {import('@modelcontextprotocol/server').CallToolResult}
 */
function toCallResult(response, declaration, { meta = 'lean', blocks = [] } = {}) {
  /** @type {ContentBlock[]} */
  const text = [{ type: 'text', text: JSON.stringify(toModelResponse(response, { meta })) }]
  if (!response.ok) return { content: text, isError: true }
  // What was shortened for the model is not given to it beside.
  const isShortened = response.meta?.truncated !== undefined
  const content = [...text, ...(isShortened ? blocks.filter(block => !isText(block)) : blocks)]
  if (declaration?.outputSchema === undefined) return { content }
  const data = fittingData(response, declaration)
  return data === undefined
    ? { content: [...content, { type: 'text', text: UNFIT }], isError: true }
    : { content, structuredContent: data }
}

/** @param {ContentBlock} block */
const isText = block => block.type === 'text' || (block.type === 'resource' && 'text' in block.resource)

/**
 * The error if no data fits the schema: clients refuse a result without the declared structure, and lose the answer.
 */
const UNFIT =
  "The call has succeeded. Its result is not given as structured content: it was shortened, and what is left does not fit the tool's output schema."

/**
 * The data that fits its schema. The gate validated the data, but may have shortened it afterwards. The shortened data
 * is used if it still fits, because some clients show their model only `structuredContent`; otherwise the full data, if
 * kept. A foreign schema that can't be compiled says nothing of what was shortened.
 * @param {Extract<import('toolgate').ToolResponse, { ok: true }>} response
 * @param {McpTool} declaration
 */
function fittingData(response, declaration) {
  const { data, meta } = response
  if (meta?.truncated === undefined || isFit(data, declaration)) return data
  const { data: all, meta: full } = /** @type {typeof response} */ (toUiResponse(response))
  return full?.truncated === undefined ? all : undefined
}

module.exports = { toCallResult }
