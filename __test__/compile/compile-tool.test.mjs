// Definitions of other authors, from JavaScript: whatever they hold, an answer comes back.
import toolgate from '../../index.js'

const { compileTool } = toolgate
const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
const definition = { name: 'find', description: 'Finds.', parameters: schema }
const found = compiled => compiled.diagnostics.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`)

test('a good definition is declared to every provider', () => {
  const compiled = compileTool(definition)
  expect(compiled).toMatchObject({ ok: true, toolId: 'find', jsonSchema: schema, diagnostics: [] })
  expect(compiled.providerSchemas.openai).toEqual({ type: 'function', function: definition })
  expect(compiled.providerSchemas.geminiNative.parameters.properties).toEqual({ q: { type: 'STRING' } })
  expect(Object.keys(compiled.providerSchemas)).toEqual(
    expect.arrayContaining(['geminiNative', 'mcp', 'openai', 'openaiRealtime']),
  )
})

test('an older draft is read as what it declares', () => {
  const older = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { items: [{ type: 'string' }] } },
  }
  expect(compileTool({ ...definition, parameters: older }).jsonSchema).toEqual({
    type: 'object',
    properties: { pair: { prefixItems: [{ type: 'string' }] } },
  })
})

test.each([[null], [undefined], [[]], ['text'], [7], [() => definition]])('%p is misuse', value => {
  expect(() => compileTool(value)).toThrow(TypeError)
})

const cyclic = { type: 'object', properties: {} }
cyclic.properties.self = cyclic
const deep = depth => {
  let nested = {}
  for (let level = 0; level < depth; level++) nested = { items: nested }
  return nested
}
const refusing = {
  type: 'object',
  get properties() {
    throw new Error('no')
  },
}
const impossible = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error('no')
    },
  },
)

test.each([
  ['a cycle', { parameters: cyclic }, 'error wrong-type /parameters/properties/self'],
  ['a BigInt', { parameters: { type: 'object', minProperties: 1n } }, 'error wrong-type /parameters/minProperties'],
  ['a function', { parameters: () => schema }, 'error wrong-type /parameters'],
  ['a symbol', { description: Symbol('x') }, 'error wrong-type /description'],
  ['a Map', { parameters: { type: 'object', properties: new Map() } }, 'error wrong-type /parameters/properties'],
  ['no number', { parameters: { type: 'object', minProperties: NaN } }, 'error wrong-type /parameters/minProperties'],
  ['a getter that throws', { parameters: refusing }, 'error wrong-type /parameters/properties'],
  ['a proxy that throws', { parameters: impossible }, 'error wrong-type /parameters'],
  ['10 000 levels', { parameters: deep(10_000) }, /^error wrong-type \/parameters(\/items){99}$/],
  ['10 MB', { parameters: { type: 'object', description: 'x'.repeat(10 << 20) } }, 'error too-large /parameters'],
  ['a list as parameters', { parameters: [] }, 'error wrong-type /parameters'],
  ['a name that is no text', { name: 7 }, 'error wrong-type /name'],
  ['no name', { name: undefined }, 'error missing-field /name'],
  [
    'a remote reference',
    { parameters: { $ref: 'https://example.com/a.json' } },
    'error unresolved-ref /parameters/$ref',
  ],
])('%s is a finding', (_, bad, expected) => {
  const compiled = compileTool({ ...definition, ...bad })
  expect(compiled.ok).toBe(false)
  expect(compiled.providerSchemas).toEqual({})
  expect(compiled.jsonSchema).toBeNull()
  const matching = expected instanceof RegExp ? expect.stringMatching(expected) : expected
  expect(found(compiled)).toEqual(expect.arrayContaining([matching]))
})

test('what JSON.stringify would say is what is compiled', () => {
  const dated = {
    ...definition,
    description: { toJSON: () => 'Finds.' },
    parameters: { ...schema, $comment: undefined },
  }
  expect(compileTool(dated)).toEqual(compileTool(definition))
  const named = Object.defineProperty({}, '__proto__', { value: { type: 'string' }, enumerable: true })
  const properties = compileTool({ ...definition, parameters: { type: 'object', properties: named } }).jsonSchema
    .properties
  expect(Object.keys(properties)).toEqual(['__proto__'])
})

test('half a character does not stop anything', () => {
  const compiled = compileTool({ ...definition, description: 'half \ud800, and \\ud800 written out' })
  expect(compiled.ok).toBe(true)
  expect(compiled.providerSchemas.openai.function.description).toBe('half \ufffd, and \\ud800 written out')
})

test('a definition is not changed', () => {
  const frozen = Object.freeze({
    ...definition,
    parameters: Object.freeze({ type: 'object', properties: Object.freeze({}) }),
  })
  expect(compileTool(frozen).ok).toBe(true)
})

test('a list of definitions is not one', () => {
  const list = [{ name: 'a_tool', description: 'A tool.', parameters: { type: 'object' } }]
  expect(() => compileTool(list)).toThrow(new TypeError('compileTool() takes one definition: pass each of the list'))
})
