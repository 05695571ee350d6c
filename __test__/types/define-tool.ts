import { ToolError, defineTool, success } from 'toolgate'
import * as v from 'valibot'
import { z } from 'zod'

const search = defineTool({
  description: 'Find orders.',
  sideEffects: 'read_only',
  parameters: z.object({ query: z.string(), limit: z.number().int().default(3) }),
  async execute({ args, signal, services }) {
    const query: string = args.query
    // A default makes the argument present.
    const limit: number = args.limit
    // @ts-expect-error: the schema does not have it
    args.other
    signal satisfies AbortSignal
    if (services['orders'] === undefined) throw new ToolError('TRANSIENT', 'the orders are not available')
    return success({ found: [query].slice(0, limit) })
  },
})
type Result = Awaited<ReturnType<typeof search.execute>>
type Found = Extract<Result, { ok: true }>['data']
void ((data: Found) => data satisfies { found: string[] } | undefined)

defineTool({
  description: 'Count.',
  sideEffects: 'none',
  parameters: v.object({ text: v.string() }),
  execute: ({ args }) => success({ length: args.text.length }),
})

defineTool({
  description: 'Count.',
  sideEffects: 'none',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  execute: ({ args }) => success(String(args['text'])),
})

// @ts-expect-error: `sideEffects` is required
defineTool({ description: 'Count.', parameters: z.object({}), execute: () => success(1) })
