// The Responses request as JSON Schema (2020-12): the request, and each type of input item.
// Source: the types of the `openai` package 6 and the requests that it and the AI SDK 6 and 7 send. Members that the
// simulator ignores are not checked.

import { toolSchemaOrNull } from '../tool-schema.js'

const text = { type: 'string' }
const callId = { type: 'string', minLength: 1, maxLength: 64 }
/** @param {string[]} types */
const partsOf = types => ({
  type: ['string', 'array'],
  items: {
    type: 'object',
    required: ['type'],
    properties: { type: { enum: types }, text },
    if: { properties: { type: { enum: ['input_text', 'output_text'] } } },
    then: { required: ['text'] },
  },
})
const INPUT_PARTS = ['input_text', 'input_image', 'input_file', 'input_audio']

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: { role: { enum: ['user', 'assistant', 'system', 'developer'] } },
  if: { properties: { role: { const: 'assistant' } } },
  then: { properties: { content: partsOf(['output_text', 'refusal']) } },
  else: { properties: { content: partsOf(INPUT_PARTS) } },
}

/** Schemas of the items that the simulator reads. */
export const itemSchemas = new Map(
  Object.entries({
    message,
    function_call: {
      type: 'object',
      required: ['call_id', 'name', 'arguments'],
      properties: { call_id: callId, name: text, arguments: text, async: { type: 'boolean' } },
    },
    function_call_output: {
      type: 'object',
      required: ['call_id', 'output'],
      properties: { call_id: callId, output: partsOf(INPUT_PARTS) },
    },
    item_reference: { type: 'object', required: ['id'], properties: { id: text } },
  }),
)

/** Item types that are accepted unchecked: those of tools other than functions. */
export const OTHER_ITEMS = [
  'reasoning',
  'compaction',
  'file_search_call',
  'web_search_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'code_interpreter_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'custom_tool_call',
  'custom_tool_call_output',
]

const tool = {
  type: 'object',
  required: ['type'],
  properties: { type: text },
  if: { properties: { type: { const: 'function' } } },
  then: {
    required: ['name'],
    properties: {
      name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
      description: { type: ['string', 'null'] },
      parameters: toolSchemaOrNull,
      strict: { type: ['boolean', 'null'] },
      async: { type: 'boolean' },
    },
  },
}

export const requestSchema = {
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { type: 'string', minLength: 1 },
    input: { type: ['string', 'array'], items: { type: 'object' } },
    instructions: { type: ['string', 'null'] },
    previous_response_id: { type: ['string', 'null'] },
    tools: { type: ['array', 'null'], maxItems: 128, items: tool },
    tool_choice: { type: ['string', 'object', 'null'] },
    max_output_tokens: { type: ['integer', 'null'], minimum: 16 },
    metadata: { type: ['object', 'null'] },
    store: { type: ['boolean', 'null'] },
    stream: { type: ['boolean', 'null'] },
  },
}
