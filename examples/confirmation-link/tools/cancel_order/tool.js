import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Cancel an order by its number. Use it only when the user asks for it.',
  sideEffects: 'writes',
  confirmation: { preview: 'Cancel the order {number}' },
  parameters: z.object({ number: z.string().min(1).max(20).describe('The number of the order.') }),
  execute: ({ args }) => success({ cancelled: args.number }),
})
