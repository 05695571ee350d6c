// The Chat Completions request as JSON Schema (2020-12). Source: OpenAI's API reference and the requests that openai 6
// and 7 and the AI SDK 6 and 7 send. Members that the simulator ignores are not checked.

import { aToolSchema } from '../tool-schema.js'

const text = { type: 'string' }
const textParts = {
  type: ['string', 'array'],
  items: { type: 'object', required: ['type'], properties: { type: text, text } },
}
const toolName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' }

const toolCall = {
  type: 'object',
  required: ['id', 'type', 'function'],
  properties: {
    id: text,
    type: { enum: ['function', 'custom'] },
    function: { type: 'object', required: ['name', 'arguments'], properties: { name: text, arguments: text } },
  },
}

const message = {
  type: 'object',
  required: ['role'],
  properties: { role: { enum: ['developer', 'system', 'user', 'assistant', 'tool', 'function'] } },
  allOf: [
    {
      if: { properties: { role: { enum: ['developer', 'system', 'user'] } } },
      then: { required: ['content'], properties: { content: textParts } },
    },
    {
      if: { properties: { role: { const: 'assistant' } } },
      then: {
        properties: {
          content: { ...textParts, type: ['string', 'array', 'null'] },
          tool_calls: { type: 'array', minItems: 1, items: toolCall },
        },
      },
    },
    {
      if: { properties: { role: { const: 'tool' } } },
      then: { required: ['content', 'tool_call_id'], properties: { content: textParts, tool_call_id: text } },
    },
  ],
}

const tool = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['function', 'custom'] },
    function: {
      type: 'object',
      required: ['name'],
      properties: {
        name: toolName,
        description: text,
        parameters: aToolSchema,
        strict: { type: ['boolean', 'null'] },
      },
    },
  },
  if: { properties: { type: { const: 'function' } } },
  then: { required: ['function'] },
}

export const requestSchema = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    messages: { type: 'array', minItems: 1, items: message },
    tools: { type: 'array', minItems: 1, maxItems: 128, items: tool },
    tool_choice: { type: ['string', 'object'] },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'], properties: { include_usage: { type: 'boolean' } } },
    n: { type: ['integer', 'null'], minimum: 1 },
  },
}
