// Tools in the format of the Responses and Realtime APIs: the function's name is beside its type.

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @param {{ tools?: JsonObject[] | null, tool_choice?: string | JsonObject | null }} config of a request, session or
 *   response
 * @returns {import('../assistant/read-arguments.js').ToolDeclaration[]} the functions that the client declared and allows
 */
export function flatFunctions({ tools, tool_choice: choice }) {
  const functions = (tools ?? []).filter(({ type }) => type === 'function')
  return choice === 'none' ? [] : functions.map(({ name, parameters }) => ({ name, parameters }))
}
