// The Messages request as JSON Schema (2020-12). Source: Anthropic's API reference and the types of @anthropic-ai/sdk
// 1. Members and blocks that the simulator ignores are not checked.

import { aToolSchema } from '../tool-schema.js'

const text = { type: 'string' }
/** @param {string} type @param {import('ajv').SchemaObject} then */
const whenType = (type, then) => ({ if: { properties: { type: { const: type } }, required: ['type'] }, then })

const blocks = {
  type: ['string', 'array'],
  items: {
    type: 'object',
    required: ['type'],
    properties: { type: text },
    allOf: [
      whenType('text', { required: ['text'], properties: { text: { type: 'string', minLength: 1 } } }),
      whenType('tool_use', {
        required: ['id', 'name', 'input'],
        properties: {
          id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
          name: { type: 'string', minLength: 1, maxLength: 200 },
          input: { type: 'object' },
        },
      }),
      whenType('tool_result', {
        required: ['tool_use_id'],
        properties: {
          tool_use_id: text,
          is_error: { type: ['boolean', 'null'] },
          content: { type: ['string', 'array'], items: { type: 'object', required: ['type'] } },
        },
      }),
    ],
  },
}

const tool = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' },
    type: { type: ['string', 'null'] },
    description: text,
  },
  // the service's own tools have a type and no schema
  if: { anyOf: [{ not: { required: ['type'] } }, { properties: { type: { enum: ['custom', null] } } }] },
  then: {
    required: ['input_schema'],
    properties: { input_schema: { ...aToolSchema, required: ['type'], properties: { type: { const: 'object' } } } },
  },
}

export const requestSchema = {
  type: 'object',
  required: ['model', 'max_tokens', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    max_tokens: { type: 'integer', minimum: 1 },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role', 'content'],
        properties: { role: { enum: ['user', 'assistant'] }, content: blocks },
      },
    },
    system: { type: ['string', 'array'] },
    tools: { type: 'array', items: tool },
    tool_choice: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: ['auto', 'any', 'tool', 'none'] }, name: text },
    },
    stream: { type: 'boolean' },
    thread: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: ['create', 'continue'] }, previous_message_id: text },
      if: { properties: { type: { const: 'continue' } } },
      then: { required: ['previous_message_id'] },
    },
  },
}
