// The shape of a tool's parameters, as far as the assistant reads them: a JSON Schema whose keywords have the right types.

const text = { type: 'string' }
const schema = { $ref: '#/$defs/schema' }
const schemas = { type: 'array', items: schema }
const named = { type: 'object', additionalProperties: schema }

export const toolSchema = {
  $id: 'tool-schema',
  type: 'object',
  $ref: '#/$defs/schema',
  $defs: {
    schema: {
      type: ['object', 'boolean'],
      properties: {
        type: { type: ['string', 'array'], items: text },
        properties: named,
        required: { type: 'array', items: text },
        enum: { type: 'array' },
        items: schema,
        anyOf: schemas,
        oneOf: schemas,
        allOf: schemas,
        $defs: named,
        definitions: named,
      },
    },
  },
}

/** In the schema of a request. */
export const aToolSchema = { $ref: 'tool-schema' }
export const toolSchemaOrNull = { type: ['object', 'null'], if: { type: 'object' }, then: aToolSchema }
