// Definitions that reference themselves: each compilation ends, with and without the event loop.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import toolgate from '../../index.js'

const { compileTool, compileToolAsync } = toolgate
const ENTRY = fileURLToPath(new URL('../../index.js', import.meta.url))

const SCRIPT = `
  const { compileTool } = require(${JSON.stringify(ENTRY)})
  const parameters = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
  const compiled = compileTool({ name: 'find', description: 'Finds.', parameters })
  process.stdout.write(JSON.stringify({ ...compiled, megabytes: process.resourceUsage().maxRSS / 1024 }))
`

/** Compiles a definition in a child process, which is killed if it hangs; with the memory that the process has used. */
function compileInChild(parameters) {
  const input = JSON.stringify(parameters)
  const options = { input, timeout: 120_000, killSignal: 'SIGKILL', maxBuffer: 1e8 }
  const child = spawnSync(process.execPath, ['-e', SCRIPT], options)
  expect({ signal: child.signal, error: child.error }).toEqual({ signal: null, error: undefined })
  return JSON.parse(child.stdout)
}

const NODE = '#/definitions/Node'
const withNode = child => ({
  type: 'object',
  properties: { node: { $ref: NODE } },
  definitions: { Node: { type: 'object', properties: { name: { type: 'string' }, child }, required: ['name'] } },
})
const recursive = [
  ['the root beside a bound', { type: 'object', properties: { child: { $ref: '#', minProperties: 1 } } }],
  ['a titled `allOf`, as pydantic 1 writes it', withNode({ title: 'Parent', allOf: [{ $ref: NODE }] })],
  ['an `allOf` of items', withNode({ type: 'array', items: { allOf: [{ $ref: NODE }] } })],
  ['a type', withNode({ type: 'object', $ref: NODE })],
  ['`unevaluatedProperties`', withNode({ $ref: NODE, unevaluatedProperties: false })],
  ['a bound of another type', withNode({ $ref: NODE, maxItems: 3 })],
]

test.each(recursive)('a recursive reference in %s is declared to every provider', (_, parameters) => {
  const compiled = compileInChild(parameters)
  expect(compiled).toMatchObject({ ok: true, diagnostics: [] })
  expect(Object.keys(compiled.providerSchemas).sort()).toEqual(
    Object.keys(compileTool({ name: 'find', description: 'Finds.' }).providerSchemas).sort(),
  )
})

const LEVELS = 40
const doubling = {
  type: 'object',
  properties: { start: { $ref: '#/$defs/d0' } },
  $defs: { [`d${LEVELS}`]: { type: 'object' } },
}
for (let level = 0; level < LEVELS; level++) {
  const below = { $ref: `#/$defs/d${level + 1}`, minProperties: 1 }
  doubling.$defs[`d${level}`] = { type: 'object', properties: { a: below, b: below } }
}

test('a declaration that would have no bounds is a finding, and the others stay', () => {
  const compiled = compileInChild(doubling)
  expect(compiled.ok).toBe(true)
  expect(compiled.diagnostics).toContainEqual(
    expect.objectContaining({ severity: 'warning', code: 'lowering-too-large', pointer: '/parameters' }),
  )
  expect(compiled.providerSchemas.geminiJson).toBeUndefined()
  expect(compiled.providerSchemas.mcp.inputSchema).toEqual(doubling)
})

const DENSE = 300
/** Definitions of which each references eight others: a walk that repeats a reference's target never ends. */
const dense = {
  type: 'object',
  properties: { start: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(Array.from({ length: DENSE }, (_, index) => [`d${index}`, denseDefinition(index)])),
}

function denseDefinition(index) {
  const nullable = key => ({ anyOf: [{ $ref: `#/$defs/d${(index * 7 + key * 13) % DENSE}` }, { type: 'null' }] })
  const properties = Object.fromEntries(Array.from({ length: 8 }, (_, key) => [`k${key}`, nullable(key)]))
  return { type: 'object', properties }
}

test('a dense graph of references is compiled in bounded memory, and declared with its definitions', () => {
  const compiled = compileInChild(dense)
  expect(compiled).toMatchObject({ ok: true, diagnostics: [] })
  expect(Object.keys(compiled.providerSchemas.openaiStrict.function.parameters.$defs)).toHaveLength(DENSE)
  expect(compiled.megabytes).toBeLessThan(512)
})

test('timers run while a large definition compiles', async () => {
  const definition = { name: 'find', description: 'Finds.', parameters: doubling }
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  const compiled = await compileToolAsync(definition)
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(0)
  expect(compiled).toEqual(compileTool(definition))
})

test('misuse of `compileToolAsync` is a rejection', async () => {
  await expect(compileToolAsync('text')).rejects.toThrow(TypeError)
  await expect(compileToolAsync(null)).rejects.toThrow('compileToolAsync() takes a definition')
})

test('a property that a closed object requires and does not have is an error', () => {
  const parameters = { type: 'object', properties: { query: {} }, required: ['quary'], additionalProperties: false }
  const { ok, diagnostics } = compileTool({ name: 'find', description: 'Finds.', parameters })
  expect({ ok, diagnostics: diagnostics.map(({ code, pointer, help }) => ({ code, pointer, help })) }).toEqual({
    ok: false,
    diagnostics: [
      { code: 'required-without-property', pointer: '/parameters/required/0', help: 'did you mean `query`?' },
    ],
  })
})

test('all definitions of the corpus compile in bounded memory', () => {
  const script = `
    import { compileTool } from ${JSON.stringify(ENTRY)}
    import { realSchemas } from ${JSON.stringify(fileURLToPath(new URL('../../fuzz/corpus.mjs', import.meta.url)))}
    const schemas = realSchemas()
    for (const parameters of schemas) compileTool({ name: 'find', description: 'Finds.', parameters })
    const megabytes = process.resourceUsage().maxRSS / 1024
    console.log(JSON.stringify({ schemas: schemas.length, megabytes }))
  `
  const flags = ['--input-type=module', '-e', script]
  const child = spawnSync(process.execPath, flags, { timeout: 240_000, killSignal: 'SIGKILL' })
  expect({ signal: child.signal, error: child.error }).toEqual({ signal: null, error: undefined })
  const { schemas, megabytes } = JSON.parse(child.stdout)
  expect(schemas).toBeGreaterThan(20)
  expect(megabytes).toBeLessThan(512)
})
