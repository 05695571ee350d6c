// What an author writes with a schema library, what the model sees, and what the handler gets: the tables of
// docs/schema-libraries.md. `TOOLGATE_RECORD=1` writes them.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { buildTools, createRegistry, formatReport } from '../../index.js'
import { project } from '../support/project.mjs'

const page = new URL('../../docs/schema-libraries.md', import.meta.url)

/** By library: its import, an object of it, and rows of a property and the values that a model sends for it. */
const LIBRARIES = {
  Zod: {
    imports: "import { z } from 'zod'",
    object: property => `z.object({ v: ${property} })`,
    rows: [
      ["z.string().default('all')", [undefined]],
      ['z.string().trim().min(2)', [' ab ', ' a ']],
      ["z.string().refine(text => text !== 'root', 'is reserved')", ['me', 'root']],
      ['z.string().transform(text => text.length)', ['four']],
      ['z.string().transform(text => text.length).default(7)', [undefined]],
      ['z.stringbool()', ['false', 'banana']],
      [
        'z.codec(z.iso.date(), z.date(), { decode: text => new Date(text), encode: date => date.toISOString() })',
        ['2026-02-01'],
      ],
      ['z.coerce.date()', ['2026-02-01T10:00:00Z']],
      ['z.coerce.bigint()', ['12345678901234567890']],
      ['z.coerce.number()', [5, '5']],
      ['z.string().pipe(z.coerce.number())', ['12']],
      ['z.number().catch(1)', [5, 'x']],
      ['z.httpUrl()', ['https://example.com/a', 'file:///etc/passwd']],
      ['z.url({ hostname: /^example\\.com$/ })', ['ftp://example.com', 'https://evil.com/example.com']],
      ["z.string().startsWith('https://').endsWith('.png')", ['https://a/b.png', 'https://a/b.gif']],
      ['z.jwt()', ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjoxfQ.c2ln', 'a.b.c', 'no']],
      ["z.array(z.string()).check(z.property('length', z.number().max(1)))", [['a'], ['a', 'b']]],
      [
        "z.discriminatedUnion('k', [z.object({ k: z.literal('a'), n: z.number().default(2) }), z.object({ k: z.literal('b') })])",
        [{ k: 'a' }, { k: 'b' }],
      ],
    ],
  },
  Valibot: {
    imports: "import * as v from 'valibot'",
    object: property => `v.object({ v: ${property} })`,
    rows: [
      ["v.optional(v.string(), 'all')", [undefined]],
      ['v.pipe(v.string(), v.trim(), v.minLength(2))', [' ab ', ' a ']],
      ["v.pipe(v.string(), v.check(text => text !== 'root', 'is reserved'))", ['me', 'root']],
      ['v.pipe(v.string(), v.transform(text => text.length))', ['four']],
      ["v.pipe(v.string(), v.startsWith('https://'), v.endsWith('.png'))", ['https://a/b.png', 'https://a/b.gif']],
      ['v.fallback(v.number(), 1)', [5, 'x']],
      [
        "v.variant('k', [v.object({ k: v.literal('a'), n: v.optional(v.number(), 2) }), v.object({ k: v.literal('b') })])",
        [{ k: 'a' }, { k: 'b' }],
      ],
    ],
  },
  ArkType: {
    imports: "import { type } from 'arktype'",
    object: property => `type({ v: ${property} })`,
    rows: [
      [`'string = "all"'`, [undefined]],
      [`'string.trim'`, [' ab ']],
      [`'string.numeric.parse'`, ['12', 'x']],
      [`'string.date.iso.parse'`, ['2026-02-01T10:00:00.000Z']],
      [`type('string').narrow((text, ctx) => text !== 'root' || ctx.mustBe('not reserved'))`, ['me', 'root']],
      [`type({ k: "'a'", n: 'number = 2' }).or({ k: "'b'" })`, [{ k: 'a' }, { k: 'b' }]],
    ],
  },
  Effect: {
    imports: "import { Effect, Schema, SchemaTransformation } from 'effect'",
    object: property =>
      `Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(Schema.Struct({ v: ${property} }))))`,
    rows: [
      ["Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed('all')))", [undefined]],
      ['Schema.Trim.check(Schema.isMinLength(2))', [' ab ', ' a ']],
      ['Schema.String.check(Schema.isMinLength(2))', ['ab', 'a']],
      ["Schema.String.check(Schema.makeFilter(text => text !== 'root' || 'is reserved'))", ['me', 'root']],
      [
        'Schema.String.pipe(Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: text => text.length, encode: String })))',
        ['four'],
      ],
      ['Schema.String.check(Schema.isPattern(/^https:/), Schema.isPattern(/png$/))', ['https://a/b.png', 'https://a']],
      ['Schema.String.check(Schema.isPattern(/^a/i))', ['Ab', 'b']],
      ['Schema.NumberFromString', ['12']],
      ['Schema.Date', ['2026-02-01T10:00:00.000Z', 'soon']],
      ['Schema.BigInt', ['12345678901234567890', 'x']],
      ['Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))', [5, 6]],
      ['Schema.Number.check(Schema.isBetween({ minimum: 1, maximum: 5 }))', [5, 6]],
      ['Schema.optional(Schema.String)', [undefined, null]],
      [
        "Schema.Union([Schema.Struct({ k: Schema.Literal('a'), n: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(2))) }), Schema.Struct({ k: Schema.Literal('b') })])",
        [{ k: 'a' }, { k: 'b' }],
      ],
    ],
  },
  TypeBox: {
    imports: "import { Type } from '@sinclair/typebox'",
    object: property => `Type.Object({ v: ${property} }, { additionalProperties: false })`,
    rows: [
      ["Type.Optional(Type.String({ default: 'all' }))", [undefined]],
      ["Type.String({ pattern: '^a' })", ['ab', 'b']],
      ['Type.Tuple([Type.Number(), Type.String()])', [[1, 'm'], [1]]],
      ['Type.Transform(Type.String()).Decode(text => text.length).Encode(length => String(length))', ['four']],
    ],
  },
  TypeBoxCompiled: {
    imports: "import { Type } from '@sinclair/typebox'\nimport { TypeCompiler } from '@sinclair/typebox/compiler'",
    object: property => `TypeCompiler.Compile(Type.Object({ v: ${property} }, { additionalProperties: false }))`,
    rows: [
      ["Type.Optional(Type.String({ default: 'all' }))", [undefined]],
      ['Type.Transform(Type.String()).Decode(text => text.length).Encode(length => String(length))', ['four', 4]],
      ['Type.Tuple([Type.Number(), Type.Transform(Type.String()).Decode(Number).Encode(String)])', [[1, '2']]],
    ],
  },
  TypeBox1: {
    imports: "import { Type } from 'typebox'\nimport { Compile } from 'typebox/compile'",
    object: property => `Compile(Type.Object({ v: ${property} }, { additionalProperties: false }))`,
    rows: [
      ['Type.Decode(Type.String(), text => text.length)', ['four', 4]],
      ["Type.Refine(Type.String(), text => text !== 'root')", ['me', 'root']],
      ['Type.Tuple([Type.Number(), Type.String()])', [[1, 'm'], [1]]],
      ['Type.Tuple([])', [[], [1]]],
    ],
  },
}

const id = (library, index) => `${library.toLowerCase()}_${index}`
const tool = ({ imports, object }, property) => `import { inspect } from 'node:util'
import { defineTool } from 'toolgate'
${imports}
export default defineTool({ description: 'Show the value. Use it in tests.', sideEffects: 'none', parameters: ${object(property)},
  execute: ({ args }) => ({ ok: true, data: inspect(args.v, { breakLength: Infinity }) }) })\n`

/** Rows of the tables: what is written, declared, sent and got. */
async function measured() {
  const { tools, write } = project()
  for (const [name, library] of Object.entries(LIBRARIES))
    for (const [index, [property]] of library.rows.entries())
      write(`tools/${id(name, index)}/tool.js`, tool(library, property))
  const report = await buildTools({ toolsDir: tools })
  if (!report.ok) throw new Error(formatReport(report))
  const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json') }).load()
  const warned = new Set(
    report.diagnostics.filter(({ code }) => code === 'schema-code-lost').map(({ file }) => file.split('/')[1]),
  )
  const rowsOf = async (name, [property, values], index) => {
    const toolId = id(name, index)
    const { v: told } = registry.tools.get(toolId).jsonSchema.properties
    const got = await Promise.all(
      values.map(async v => {
        const { ok, data, error } = await registry.executeTool(toolId, { args: { v } })
        return { sent: v, got: ok ? data : error.type, reason: error?.details[0].keyword }
      }),
    )
    return { property, told, warned: warned.has(toolId), got }
  }
  const found = await Promise.all(
    Object.entries(LIBRARIES).map(async ([name, { rows }]) => [
      name,
      await Promise.all(rows.map((row, index) => rowsOf(name, row, index))),
    ]),
  )
  await registry.close()
  return Object.fromEntries(found)
}

const shortened = text => (text.length > 160 ? `${text.slice(0, 159)}…` : text)
const code = value => `\`${String(value).replaceAll('|', '\\|')}\``
const sent = value => (value === undefined ? 'nothing' : code(JSON.stringify(value)))
const got = ({ got, reason }) =>
  got !== 'VALIDATION' ? code(got) : reason === 'schema-code' ? 'VALIDATION, by its code' : 'VALIDATION'

const table = rows =>
  [
    '| what you write | what the model is told | warning | it sends | your handler gets |',
    '|---|---|---|---|---|',
    ...rows.flatMap(row =>
      row.got.map(
        (one, index) =>
          `| ${index === 0 ? `${code(row.property)} | ${code(shortened(JSON.stringify(row.told)))} | ${row.warned ? 'yes' : ''}` : '| |'} | ${sent(one.sent)} | ${got(one)} |`,
      ),
    ),
  ].join('\n')

let found
beforeAll(async () => {
  found = await measured()
})

test.each(Object.keys(LIBRARIES))('the table of %s is what happens', name => {
  const text = readFileSync(page, 'utf8')
  const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`]
  const [before, rest] = text.split(begin)
  const expected = `${before}${begin}${table(found[name])}\n${rest.slice(rest.indexOf(end))}`
  if (process.env.TOOLGATE_RECORD === '1') writeFileSync(page, expected)
  else expect(text).toBe(expected)
})

test('no code is lost in silence: what changes or checks a value beyond the JSON Schema is warned of or told', () => {
  for (const row of Object.values(found).flat()) {
    const isCode = row.got.some(
      ({ sent: value, got: shown, reason }) =>
        reason === 'schema-code' || (typeof value === 'string' && shown !== 'VALIDATION' && shown !== `'${value}'`),
    )
    // The description has the least length in words.
    const isTold = row.warned || JSON.stringify(row.told).includes('"At least')
    expect([row.property, isTold || !isCode]).toEqual([row.property, true])
  }
})
