// The client events of GPT-Live, and what is wrong with one. Source: `resources/live` of the `openai` package 7.57.

import { shapeError } from '../openai/openai-errors.js'
import { parseJson } from '../parse-json.js'
import { EventError, eventError } from '../realtime/parse-event.js'
import { shapeErrors } from '../shape-errors.js'
import { toolSchemaOrNull } from '../tool-schema.js'

/** @import { JsonObject } from '../parse-json.js' */

const text = { type: 'string' }
const textOrParts = { type: ['string', 'array', 'null'], items: { type: 'object' } }
const event = (/** @type {string} */ type, properties = {}, required = Object.keys(properties)) => ({
  type: 'object',
  properties: { type: { const: type }, event_id: { type: ['string', 'null'] }, ...properties },
  required,
  additionalProperties: false,
})
const append = (/** @type {string} */ kind) =>
  event(`session.${kind}.append`, { content: text, delegation_id: { type: ['string', 'null'] } })
const backend = {
  type: 'object',
  properties: {
    model: text,
    tools: { type: 'array', items: { type: 'object', properties: { parameters: toolSchemaOrNull } } },
  },
}
const delegation = {
  type: ['object', 'null'],
  properties: { type: { enum: ['client', 'responses'] }, responses: backend },
  required: ['type'],
}
const config = {
  type: 'object',
  properties: { model: text, instructions: { type: ['string', 'null'] }, delegation },
}

/** By type. */
export const SCHEMAS = new Map(
  [
    event('session.start', { session: { ...config, required: ['model'] } }),
    event('session.update', { session: config }),
    event('session.input_audio.append', { audio: text }),
    event('session.output_audio.fixture.play', { audio: text }),
    append('commentary'),
    append('thinking'),
    append('instructions'),
    event('response.item.create', {
      item: {
        type: 'object',
        properties: { type: text, call_id: text, output: text, content: textOrParts },
        required: ['type'],
      },
    }),
    event('response.create'),
    event('session.close'),
  ].map(schema => [schema.properties.type.const, schema]),
)

/**
 * @param {Buffer} bytes
 * @returns {{ json?: any, text?: string, problem: EventError | null }} `json` is a valid event if `problem` is null
 */
export function parseClientEvent(bytes) {
  const raw = bytes.toString('utf8')
  const { value: json, problem } = parseJson(raw)
  if (problem !== undefined)
    return { text: raw, problem: eventError(`the event is ${problem}`, { code: 'invalid_json' }) }
  const schema = SCHEMAS.get(/** @type {any} */ (json)?.type)
  if (schema === undefined) {
    const message = `invalid value for \`type\`; supported are ${[...SCHEMAS.keys()].join(', ')}`
    return { json, problem: eventError(message, { param: 'type', code: 'invalid_value' }) }
  }
  const errors = shapeErrors(schema, json)
  return { json, problem: errors === null ? null : new EventError(shapeError(errors)) }
}
