// Each declaration is a definition again: `compileTool` takes it, declares it as it was, and accepts the same arguments but
// for what the first receipt names.
import { realSchemas } from '../../fuzz/corpus.mjs'
import { DRAFTS } from '../../fuzz/drafts.mjs'
import { seeded } from '../../fuzz/random.cjs'
import { randomSchema } from '../../fuzz/schemas.mjs'
import { randomValue } from '../../fuzz/values.mjs'
import { SchemaValidator, compileTool } from '../../index.js'

const TARGETS = [
  ...['openai', 'openaiStrict', 'openaiResponses', 'openaiRealtime'],
  ...['geminiNative', 'geminiJson', 'anthropic', 'mcp'],
]
/** Schemas of the corpus are alike: of the real ones, each so many-th is tried. */
const STEP = 20
const RANDOM_SCHEMAS = 150
const VALUES = 12
const MAX_DEPTH = 20

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema that a pointer in a fragment names. */
function resolve(root, reference) {
  const names = decodeURIComponent(reference).split('/').slice(1)
  return names.reduce((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

/** The value as a model writes it by a strict schema: with `null` for each argument that is absent. */
function withNulls(root, schema, value, depth = 0) {
  if (depth > MAX_DEPTH || !isObject(schema)) return value
  const within = (inner, part) => withNulls(root, inner, part, depth + 1)
  if (schema.$ref) return within(resolve(root, schema.$ref), value)
  const filled = (schema.anyOf ?? []).reduce((part, branch) => within(branch, part), value)
  if (Array.isArray(filled)) return filled.map(item => within(schema.items, item))
  if (!isObject(filled) || !schema.properties) return filled
  const members = Object.entries(schema.properties).map(([name, inner]) => [
    name,
    Object.hasOwn(filled, name) ? within(inner, filled[name]) : null,
  ])
  return { ...filled, ...Object.fromEntries(members) }
}

/** The names of members on the way to a place, by a pointer into arguments or into a schema. */
const namesOfPlace = ({ path, params }) =>
  [...path.split('/').slice(1), params.missingProperty ?? params.additionalProperty].filter(
    name => name !== undefined && !/^\d+$/.test(name),
  )
const namesOfEntry = pointer => [...pointer.matchAll(/\/properties\/([^/]*)/g)].map(([, name]) => name)

/** Whether a receipt names a change on the way to the place of an error, or in it. */
function isNamed(receipt, error) {
  const place = namesOfPlace(error)
  return receipt.some(({ pointer }) => {
    // An entry in a definition may be about any place that refers to it.
    if (pointer.startsWith('/$defs/')) return true
    return namesOfEntry(pointer).every((name, at) => at >= place.length || place[at] === name)
  })
}

/** What differs between a schema and the inverse of its declaration, for some random arguments. */
function differences(compiled, target, again, random) {
  const receipt = compiled.lowering[target] ?? []
  const [first, second] = [compiled, again].map(({ jsonSchema }) => new SchemaValidator(jsonSchema))
  const found = []
  for (let time = 0; time < VALUES; time += 1) {
    const value = randomValue(random, (time % 3 === 0 ? again : compiled).jsonSchema)
    if (!isObject(value)) continue
    const given = target === 'openaiStrict' ? withNulls(again.jsonSchema, again.jsonSchema, value) : value
    const [was, is] = [first.validate(value), second.validate(given)]
    if (was.valid === is.valid) continue
    const [error] = was.valid ? is.errors : was.errors
    if (!isNamed(receipt, error)) found.push({ target, schema: compiled.jsonSchema, value, error: error.message })
  }
  return found
}

/** Whether a finding says that a part of the schema accepts nothing, so that its declaration can't say it. */
const isImpossible = ({ diagnostics }) => diagnostics.some(({ code }) => code === 'unsatisfiable-part')

function check(schemas) {
  const count = Object.fromEntries(TARGETS.map(target => [target, 0]))
  const found = []
  schemas.forEach((parameters, seed) => {
    const compiled = compileTool({ name: 'do_it', description: 'Does it.', parameters })
    if (!compiled.ok || isImpossible(compiled)) return
    for (const [target, declaration] of Object.entries(compiled.providerSchemas)) {
      count[target] += 1
      const again = compileTool(declaration)
      const errors = again.diagnostics.filter(({ severity }) => severity === 'error')
      if (!again.ok) found.push({ target, declaration, errors })
      else found.push(...differences(compiled, target, again, seeded(seed)))
    }
  })
  return { count, found }
}

test('declarations of real tools mean what the tools mean', () => {
  const { count, found } = check(realSchemas().filter((_schema, at) => at % STEP === 0))
  expect(found).toEqual([])
  expect(Object.values(count).every(times => times > 0)).toBe(true)
})

test('declarations of random schemas mean what the schemas mean', () => {
  const seeds = Array.from({ length: RANDOM_SCHEMAS }, (_, seed) => seed)
  const schemas = seeds.map(seed => {
    const { $schema, $defs, ...property } = randomSchema(seeded(seed), DRAFTS.at(-1))
    return { $schema, $defs, type: 'object', properties: { x: property, y: { type: 'integer' } }, required: ['y'] }
  })
  const { count, found } = check(schemas)
  expect(found).toEqual([])
  expect(Object.values(count).every(times => times > RANDOM_SCHEMAS / 4)).toBe(true)
})

test('a declaration of the corpus is declared as it was', () => {
  const found = []
  for (const parameters of realSchemas().filter((_schema, at) => at % STEP === 1)) {
    const compiled = compileTool({ name: 'do_it', description: 'Does it.', parameters })
    for (const [target, declaration] of Object.entries(compiled.providerSchemas)) {
      const again = compileTool(declaration).providerSchemas[target]
      try {
        expect(again).toEqual(declaration)
      } catch ({ message }) {
        found.push({ target, parameters, message })
      }
    }
  }
  expect(found).toEqual([])
})
