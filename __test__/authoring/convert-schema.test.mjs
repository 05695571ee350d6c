// Library schemas as JSON Schema: what is closed, what is left out, what is reported.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const require = createRequire(import.meta.url)
const { closeObjects } = require('../../js/authoring/close-objects.js')
const { convertSchema } = require('../../js/authoring/convert-schema.js')
const { toJson } = require('../../js/authoring/to-json.js')

const file = fileURLToPath(import.meta.url)
const convert = (schema, openness = 'closed') => convertSchema(schema, { file, at: '/parameters', openness })
const parameters = async shape => (await convert(z.object(shape))).json.properties

describe('objects', () => {
  const open = { type: 'object', properties: { a: {} } }
  const closed = { ...open, additionalProperties: false }

  test.each([
    [
      'a plain one is closed, and what is in it',
      { ...open, properties: { b: open, c: { type: 'array', items: open } } },
      { type: 'object', properties: { b: closed, c: { type: 'array', items: closed } }, additionalProperties: false },
    ],
    ['one that says so stays open', { ...open, additionalProperties: {} }, { ...open, additionalProperties: {} }],
    [
      'a record stays a record',
      { type: 'object', additionalProperties: { type: 'number' } },
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
    ['an object of anything stays one', { type: 'object' }, { type: 'object' }],
    ['alternatives are closed one by one', { anyOf: [open, open] }, { anyOf: [closed, closed] }],
    [
      'parts are closed together',
      { type: 'object', allOf: [open, { type: 'object', properties: { b: open } }] },
      { type: 'object', allOf: [open, { type: 'object', properties: { b: closed } }], unevaluatedProperties: false },
    ],
    [
      'alternatives beside properties too',
      { ...open, anyOf: [open] },
      { ...open, anyOf: [open], unevaluatedProperties: false },
    ],
    [
      'a definition that is a part stays open',
      { allOf: [{ $ref: '#/$defs/P' }], $defs: { P: open, Q: open } },
      { allOf: [{ $ref: '#/$defs/P' }], $defs: { P: open, Q: closed }, unevaluatedProperties: false },
    ],
    [
      'what must not be is left as it is',
      { not: open, additionalProperties: { not: open } },
      { not: open, additionalProperties: { not: open } },
    ],
  ])('%s', (_what, schema, expected) => expect(closeObjects(JSON.parse(JSON.stringify(schema)))).toEqual(expected))

  test('Zod decides by its own words', async () => {
    const { json } = await convert(
      z.object({
        plain: z.object({}),
        loose: z.looseObject({}),
        strict: z.strictObject({}),
        any: z.object({}).catchall(z.string()),
      }),
    )
    expect(Object.values(json.properties).map(property => property.additionalProperties)).toEqual([
      false,
      {},
      false,
      { type: 'string' },
    ])
    expect((await convert(z.object({}), 'as-written')).json).toEqual({ type: 'object', properties: {} })
  })

  test('an intersection and a recursion come through', async () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree).optional()
      },
    })
    expect((await convert(tree)).json).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
      additionalProperties: false,
    })
    const both = (await convert(z.object({ a: z.string() }).and(z.object({ b: z.string() })))).json
    expect(Object.keys(both.properties)).toEqual(['a', 'b'])
    expect(both.additionalProperties).toBe(false)
  })
})

test('the input side is taken: what has a default may be left out, a transform takes what comes in', async () => {
  const { json, lost } = await convert(
    z.object({ a: z.string().default('x'), b: z.string().transform(Number), c: z.number().optional() }),
  )
  expect(json.required).toEqual(['b'])
  expect(json.properties).toEqual({ a: { type: 'string', default: 'x' }, b: { type: 'string' }, c: { type: 'number' } })
  expect(lost.map(({ pointer }) => pointer)).toEqual(['/parameters/properties/b'])
})

test('what only Zod runs is found, each at its place', async () => {
  const { lost } = await convert(
    z
      .object({
        a: z.string().trim(),
        b: z.string().refine(text => text !== ''),
        c: z.string().regex(/x/i),
        d: z.number().catch(1),
        e: z.preprocess(value => value, z.string()),
        f: z.string().regex(/x/),
        g: z.email(),
      })
      .superRefine(() => {}),
  )
  expect(lost.map(({ pointer, message }) => `${pointer} ${message.split(' is ')[0].split(' are ')[0]}`).sort()).toEqual(
    [
      '/parameters a refinement',
      '/parameters/properties/a an overwrite such as `trim`',
      '/parameters/properties/b a refinement',
      '/parameters/properties/c a pattern with the flags `i`',
      '/parameters/properties/d `catch` replaces nothing that the JSON Schema refuses, such as another type; the code runs at call time',
      '/parameters/properties/e a transform',
    ],
  )
  expect(lost.every(({ kind, help }) => kind === 'lost' && help.length > 0)).toBe(true)
})

test('formats are ones that are checked, patterns are ones that can run', async () => {
  const given = await parameters({
    email: z.email(),
    host: z.hostname(),
    span: z.iso.duration(),
    id: z.cuid2(),
    own: z.uuidv4(),
  })
  expect(given.email).toMatchObject({ format: 'email', pattern: expect.any(String) })
  expect(given.host).toEqual({ type: 'string', pattern: expect.stringMatching(/^\^\[a-zA-Z0-9\]/) })
  expect(given.span).toEqual({ type: 'string', pattern: expect.stringMatching(/^\^P/) })
  expect(given.id).toEqual({ type: 'string', pattern: expect.any(String) })
  expect(given.own).toMatchObject({ format: 'uuid', pattern: expect.stringContaining('4[0-9a-fA-F]') })
})

test('plain JSON: absent members go, what JSON does not have is refused at its place', () => {
  expect(toJson({ a: undefined, b: [1, null, 'x', true], ['__proto__']: 1 })).toEqual(
    JSON.parse('{"b":[1,null,"x",true],"__proto__":1}'),
  )
  for (const [value, message] of [
    [{ a: new Date(0) }, '`/a` is a Date, which JSON does not have'],
    [{ a: [1n] }, '`/a/0` is a BigInt, which JSON does not have'],
    [{ 'a/b': Number.NaN }, '`/a~1b` is NaN, which JSON does not have'],
    [{ a: [undefined] }, '`/a/0` is undefined, which JSON does not have'],
    [{ a: Symbol('x') }, '`/a` is a symbol, which JSON does not have'],
  ])
    expect(() => toJson(value)).toThrow(message)
})
