import { ToolError, defineTool, success } from 'toolgate'
import * as v from 'valibot'
import { Type as OldType } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
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

// A validator that TypeBox has compiled: 1.x says what it decodes, 0.x does not.
defineTool({
  description: 'Count the letters.',
  sideEffects: 'none',
  parameters: Compile(Type.Object({ letters: Type.Decode(Type.String(), text => text.length) })),
  confirmation: { ttlMs: 60_000 },
  execute({ args }) {
    args.letters satisfies number
    // @ts-expect-error: the schema has no such property
    void args.words
    return success(args.letters)
  },
})
defineTool({
  description: 'Count the letters.',
  sideEffects: 'none',
  parameters: TypeCompiler.Compile(OldType.Object({ letters: OldType.String() })),
  execute: ({ args }) => success(args.letters),
})

// A `resultSchema` of a library types what `execute` returns.
const FOUND = z.object({ found: z.array(z.string()) })
const typed = {
  description: 'Find.',
  sideEffects: 'none',
  parameters: z.object({ limit: z.number() }),
  resultSchema: FOUND,
} as const
defineTool({ ...typed, execute: ({ args }) => success({ found: [String(args.limit)] }) })
// @ts-expect-error: texts are found
defineTool({ ...typed, execute: () => success({ found: [1] }) })
// A result schema of JSON Schema says nothing of types.
defineTool({ ...typed, resultSchema: { type: 'object' }, execute: () => success({ found: [1] }) })
