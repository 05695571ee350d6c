import { defineTool, success } from 'toolgate'

export default defineTool({
  description: 'Repeats a text.',
  sideEffects: 'none',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  execute: ({ args }) => success(args.text),
})
