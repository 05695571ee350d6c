// Validates a Chat Completions request. Returns the members of OpenAI's error body.

import { invalidRequest, shapeError } from '../openai/openai-errors.js'
import { parametersProblem } from '../openai/strict-schema.js'
import { shapeErrors } from '../shape-errors.js'
import { requestSchema } from './chat-request-schema.js'

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @param {any} body any JSON value
 * @returns {import('../openai/openai-errors.js').ApiError | null}
 */
export function checkRequest(body) {
  const errors = shapeErrors(requestSchema, body)
  if (errors !== null) return shapeError(errors)
  return optionsError(body) ?? toolsError(body.tools ?? []) ?? historyError(body.messages)
}

/** @param {JsonObject} body */
function optionsError({ stream, stream_options: streamOptions, tools, tool_choice: toolChoice, n }) {
  if (streamOptions && stream !== true)
    return invalidRequest('`stream_options` is only allowed when `stream` is true', 'stream_options')
  if (toolChoice !== undefined && toolChoice !== 'none' && tools === undefined) {
    return invalidRequest('`tool_choice` is only allowed when `tools` are given', 'tool_choice')
  }
  if (n > 1) return invalidRequest('the simulator gives one choice; `n` must be 1', 'n')
  return null
}

/** @param {JsonObject[]} tools */
function toolsError(tools) {
  for (const [index, tool] of tools.entries()) {
    const problem = tool.function === undefined ? null : parametersProblem(tool.function)
    if (problem !== null) {
      const message = `invalid schema for function \`${tool.function.name}\`: ${problem}`
      return invalidRequest(message, `tools[${index}].function.parameters`, 'invalid_function_parameters')
    }
  }
  return null
}

/**
 * Each tool call must be answered right after its message; nothing else may be answered.
 *
 * @param {JsonObject[]} messages
 */
function historyError(messages) {
  /** @type {Set<string>} */
  let open = new Set()
  /** @type {Set<string>} */
  let answered = new Set()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) {
        answered.add(message.tool_call_id)
      } else if (!answered.has(message.tool_call_id)) {
        return invalidRequest(
          'messages with role `tool` must be a response to a preceding message with `tool_calls`',
          `messages[${index}].role`,
        )
      }
      continue
    }
    if (open.size > 0) return unanswered(open, index)
    open = new Set((message.tool_calls ?? []).map((/** @type {JsonObject} */ { id }) => id))
    answered = new Set()
  }
  return open.size > 0 ? unanswered(open, messages.length) : null
}

/** @param {Set<string>} ids @param {number} index */
function unanswered(ids, index) {
  return invalidRequest(
    'an assistant message with `tool_calls` must be followed by tool messages responding to each `tool_call_id`; ' +
      `without response: ${[...ids].join(', ')}`,
    `messages[${index}].role`,
  )
}
