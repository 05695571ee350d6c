'use strict'

// Functions of OpenAI Responses that the model does not wait for (`async`): it goes on after the call, and the call has its one answer
// in any later request.

/**
 * The models that have them: GPT-6 Astra and later ones. Source: OpenAI's guide "Async tool calling", `openai` 7.59 (`FunctionTool`),
 * checked 2026-11-29. Another model gets none.
 */
const ASYNC_MODELS = /^gpt-(?:6-astra|6\.\d|[7-9]|[1-9]\d)(?!\d)/

/**
 * Declarations for Responses, `async` for background tools. Any other tool is answered once, at once: a model that does not wait would
 * speak as if it knew the result.
 *
 * @template {object} Declaration
 * @param {Declaration[]} declarations of the provider `openaiResponses`
 * @param {{ model: string, isBackground: (name: string) => boolean }} options
 * @returns {(Declaration & { async?: true })[]}
 */
function withAsync(declarations, { model, isBackground }) {
  if (!ASYNC_MODELS.test(model.replace(/^.*\//, ''))) return declarations
  return declarations.map(declaration => {
    const { type, name } = /** @type {{ type?: string, name?: string }} */ (declaration)
    return type === 'function' && name !== undefined && isBackground(name)
      ? { ...declaration, async: true }
      : declaration
  })
}

module.exports = { withAsync }
