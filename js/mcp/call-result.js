'use strict'

// A ToolResponse as the result of `tools/call`. The text is the whole answer as a model may see it, never `data` alone;
// `structuredContent` is `data`, where the tool declares a schema of it, and always fits that schema: clients check it.

const { SchemaValidator } = require('../schema-validator.js')
const { toModelResponse, toUiResponse } = require('../views.js')

/** Compiled once for each declaration; a session's declarations live as long as it does. */
const validators = new WeakMap()

/**
 * @param {import('toolgate').ToolResponse} response
 * @param {{ outputSchema?: object }} [declaration] the tool's, as `tools/list` returns it
 * @returns {{ content: object[], structuredContent?: object, isError?: true }}
 */
function toCallResult(response, declaration) {
  const content = [{ type: 'text', text: JSON.stringify(toModelResponse(response)) }]
  if (!response.ok) return { content, isError: true }
  if (declaration?.outputSchema === undefined) return { content }
  const data = fittingData(response, declaration)
  return data === undefined
    ? { content: [...content, { type: 'text', text: UNFIT }], isError: true }
    : { content, structuredContent: data }
}

/** A result without the structure that its tool promises would be refused by the client, and the answer would be lost. */
const UNFIT =
  "The call has succeeded. Its result is not given as structured content: it was shortened, and what is left does not fit the tool's output schema."

/**
 * The data that fits its schema. The gate has checked it, but then it may have been shortened for the model: that is taken
 * where it still fits, because what some clients show their model is this alone. Else all of it, as far as it is kept.
 */
function fittingData(response, declaration) {
  const { data, meta } = response
  if (meta?.truncated === undefined || isFit(data, declaration)) return data
  const all = toUiResponse(response).data
  return isFit(all, declaration) ? all : undefined
}

function isFit(data, declaration) {
  if (!validators.has(declaration)) validators.set(declaration, new SchemaValidator(declaration.outputSchema))
  return validators.get(declaration).validate(data).valid
}

module.exports = { toCallResult }
