import { defineTool, success } from 'toolgate'
import { z } from 'zod'
import { findRefund, refund } from '../../payments.mjs'

export default defineTool({
  description: 'Refund an order to its customer. Use it only when the user asks for a refund.',
  sideEffects: 'writes',
  confirmation: { preview: 'Refund {amount} EUR for order {order}' },
  duplicate: { key: ['/order'], windowMs: 600_000, on: 'replay' },
  parameters: z.object({
    order: z.string().max(20).describe('The number of the order.'),
    amount: z.number().min(1).max(9999).describe('The amount in EUR.'),
  }),
  execute: async ({ args, meta }) => success(await refund(args, meta.idempotencyKey)),
  async reconcile({ idempotencyKey }) {
    const data = await findRefund(idempotencyKey)
    return data === null ? { outcome: 'not_happened' } : { outcome: 'happened', data }
  },
})
