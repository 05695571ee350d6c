// The client frames of the Live service, as one JSON Schema (2020-12).
// Sources: the BidiGenerateContent reference of the Gemini API and the frames that @google/genai 2.32 and 3.1 send.
// Objects are closed if the service rejects unknown names, open if the API changes with each release.

import { aToolSchema } from '../tool-schema.js'

/** @import { Schema, SchemaObject } from 'ajv' */

/** @param {Record<string, Schema>} properties @param {SchemaObject} [more] @returns {SchemaObject} */
const object = (properties, more = {}) => ({ type: 'object', properties, additionalProperties: false, ...more })
/** @param {Schema} items @param {SchemaObject} [more] @returns {SchemaObject} */
const listOf = (items, more = {}) => ({ type: 'array', items, ...more })
const anyObject = { type: 'object' }
const string = { type: 'string' }
const boolean = { type: 'boolean' }
// protobuf's JSON mapping writes 64-bit integers as strings and reads both
const int64 = { type: ['string', 'integer'], pattern: '^\\d+$' }

const TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL', 'TYPE_UNSPECIFIED']

/** Gemini's `Schema`; refers to itself as `#/$defs/parameterSchema`. */
export const parameterSchema = object(
  {
    type: { enum: [...TYPES, ...TYPES.map(name => name.toLowerCase())] },
    format: string,
    title: string,
    description: string,
    nullable: boolean,
    enum: listOf(string),
    items: { $ref: '#/$defs/parameterSchema' },
    minItems: int64,
    maxItems: int64,
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/parameterSchema' } },
    required: listOf(string),
    propertyOrdering: listOf(string),
    minProperties: int64,
    maxProperties: int64,
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: int64,
    maxLength: int64,
    pattern: string,
    anyOf: listOf({ $ref: '#/$defs/parameterSchema' }),
    default: true,
    example: true,
  },
  { dependentSchemas: { enum: { properties: { type: { enum: ['STRING', 'string'] } } } } },
)

export const functionDeclaration = object(
  {
    name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$' },
    description: string,
    behavior: { enum: ['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'] },
    parameters: { $ref: '#/$defs/parameterSchema' },
    parametersJsonSchema: aToolSchema,
    response: { $ref: '#/$defs/parameterSchema' },
    responseJsonSchema: anyObject,
  },
  { required: ['name'], not: { required: ['parameters', 'parametersJsonSchema'] } },
)

const content = object(
  { role: { enum: ['user', 'model'] }, parts: listOf(anyObject, { minItems: 1 }) },
  { required: ['parts'] },
)

const blob = object(
  { mimeType: string, data: { type: 'string', pattern: '^[A-Za-z0-9+/_-]*={0,2}$' }, displayName: string },
  { required: ['mimeType', 'data'] },
)

const audioBlob = { allOf: [blob, { properties: { mimeType: { pattern: '^audio/' } } }] }

const setup = {
  type: 'object',
  required: ['model'],
  properties: {
    model: { type: 'string', minLength: 1 },
    generationConfig: {
      type: 'object',
      properties: { responseModalities: listOf({ enum: ['TEXT', 'AUDIO'] }, { maxItems: 1 }) },
    },
    systemInstruction: object({ role: string, parts: listOf(anyObject) }),
    tools: listOf({ type: 'object', properties: { functionDeclarations: listOf(functionDeclaration) } }),
    realtimeInputConfig: {
      type: 'object',
      properties: { automaticActivityDetection: { type: 'object', properties: { disabled: boolean } } },
    },
    sessionResumption: object({ handle: string, transparent: boolean }),
    inputAudioTranscription: anyObject,
    outputAudioTranscription: anyObject,
  },
}

const functionResponse = object(
  {
    id: string,
    name: string,
    response: anyObject,
    scheduling: { enum: ['SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT'] },
    willContinue: boolean,
    parts: listOf(anyObject),
  },
  { required: ['name', 'response'] },
)

/** One client frame: exactly one of the four messages. */
export const clientFrameSchema = {
  $defs: { parameterSchema },
  ...object(
    {
      setup,
      clientContent: object({ turns: listOf(content), turnComplete: boolean }),
      realtimeInput: object(
        {
          text: string,
          audio: audioBlob,
          video: blob,
          mediaChunks: listOf(blob),
          activityStart: object({}),
          activityEnd: object({}),
          audioStreamEnd: boolean,
        },
        { minProperties: 1 },
      ),
      toolResponse: object(
        { functionResponses: listOf(functionResponse, { minItems: 1 }) },
        { required: ['functionResponses'] },
      ),
    },
    { minProperties: 1, maxProperties: 1 },
  ),
}
