// Validates a Responses request and resolves the items that it references.

import { invalidRequest, shapeError } from '../openai/openai-errors.js'
import { parametersProblem } from '../openai/strict-schema.js'
import { shapeErrors } from '../shape-errors.js'
import { OTHER_ITEMS, itemSchemas, requestSchema } from './responses-request-schema.js'

/**
 * @import { ApiError } from '../openai/openai-errors.js'
 * @import { JsonObject } from '../parse-json.js'
 * @import { ResponseStore } from './response-store.js'
 */

/**
 * @typedef {{ problem: ApiError, items?: undefined } | { problem?: undefined, items: JsonObject[] }} CheckedItems all
 *   items of the conversation
 */

/**
 * @param {any} body any JSON value
 * @param {ResponseStore} memory
 * @returns {CheckedItems}
 */
export function checkRequest(body, memory) {
  const errors = shapeErrors(requestSchema, body)
  if (errors !== null) return { problem: shapeError(errors) }
  const problem = optionsError(body) ?? toolsError(body.tools ?? [])
  if (problem !== null) return { problem }
  const own = inputItems(body.input)
  const shapeProblem = own.map(itemError).find(error => error !== null)
  if (shapeProblem !== undefined) return { problem: shapeProblem }
  const previous = memory.itemsUpTo(body.previous_response_id)
  if (previous === undefined) {
    const message = `previous response with id \`${body.previous_response_id}\` not found`
    return { problem: invalidRequest(message, 'previous_response_id', 'previous_response_not_found') }
  }
  return resolve(previous, own, memory)
}

/**
 * @param {JsonObject[]} previous
 * @param {JsonObject[]} own
 * @param {ResponseStore} memory
 * @returns {CheckedItems}
 */
function resolve(previous, own, memory) {
  const items = [...previous]
  for (const item of own) {
    const meant = item.type === 'item_reference' ? memory.item(item.id) : item
    if (meant === undefined)
      return { problem: { ...invalidRequest(`item with id \`${item.id}\` not found`, 'input'), status: 404 } }
    items.push(meant)
  }
  const problem = callsError(items)
  return problem === null ? { items } : { problem }
}

/**
 * The input's items; a message may omit its type.
 *
 * @param {string | JsonObject[]} input
 * @returns {JsonObject[]}
 */
function inputItems(input) {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.map(item => (item.type === undefined && item.role !== undefined ? { ...item, type: 'message' } : item))
}

/** @param {JsonObject} item @param {number} index */
function itemError(item, index) {
  if (OTHER_ITEMS.includes(item.type)) return null
  const schema = itemSchemas.get(item.type)
  if (schema === undefined) {
    const known = [...itemSchemas.keys(), ...OTHER_ITEMS].join(', ')
    return invalidRequest(
      `invalid value for \`input[${index}].type\` (${known})`,
      `input[${index}].type`,
      'invalid_value',
    )
  }
  const errors = shapeErrors(schema, item)
  if (errors === null) return null
  const [first] = errors
  return shapeError([{ ...first, instancePath: `/input/${index}${first.instancePath}` }])
}

/** @param {JsonObject} body */
function optionsError({ tools, tool_choice: toolChoice, background, conversation }) {
  if (background === true)
    return invalidRequest('the simulator answers at once; `background` must be false', 'background')
  if (conversation !== undefined && conversation !== null) {
    return invalidRequest('the simulator keeps no conversations; use `previous_response_id`', 'conversation')
  }
  const needsTools = toolChoice === 'required' || typeof toolChoice?.name === 'string'
  if (needsTools && (tools ?? []).length === 0)
    return invalidRequest('`tool_choice` asks for a tool, and there are no `tools`', 'tool_choice')
  return null
}

/** @param {JsonObject[]} tools */
function toolsError(tools) {
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function') continue
    const problem = parametersProblem({ ...tool, parameters: tool.parameters ?? undefined })
    if (problem !== null) {
      return invalidRequest(
        `invalid schema for function \`${tool.name}\`: ${problem}`,
        `tools[${index}].parameters`,
        'invalid_function_parameters',
      )
    }
  }
  return null
}

/** Each function call needs an output, unless it is `async`; each output an earlier call. @param {JsonObject[]} items */
function callsError(items) {
  const open = new Set()
  const called = new Set()
  for (const { type, call_id: id, async: isAsync } of items) {
    if (type === 'function_call') {
      if (isAsync !== true) open.add(id)
      called.add(id)
    }
    if (type !== 'function_call_output') continue
    if (!called.has(id))
      return invalidRequest(`no tool call found for the function call output with call_id \`${id}\``, 'input')
    open.delete(id)
  }
  const [first] = open
  return first === undefined ? null : invalidRequest(`no tool output found for function call \`${first}\``, 'input')
}
