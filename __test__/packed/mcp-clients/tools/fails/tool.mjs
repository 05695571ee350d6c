import { defineTool, failure } from 'toolgate'

export default defineTool({
  description: 'Fails always.',
  sideEffects: 'none',
  parameters: { type: 'object', additionalProperties: false, properties: {} },
  execute: () => failure('NOT_FOUND', 'there is no such thing'),
})
