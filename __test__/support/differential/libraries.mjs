// Schemas of five libraries in bulk: leaves, each in itself and in some of the library's wrappers.
import { either, eachOf, listOf, objectOf, oneOf, orNothing, orNull, scalar } from './values.mjs'
import { ARKTYPE, EFFECT, TYPEBOX } from './other-leaves.mjs'
import { VALIBOT, ZOD } from './zod-valibot-leaves.mjs'

const text = scalar('text')
const number = scalar('number')
const bool = oneOf([true, false], 'other')
const flag = scalar('other')

const k = (value, make) => objectOf({ k: oneOf([value], 'text'), n: make })

/** What a library makes of a schema `s`: its source, and how values are made of the schema's. */
const WRAPPERS = {
  zod: [
    s => [`${s}.optional()`, orNothing],
    s => [`${s}.nullable()`, orNull],
    s => [`${s}.nullish()`, make => orNothing(orNull(make))],
    s => [`z.array(${s})`, listOf],
    s => [`z.array(${s}).min(1).max(2)`, listOf],
    s => [`z.tuple([${s}, z.number()])`, make => eachOf([make, number])],
    s => [`z.tuple([${s}], z.string())`, make => eachOf([make, text, text])],
    s => [`z.record(z.string(), ${s})`, make => objectOf({ a: make, B: make })],
    s => [`z.partialRecord(z.enum(['a', 'b']), ${s})`, make => objectOf({ a: make, b: make })],
    s => [`z.record(z.string().regex(/^[a-c]$/i), ${s})`, make => objectOf({ a: make, B: make })],
    s => [`z.object({ n: ${s} })`, make => objectOf({ n: make })],
    s => [`z.looseObject({ n: ${s} })`, make => objectOf({ n: make }, ['x', 'y'])],
    s => [`z.object({ n: ${s} }).catchall(z.string())`, make => objectOf({ n: make }, ['x'])],
    s => [
      `z.intersection(z.looseObject({ n: ${s} }), z.looseObject({ m: z.number() }))`,
      make => objectOf({ n: make, m: number }, ['x']),
    ],
    s => [
      `z.looseObject({ n: ${s} }).and(z.object({ m: z.number().optional() }))`,
      make => objectOf({ n: make, m: number }, ['x']),
    ],
    s => [
      `z.intersection(z.object({ n: ${s} }), z.object({ m: z.number() }))`,
      make => objectOf({ n: make, m: number }),
    ],
    s => [`z.strictObject({ n: ${s} })`, make => objectOf({ n: make }, ['x'])],
    s => [`z.union([${s}, z.number()])`, make => either([make, number])],
    s => [
      `z.union([z.object({ n: ${s} }), z.looseObject({ m: z.number() })])`,
      make => either([objectOf({ n: make }), objectOf({ m: number }, ['x'])]),
    ],
    s => [
      `z.discriminatedUnion('k', [z.object({ k: z.literal('a'), n: ${s} }), z.looseObject({ k: z.literal('b') })])`,
      make => either([k('a', make), objectOf({ k: oneOf(['b'], 'text') }, ['x'])]),
    ],
    s => [`z.lazy(() => ${s})`, make => make],
    s => [`z.readonly(${s})`, make => make],
    s => [`z.object({ n: ${s}, m: z.boolean().optional() }).partial()`, make => objectOf({ n: make, m: bool })],
    s => [`z.object({ n: z.array(${s}).optional() })`, make => objectOf({ n: listOf(make) })],
    s => [`${s}.describe('A value.')`, make => make],
    s => [`${s}.refine(() => true)`, make => make],
  ],
  valibot: [
    s => [`v.optional(${s})`, orNothing],
    s => [`v.nullable(${s})`, orNull],
    s => [`v.nullish(${s})`, make => orNothing(orNull(make))],
    s => [`v.array(${s})`, listOf],
    s => [`v.pipe(v.array(${s}), v.minLength(1), v.maxLength(2))`, listOf],
    s => [`v.tuple([${s}, v.number()])`, make => eachOf([make, number])],
    s => [`v.looseTuple([${s}])`, make => eachOf([make, text])],
    s => [`v.strictTuple([${s}])`, make => eachOf([make])],
    s => [`v.record(v.string(), ${s})`, make => objectOf({ a: make, B: make })],
    s => [`v.object({ n: ${s} })`, make => objectOf({ n: make })],
    s => [`v.looseObject({ n: ${s} })`, make => objectOf({ n: make }, ['x', 'y'])],
    s => [`v.strictObject({ n: ${s} })`, make => objectOf({ n: make }, ['x'])],
    s => [`v.objectWithRest({ n: ${s} }, v.string())`, make => objectOf({ n: make }, ['x'])],
    s => [
      `v.intersect([v.looseObject({ n: ${s} }), v.looseObject({ m: v.number() })])`,
      make => objectOf({ n: make, m: number }, ['x']),
    ],
    s => [
      `v.intersect([v.object({ n: ${s} }), v.object({ m: v.number() })])`,
      make => objectOf({ n: make, m: number }),
    ],
    s => [`v.union([${s}, v.number()])`, make => either([make, number])],
    s => [
      `v.variant('k', [v.object({ k: v.literal('a'), n: ${s} }), v.looseObject({ k: v.literal('b') })])`,
      make => either([k('a', make), objectOf({ k: oneOf(['b'], 'text') }, ['x'])]),
    ],
    s => [`v.partial(v.object({ n: ${s}, m: v.boolean() }))`, make => objectOf({ n: make, m: bool })],
    s => [`v.lazy(() => ${s})`, make => make],
  ],
  arktype: [
    s => [`${s}.array()`, listOf],
    s => [`${s}.array().atLeastLength(1).atMostLength(2)`, listOf],
    s => [`type({ n: ${s} })`, make => objectOf({ n: make }, ['x'])],
    s => [`type({ 'n?': ${s} })`, make => objectOf({ n: make })],
    s => [`${s}.or('null')`, orNull],
    s => [`type([${s}, 'number'])`, make => eachOf([make, number])],
    s => [`type({ n: ${s} }).and({ m: 'number' })`, make => objectOf({ n: make, m: number }, ['x'])],
    s => [`type({ '+': 'reject', n: ${s} })`, make => objectOf({ n: make }, ['x'])],
    s => [`type({ '[string]': ${s} })`, make => objectOf({ a: make, B: make })],
    s => [`${s}.or('number')`, make => either([make, number])],
    s => [
      `type({ k: "'a'", n: ${s} }).or({ k: "'b'" })`,
      make => either([k('a', make), objectOf({ k: oneOf(['b'], 'text') })]),
    ],
  ],
  effect: [
    s => [`Schema.optionalKey(${s})`, orNothing],
    s => [`Schema.optional(${s})`, orNothing],
    s => [`Schema.NullOr(${s})`, orNull],
    s => [`Schema.Array(${s})`, listOf],
    s => [`Schema.NonEmptyArray(${s})`, listOf],
    s => [`Schema.Tuple([${s}, Schema.Finite])`, make => eachOf([make, number])],
    s => [`Schema.Struct({ n: ${s} })`, make => objectOf({ n: make })],
    s => [`Schema.Record(Schema.String, ${s})`, make => objectOf({ a: make, B: make })],
    s => [
      `Schema.StructWithRest(Schema.Struct({ n: ${s} }), [Schema.Record(Schema.String, Schema.Unknown)])`,
      make => objectOf({ n: make }, ['x']),
    ],
    s => [`Schema.Union([${s}, Schema.Finite])`, make => either([make, number])],
    s => [
      `Schema.Union([Schema.Struct({ k: Schema.Literal('a'), n: ${s} }), Schema.Struct({ k: Schema.Literal('b') })])`,
      make => either([k('a', make), objectOf({ k: oneOf(['b'], 'text') })]),
    ],
  ],
  typebox: [
    s => [`Type.Optional(${s})`, orNothing],
    s => [`Type.Array(${s})`, listOf],
    s => [`Type.Array(${s}, { minItems: 1, maxItems: 2, uniqueItems: true })`, listOf],
    s => [`Type.Tuple([${s}, Type.Number()])`, make => eachOf([make, number])],
    s => [`Type.Object({ n: ${s} })`, make => objectOf({ n: make })],
    s => [`Type.Object({ n: ${s} }, { additionalProperties: true })`, make => objectOf({ n: make }, ['x'])],
    s => [`Type.Object({ n: ${s} }, { additionalProperties: false })`, make => objectOf({ n: make }, ['x'])],
    s => [`Type.Record(Type.String(), ${s})`, make => objectOf({ a: make, B: make })],
    s => [
      `Type.Intersect([Type.Object({ n: ${s} }), Type.Object({ m: Type.Number() })])`,
      make => objectOf({ n: make, m: number }),
    ],
    s => [`Type.Union([${s}, Type.Null()])`, orNull],
  ],
}

const LEAVES = { zod: ZOD, valibot: VALIBOT, arktype: ARKTYPE, effect: EFFECT, typebox: TYPEBOX }
const MAKES = { text, number, other: flag }

/** Every so many leaves each wrapper is put around one. */
const WRAPPED = { zod: 2, valibot: 2, arktype: 3, effect: 2, typebox: 2 }

/**
 * @typedef {{ library: string, source: string, make: (draw: (bound: number) => number) => unknown }} SchemaCase `source`: of the
 *   schema of one argument, in JavaScript
 * @returns {SchemaCase[]}
 */
export function schemaCases() {
  return Object.entries(LEAVES).flatMap(([library, kinds]) => {
    const leaves = Object.entries(kinds).flatMap(([kind, sources]) =>
      sources.map(source => ({ source, make: MAKES[kind] })),
    )
    const wrapped = WRAPPERS[library].flatMap((wrap, turn) =>
      Array.from({ length: WRAPPED[library] }, (_, round) => {
        const leaf = leaves[(turn * 7 + round * 31) % leaves.length]
        const [source, around] = wrap(leaf.source)
        return { source, make: around(leaf.make) }
      }),
    )
    return [...leaves, ...wrapped].map(one => ({ library, ...one }))
  })
}
