// The request of generateContent, as a JSON Schema (2020-12). Source: the Gemini API's reference and the requests of
// @google/genai 2.32 and @ai-sdk/google 3. Closed if the service rejects unknown names, open if the API still changes.

import { functionDeclaration, parameterSchema } from '../live/client-frame-schema.js'

const anyObject = { type: 'object' }
const string = { type: 'string' }

const functionCall = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: { id: string, name: string, args: anyObject },
}

const functionResponse = {
  type: 'object',
  required: ['name', 'response'],
  properties: { id: string, name: string, response: anyObject },
}

const part = {
  type: 'object',
  minProperties: 1,
  properties: { text: string, functionCall, functionResponse, inlineData: anyObject, thoughtSignature: string },
}

const content = {
  type: 'object',
  required: ['parts'],
  additionalProperties: false,
  properties: { role: { enum: ['user', 'model'] }, parts: { type: 'array', minItems: 1, items: part } },
}

export const requestSchema = {
  $defs: { parameterSchema },
  type: 'object',
  required: ['contents'],
  additionalProperties: false,
  properties: {
    contents: { type: 'array', minItems: 1, items: content },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: { functionDeclarations: { type: 'array', items: functionDeclaration } },
      },
    },
    toolConfig: {
      type: 'object',
      properties: {
        functionCallingConfig: {
          type: 'object',
          properties: { mode: { enum: ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] } },
        },
      },
    },
    systemInstruction: { type: 'object', properties: { role: string, parts: { type: 'array', items: part } } },
    generationConfig: anyObject,
    safetySettings: { type: 'array', items: anyObject },
    cachedContent: string,
    labels: anyObject,
    serviceTier: string,
    store: { type: 'boolean' },
  },
}
