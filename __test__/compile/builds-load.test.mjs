// What builds without an error loads, and what `compileTool` accepts builds: for definitions of real servers, and made up ones.
import { rmSync } from 'node:fs'
import path from 'node:path'

import { realSchemas } from '../../fuzz/corpus.mjs'
import { DRAFTS } from '../../fuzz/drafts.mjs'
import { seeded } from '../../fuzz/random.cjs'
import { randomSchema } from '../../fuzz/schemas.mjs'
import { buildTools, compileTool, createRegistry } from '../../index.js'
import { project } from '../support/project.mjs'

/** Schemas of the corpus are alike: of the real ones, each so many-th is tried. */
const STEP = 30
const MADE_UP = 120

const HANDLER = 'export const execute = () => ({ ok: true, data: null })\n'
const fields = (toolId, parameters) => ({
  toolId,
  version: '1.0.0',
  description: 'Do it.',
  category: 'utility',
  sideEffects: 'none',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text'],
  latencyBudgetMs: 100,
  parameters,
})

/** Builds each schema as a tool's parameters: for each, the codes of its errors. Those without one are loaded together. */
async function builtAndLoaded(schemas) {
  const { tools, write } = project()
  for (const [index, schema] of schemas.entries()) {
    write(`tools/tool_${index}/schema.json`, JSON.stringify(fields(`tool_${index}`, schema)))
    write(`tools/tool_${index}/guide.md`, '# Tool\n\nDoes it.\n')
    write(`tools/tool_${index}/handler.js`, HANDLER)
  }
  const { diagnostics } = await buildTools({ toolsDir: tools, providers: ['mcp'] })
  const errors = schemas.map(() => [])
  for (const { severity, file, code } of diagnostics)
    if (severity === 'error') errors[Number(/tool_(\d+)/.exec(file)[1])].push(code)
  for (const [index, codes] of errors.entries())
    if (codes.length > 0) rmSync(path.join(tools, `tool_${index}`), { recursive: true })
  expect((await buildTools({ toolsDir: tools, providers: ['mcp'] })).ok).toBe(true)
  const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json') }).load()
  expect(registry.tools.size).toBe(errors.filter(codes => codes.length === 0).length)
  registry.close()
  return errors
}

const compiled = parameters => compileTool({ name: 'tool', description: 'Do it.', parameters })

/** As one argument of an object: a root of any kind is refused. */
function madeUp(seed) {
  const { $schema, $defs, ...property } = randomSchema(seeded(seed), DRAFTS.at(-1))
  return { $schema, $defs, type: 'object', properties: { x: property } }
}

const SETS = {
  real: realSchemas().filter((_, index) => index % STEP === 0),
  'made up': Array.from({ length: MADE_UP }, (_, seed) => madeUp(seed)),
}

test.each(Object.keys(SETS))('%s schemas: what builds loads, and what `compileTool` accepts builds', async name => {
  const schemas = SETS[name].filter(schema => typeof schema === 'object' && schema !== null)
  const errors = await builtAndLoaded(schemas)
  const refused = schemas.filter((schema, index) => errors[index].length === 0 && !compiled(schema).ok)
  expect(refused).toEqual([])
  const accepted = schemas.map(compiled).filter(({ ok }) => ok)
  const again = await builtAndLoaded(accepted.map(({ jsonSchema }) => jsonSchema))
  const lost = accepted.flatMap(({ jsonSchema }, index) => again[index].map(code => [code, JSON.stringify(jsonSchema)]))
  expect(lost).toEqual([])
})
