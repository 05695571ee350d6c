// Schemas as MCP clients get them: as they are, but no output schema that a client with draft-07 would refuse right results by.
import Ajv2020 from 'ajv/dist/2020.js'
import Ajv from 'ajv'

import { SchemaValidator } from '../../index.js'
import { published } from '../../js/mcp/client-schema.js'
import { openGate } from '../support/gate.mjs'
import { attached, envelopeOf } from './support.mjs'

const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
const PAIR = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 }

/** Schemas that the drafts read differently. */
const DIFFERENT = {
  'a tuple': object({ at: PAIR }),
  'a tuple of draft-07': object({ at: { type: 'array', items: [{ type: 'string' }] } }),
  'one of two tuples': object({ at: { oneOf: [PAIR, { type: 'null' }] } }),
  'a condition with a tuple': object({ at: {} }, { if: { properties: { at: PAIR } }, then: {}, else: {} }),
  'a tuple behind a reference': object({ at: { $ref: '#/$defs/a' } }, { $defs: { a: PAIR } }),
  'members that allOf has counted': object({}, { allOf: [object({ a: {} })], unevaluatedProperties: false }),
  'members that need others': object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
  'contains nothing of': object({ l: { contains: { type: 'null' }, minContains: 0 } }),
  'an id': object({ a: { type: 'number' } }, { $id: 'https://a.example/r' }),
  'a dialect within': object({ a: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'number' } }),
  'a limit beside a reference': object({ n: { $ref: '#/$defs/n', minimum: 1 } }, { $defs: { n: { type: 'number' } } }),
  'an anchor': object({ n: { $ref: '#num' } }, { $defs: { n: { $anchor: 'num', type: 'number' } } }),
}
/** Schemas that they read alike, each with a value that fits it, and one that does not. */
const ALIKE = {
  'a schema that contains itself': [object({ up: { $ref: '#' } }), { up: { up: {} } }, { up: { up: 1 } }],
  'members named as keywords': [
    object({ $id: { type: 'string' }, prefixItems: { type: 'null' }, $schema: {} }),
    { $id: 'a', prefixItems: null },
    { $id: 1 },
  ],
  'values that look like schemas': [
    object({ c: { enum: [{ $id: 'x', prefixItems: [] }] }, d: { const: { minContains: 1 } } }),
    { c: { $id: 'x', prefixItems: [] } },
    { c: 1 },
  ],
  'a text beside a reference': [
    object({ n: { $ref: '#/$defs/n', title: 'N' } }, { $defs: { n: { type: 'number' } } }),
    { n: 2 },
    { n: 'x' },
  ],
  'a list': [object({ l: { type: 'array', items: { type: 'number' } } }), { l: [1] }, { l: ['x'] }],
}

test.each(Object.entries(DIFFERENT))('%s: clients get no output schema', (_name, outputSchema) => {
  const inputSchema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...object({ at: PAIR }) }
  expect(published({ name: 'a', inputSchema, outputSchema })).toEqual({ name: 'a', inputSchema })
})

test.each(Object.entries(ALIKE))('%s: both drafts read it, as it is', (_name, [schema, fits, other]) => {
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema' }
  const { outputSchema } = published({ name: 'a', inputSchema: {}, outputSchema: { ...dialect, ...schema } })
  expect(outputSchema).toEqual(schema)
  for (const Reader of [Ajv, Ajv2020]) {
    const check = new Reader({ strict: false }).compile(outputSchema)
    expect([Reader.name, check(fits), check(other)]).toEqual([Reader.name, true, false])
  }
  expect([fits, other].map(value => new SchemaValidator(schema).validate(value).valid)).toEqual([true, false])
})

test('what a tool takes is published as its schema says, with dialect, anchors and definitions', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { city: { $anchor: 'city', type: 'string', description: 'A city.' } },
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/city', description: 'From.' },
      at: { ...PAIR, description: 'Where.', prefixItems: PAIR.prefixItems },
    },
    additionalProperties: false,
  }
  const { registry } = await openGate({ go: { parameters: schema } })
  const { client } = await attached(registry)
  const [{ inputSchema }] = (await client.listTools()).tools
  expect(inputSchema).toEqual(schema)
})

test('a result is structured whether or not its schema is published', async () => {
  const id = { $id: 'https://a.example/result' }
  const { registry } = await openGate({
    pair: { resultSchema: object({ at: PAIR }, id), execute: () => ({ ok: true, data: { at: ['a', 1] } }) },
    other: { resultSchema: object({ n: { type: 'number' } }), execute: () => ({ ok: true, data: { n: 1 } }) },
    wrong: { resultSchema: object({ at: PAIR }), execute: () => ({ ok: true, data: { at: [1, 'a'] } }) },
  })
  const { client } = await attached(registry)
  const { tools } = await client.listTools()
  expect(tools.map(({ name, outputSchema }) => [name, outputSchema !== undefined])).toEqual([
    ['other', true],
    ['pair', false],
    ['wrong', false],
  ])
  expect((await client.callTool({ name: 'pair' })).structuredContent).toEqual({ at: ['a', 1] })
  expect((await client.callTool({ name: 'other' })).structuredContent).toEqual({ n: 1 })
  // The gate checks the tool's own schema, whatever is published.
  const { error } = envelopeOf(await client.callTool({ name: 'wrong' }))
  expect(error).toMatchObject({ type: 'INTERNAL', message: expect.stringContaining('does not fit its own schema') })
})
