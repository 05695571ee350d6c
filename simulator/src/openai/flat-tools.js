// Tools in the format of the Responses and Realtime APIs: the function's name is beside its type.

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @param {{ tools?: JsonObject[] | null, tool_choice?: string | JsonObject | null }} config of a request, session or
 *   response
 * @returns {string[]} names of the functions that the client declared and allows
 */
export function flatFunctionNames({ tools, tool_choice: choice }) {
  return choice === 'none' ? [] : (tools ?? []).flatMap(({ type, name }) => (type === 'function' ? [name] : []))
}
