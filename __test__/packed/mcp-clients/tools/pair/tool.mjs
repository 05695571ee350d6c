import { defineTool, success } from 'toolgate'

const part = {
  type: 'object',
  additionalProperties: false,
  properties: { name: { type: 'string' }, size: { type: 'number' } },
  required: ['name', 'size'],
}
export default defineTool({
  description: 'Gives the parts of a thing in pairs.',
  sideEffects: 'none',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { of: { $ref: '#/$defs/part' } },
    required: ['of'],
    $defs: { part },
  },
  resultSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/pair',
    type: 'object',
    properties: {
      at: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
    },
    required: ['at'],
  },
  execute: ({ args }) => success({ at: [args.of.name, args.of.size] }),
})
