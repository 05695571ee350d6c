'use strict'

// Converts a ToolResponse to the result of `tools/call`. The text is the model's view of the ToolResponse.
// `structuredContent` is `data` if the tool declares an output schema; it always fits that schema, because clients
// check it.

const { SchemaValidator } = require('../tool-sets/schema-validator.js')
const { toModelResponse, toUiResponse } = require('../answers/views.js')

/** @typedef {import('@modelcontextprotocol/server').Tool} McpTool */

/** Declaration → compiled output schema. @type {WeakMap<McpTool, SchemaValidator>} */
const validators = new WeakMap()

/**
 * @param {import('toolgate').ToolResponse} response
 * @param {McpTool} [declaration] the tool's, as `tools/list` returns it
 * @param {import('toolgate').ModelMeta} [meta]
 * @returns {import('@modelcontextprotocol/server').CallToolResult}
 */
function toCallResult(response, declaration, meta = 'lean') {
  /** @type {import('@modelcontextprotocol/server').TextContent[]} */
  const content = [{ type: 'text', text: JSON.stringify(toModelResponse(response, { meta })) }]
  if (!response.ok) return { content, isError: true }
  if (declaration?.outputSchema === undefined) return { content }
  const data = fittingData(response, declaration)
  return data === undefined
    ? { content: [...content, { type: 'text', text: UNFIT }], isError: true }
    : { content, structuredContent: data }
}

/**
 * The error if no data fits the schema: clients refuse a result without the declared structure, and lose the answer.
 */
const UNFIT =
  "The call has succeeded. Its result is not given as structured content: it was shortened, and what is left does not fit the tool's output schema."

/**
 * The data that fits its schema. The gate validated the data, but may have shortened it afterwards. The shortened data
 * is used if it still fits, because some clients show their model only `structuredContent`; otherwise the full data, if
 * kept.
 * @param {Extract<import('toolgate').ToolResponse, { ok: true }>} response
 * @param {McpTool} declaration
 */
function fittingData(response, declaration) {
  const { data, meta } = response
  if (meta?.truncated === undefined || isFit(data, declaration)) return data
  const { data: all } = /** @type {typeof response} */ (toUiResponse(response))
  return isFit(all, declaration) ? all : undefined
}

/** @param {unknown} data @param {McpTool} declaration */
function isFit(data, declaration) {
  let validator = validators.get(declaration)
  if (validator === undefined) {
    validator = new SchemaValidator(/** @type {import('../../index.js').JsonSchema} */ (declaration.outputSchema))
    validators.set(declaration, validator)
  }
  return validator.validate(data).valid
}

module.exports = { toCallResult }
