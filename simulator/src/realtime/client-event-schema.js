// The client events of the Realtime API: one JSON Schema (2020-12) for each event type. Source: OpenAI's reference of
// client events and the types of the `openai` package 6. Objects are closed if the service rejects unknown parameters,
// open if the API still changes.

import { aToolSchema } from '../tool-schema.js'

/** @import { Schema, SchemaObject } from 'ajv' */

/**
 * @param {Record<string, Schema>} properties
 * @param {string[]} [required]
 * @param {SchemaObject} [more]
 * @returns {SchemaObject}
 */
const object = (properties, required = [], more = {}) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...more,
})
const string = { type: 'string' }
const boolean = { type: 'boolean' }
const anyObject = { type: 'object' }
const wholeNumber = { type: 'integer', minimum: 0 }
const id = { type: 'string', minLength: 1, maxLength: 64 }
/** @param {SchemaObject} schema @returns {SchemaObject} */
const nullOr = schema => ({ ...schema, type: [schema.type, 'null'].flat() })

const tool = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['function', 'mcp'] },
    name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
    description: string,
    parameters: aToolSchema,
  },
  if: { properties: { type: { const: 'function' } } },
  then: { ...object({ type: string, name: string, description: string, parameters: aToolSchema }, ['name']) },
}
const tools = { type: 'array', items: tool }
const toolChoice = { type: ['string', 'object'] }
const modalities = { type: 'array', minItems: 1, maxItems: 1, items: { enum: ['text', 'audio'] } }
const maxTokens = { type: ['integer', 'string'], minimum: 1, pattern: '^inf$' }
// the service has other formats; the simulator supports PCM only
const format = object({ type: { const: 'audio/pcm' }, rate: { const: 24000 } }, ['type'])

const turnDetection = nullOr({
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { enum: ['server_vad', 'semantic_vad'] },
    threshold: { type: 'number', minimum: 0, maximum: 1 },
    prefix_padding_ms: wholeNumber,
    silence_duration_ms: wholeNumber,
    idle_timeout_ms: nullOr(wholeNumber),
    create_response: boolean,
    interrupt_response: boolean,
    eagerness: { enum: ['low', 'medium', 'high', 'auto'] },
  },
})

const session = object(
  {
    type: { const: 'realtime' },
    object: string,
    id: string,
    expires_at: { type: ['integer', 'null'] },
    model: string,
    output_modalities: modalities,
    instructions: string,
    tools,
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    max_output_tokens: maxTokens,
    audio: object({
      input: object({
        format,
        transcription: nullOr(anyObject),
        noise_reduction: nullOr(anyObject),
        turn_detection: turnDetection,
      }),
      output: object({
        format,
        voice: { type: ['string', 'object'] },
        speed: { type: 'number', minimum: 0.25, maximum: 1.5 },
      }),
    }),
    tracing: { type: ['string', 'object', 'null'] },
    truncation: { type: ['string', 'object'] },
    prompt: nullOr(anyObject),
    reasoning: nullOr(anyObject),
    include: nullOr({ type: 'array' }),
  },
  ['type'],
)

/** Content part types and their required members, by role. */
const CONTENT = {
  system: { input_text: ['text'] },
  user: { input_text: ['text'], input_audio: ['audio'], input_image: ['image_url'] },
  assistant: { output_text: ['text'], output_audio: ['transcript'] },
}

/** @param {keyof typeof CONTENT} role @returns {SchemaObject} */
const contentOf = role => ({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { enum: Object.keys(CONTENT[role]) },
      text: string,
      audio: string,
      transcript: string,
      image_url: string,
      detail: string,
    },
    additionalProperties: false,
    allOf: Object.entries(CONTENT[role]).map(([type, required]) => ({
      if: { properties: { type: { const: type } } },
      then: { required },
    })),
  },
})

const itemBase = {
  id: { ...id, maxLength: 32 },
  object: string,
  status: { enum: ['completed', 'incomplete', 'in_progress'] },
  type: string,
}

/** Item schemas by type; a message's content depends on its role (see parse-event.js). */
export const itemSchemas = new Map(
  Object.entries({
    message: {
      type: 'object',
      required: ['role', 'content'],
      properties: { role: { enum: Object.keys(CONTENT) } },
      allOf: /** @type {(keyof typeof CONTENT)[]} */ (Object.keys(CONTENT)).map(role => ({
        if: { properties: { role: { const: role } } },
        then: object({ ...itemBase, role: string, content: contentOf(role) }),
      })),
    },
    function_call: object({ ...itemBase, call_id: id, name: string, arguments: string }, ['name', 'arguments']),
    function_call_output: object({ ...itemBase, call_id: id, output: string }, ['call_id', 'output']),
  }),
)

const response = object({
  output_modalities: modalities,
  instructions: string,
  tools,
  tool_choice: toolChoice,
  parallel_tool_calls: boolean,
  max_output_tokens: maxTokens,
  metadata: nullOr(anyObject),
  audio: object({ output: object({ format, voice: { type: ['string', 'object'] } }) }),
  prompt: nullOr(anyObject),
  reasoning: anyObject,
  conversation: { enum: ['auto', 'none'] },
  input: { type: 'array', items: { type: 'object', required: ['type'] } },
})

/** @param {Record<string, Schema>} [properties] @param {string[]} [required] */
const event = (properties = {}, required = []) =>
  object({ type: string, event_id: { type: 'string', maxLength: 512 }, ...properties }, required)

export const eventSchemas = new Map(
  Object.entries({
    'session.update': event({ session }, ['session']),
    'input_audio_buffer.append': event({ audio: string }, ['audio']),
    'input_audio_buffer.commit': event(),
    'input_audio_buffer.clear': event(),
    'output_audio_buffer.clear': event(),
    'conversation.item.create': event({ item: { type: 'object', required: ['type'] }, previous_item_id: nullOr(id) }, [
      'item',
    ]),
    'conversation.item.retrieve': event({ item_id: id }, ['item_id']),
    'conversation.item.delete': event({ item_id: id }, ['item_id']),
    'conversation.item.truncate': event({ item_id: id, content_index: wholeNumber, audio_end_ms: wholeNumber }, [
      'item_id',
      'content_index',
      'audio_end_ms',
    ]),
    'response.create': event({ response }),
    'response.cancel': event({ response_id: id }),
  }),
)
