// Schemas as MCP clients get them: the SDK's client checks each result as draft-07, and refuses what it reads otherwise.
import Ajv2020 from 'ajv/dist/2020.js'
import Ajv from 'ajv'

import { SchemaValidator } from '../../index.js'
import { clientSchema } from '../../js/mcp/client-schema.js'
import { openGate } from '../support/gate.mjs'
import { attached, envelopeOf } from './support.mjs'

const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
const PAIR = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 }
const PAIR_TURNED = { ...PAIR, prefixItems: PAIR.prefixItems.toReversed() }

/** Schemas, each with values that fit it. */
const CASES = {
  'a tuple': [object({ at: PAIR }), { at: ['a', 1] }],
  'a tuple with a rest': [object({ at: { ...PAIR, items: { type: 'boolean' } } }), { at: ['a', 1, true] }],
  'an open tuple': [object({ at: { type: 'array', prefixItems: PAIR.prefixItems } }), { at: ['a', 1, {}] }],
  'one of two tuples': [object({ at: { oneOf: [PAIR, PAIR_TURNED] } }), { at: ['a', 1] }, { at: [1, 'a'] }],
  'not a tuple': [object({ at: { not: PAIR_TURNED } }), { at: ['a', 1] }],
  'a condition with a tuple': [
    object({ at: {} }, { if: { properties: { at: PAIR } }, then: {}, else: { properties: { at: { type: 'null' } } } }),
    { at: ['a', 1] },
    { at: null },
  ],
  'a tuple behind a reference in oneOf': [
    object({ at: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } }, { $defs: { a: PAIR, b: PAIR_TURNED } }),
    { at: [1, 'a'] },
  ],
  'elements that allOf has counted': [
    object({ at: { allOf: [{ prefixItems: [{ type: 'string' }] }], unevaluatedItems: false } }),
    { at: ['a'] },
  ],
  'members that allOf has counted': [
    object({}, { allOf: [object({ a: { type: 'number' } })], unevaluatedProperties: false }),
    { a: 1 },
  ],
  'members that need others': [object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }), { a: 1, b: 1 }],
  'not a member that needs another': [object({ a: {} }, { not: { dependentRequired: { a: ['b'] } } }), { a: 1 }],
  'contains nothing of': [object({ l: { contains: { type: 'null' }, minContains: 0 } }), { l: [1] }],
  'a dialect and an id': [
    object(
      { a: { type: 'number' } },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://a.example/r' },
    ),
    { a: 1 },
  ],
  'a member beside a reference': [
    object({ n: { $ref: '#/$defs/n', minimum: 1 } }, { $defs: { n: { type: 'number' } } }),
    { n: 2 },
  ],
  'an anchor': [object({ n: { $ref: '#num' } }, { $defs: { n: { $anchor: 'num', type: 'number' } } }), { n: 2 }],
  'a schema that contains itself': [object({ up: { $ref: '#' } }), { up: { up: {} } }],
  'members named as keywords': [object({ $id: { type: 'string' }, not: PAIR, oneOf: {} }), { $id: 'a', not: ['b', 2] }],
}
const cases = Object.entries(CASES).map(([name, [schema, ...values]]) => [name, schema, values])

test.each(cases)('%s: readers of both drafts take what fits', (_name, schema, values) => {
  const before = structuredClone(schema)
  const published = clientSchema(schema)
  expect(schema).toEqual(before)
  for (const value of values) {
    expect(new SchemaValidator(schema).validate(value).valid).toBe(true)
    for (const Reader of [Ajv, Ajv2020]) {
      const check = new Reader({ strict: false }).compile(published)
      expect([Reader.name, check(value), check.errors]).toEqual([Reader.name, true, null])
    }
  }
})

test.each([
  ['an element of a tuple', CASES['a tuple'][0], { at: [true, 1] }],
  ['too many elements', CASES['a tuple'][0], { at: ['a', 1, 2] }],
  ['what is beside a reference', CASES['a member beside a reference'][0], { n: 0 }],
  ['what an anchor names', CASES['an anchor'][0], { n: 'x' }],
  ['deep in a recursion', CASES['a schema that contains itself'][0], { up: { up: 1 } }],
])('%s is still checked', (_name, schema, value) => {
  for (const Reader of [Ajv, Ajv2020])
    expect(new Reader({ strict: false }).compile(clientSchema(schema))(value)).toBe(false)
})

test('a schema that both read alike is published as it is', () => {
  const schema = object(
    { a: { oneOf: [{ const: 1 }, { const: 2 }] }, b: { not: { type: 'null' } }, c: { $ref: '#/$defs/c', title: 'C' } },
    { required: ['a'], additionalProperties: false, $defs: { c: { enum: [{ $id: 'x', prefixItems: [] }] } } },
  )
  expect(clientSchema(schema)).toEqual(schema)
})

test("the SDK's client takes results of a tuple, and of two tools whose schemas have one id", async () => {
  const id = { $id: 'https://a.example/result' }
  const { registry } = await openGate({
    pair: { resultSchema: object({ at: PAIR }, id), execute: () => ({ ok: true, data: { at: ['a', 1] } }) },
    other: { resultSchema: object({ n: { type: 'number' } }, id), execute: () => ({ ok: true, data: { n: 1 } }) },
    wrong: { resultSchema: object({ at: PAIR }), execute: () => ({ ok: true, data: { at: [1, 'a'] } }) },
  })
  const { client } = await attached(registry)
  for (let time = 0; time < 2; time += 1) await client.listTools()
  expect((await client.callTool({ name: 'pair' })).structuredContent).toEqual({ at: ['a', 1] })
  expect((await client.callTool({ name: 'other' })).structuredContent).toEqual({ n: 1 })
  // The gate checks the tool's own schema, whatever is published.
  const { error } = envelopeOf(await client.callTool({ name: 'wrong' }))
  expect(error).toMatchObject({ type: 'INTERNAL', message: expect.stringContaining('does not fit its own schema') })
})
