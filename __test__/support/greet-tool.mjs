/** A tool in one file, for projects that install the package. */
export const GREET_TOOL = `
import { defineTool, success } from 'toolgate'
export default defineTool({
  description: 'Greets a person.',
  sideEffects: 'none',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false },
  execute: ({ args }) => success({ text: 'Hello ' + args.name }),
})
`
