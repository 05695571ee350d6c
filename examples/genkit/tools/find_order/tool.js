import { ToolError, defineTool, success } from 'toolgate'
import { z } from 'zod'

const ORDERS = new Map([['A-17', { number: 'A-17', arrives: 'on Friday' }]])

export default defineTool({
  description: 'Find an order by its number. Use it before you say when something arrives.',
  sideEffects: 'read_only',
  parameters: z.object({ number: z.string().min(1).max(20).describe('The number of the order.') }),
  execute({ args }) {
    const order = ORDERS.get(args.number)
    if (order === undefined) throw new ToolError('NOT_FOUND', 'there is no order with this number')
    return success(order)
  },
})
