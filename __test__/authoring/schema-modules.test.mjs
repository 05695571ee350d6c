// Schemas in code, from the author's module to the tool set.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { buildTools, formatReport } from '../../index.js'
import { project } from '../support/project.mjs'

const FIELDS = {
  version: '1.0.0',
  description: 'A tool of the tests.',
  category: 'utility',
  sideEffects: 'none',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text'],
  latencyBudgetMs: 600_000,
}
const PARAMETERS = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1 },
    times: { type: 'number', default: 2 },
    place: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
  required: ['text', 'place'],
  additionalProperties: false,
}
const GUIDE =
  '# a tool\n\nServes the tests.\n\n## Parameters\n\n- `text`: a.\n- `times`: b.\n- `place`: c.\n  - `city`: d.\n\n## Examples\n\nNone.\n'

const esm = (imports, fields, parameters) =>
  `${imports}\nexport default { ...${JSON.stringify(fields)}, parameters: ${parameters} }\n`

/** A project with one tool for each entry: `module` with its `name`, or `json`, or both. */
function written(tools) {
  const made = project()
  for (const [toolId, { name = 'schema.js', module, json }] of Object.entries(tools)) {
    if (module !== undefined) made.write(`tools/${toolId}/${name}`, module)
    if (json !== undefined) made.write(`tools/${toolId}/schema.json`, JSON.stringify(json))
    made.write(`tools/${toolId}/guide.md`, GUIDE)
    made.write(`tools/${toolId}/handler.js`, 'export const execute = () => ({ ok: true })\n')
  }
  return made
}

/** Findings without where they are. */
const told = ({ diagnostics }) =>
  diagnostics.map(({ code, file, message }) => `${code} ${file.replace('tools/', '')}: ${message}`)

const built = async toolsDir => {
  const report = await buildTools({ toolsDir })
  if (!report.ok) throw new Error(formatReport(report))
  return JSON.parse(readFileSync(path.join(toolsDir, 'tool_registry.json'), 'utf8'))
}

const ZOD = `z.object({
  text: z.string().min(1), times: z.number().default(2), place: z.object({ city: z.string() }),
})`

test('every library and every form of module gives the tool of an equal schema.json', async () => {
  const of = toolId => ({ toolId, ...FIELDS })
  const { tools } = written({
    json: { json: { ...of('json'), parameters: PARAMETERS } },
    by_zod: { module: esm("import * as z from 'zod'", of('by_zod'), ZOD) },
    by_zod_mini: {
      module: esm(
        "import * as z from 'zod/mini'",
        of('by_zod_mini'),
        'z.object({ text: z.string().check(z.minLength(1)), times: z._default(z.number(), 2), place: z.object({ city: z.string() }) })',
      ),
    },
    by_valibot: {
      module: esm(
        "import * as v from 'valibot'",
        of('by_valibot'),
        'v.object({ text: v.pipe(v.string(), v.minLength(1)), times: v.optional(v.number(), 2), place: v.object({ city: v.string() }) })',
      ),
    },
    by_valibot_standard: {
      module: esm(
        "import * as v from 'valibot'\nimport { toStandardJsonSchema } from '@valibot/to-json-schema'",
        of('by_valibot_standard'),
        'toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.minLength(1)), times: v.optional(v.number(), 2), place: v.object({ city: v.string() }) }))',
      ),
    },
    plain: { name: 'schema.mjs', module: esm('', of('plain'), JSON.stringify(PARAMETERS)) },
    common: {
      name: 'schema.cjs',
      module: `const z = require('zod')\nmodule.exports = { ...${JSON.stringify(of('common'))}, parameters: ${ZOD} }\n`,
    },
    beside: { json: of('beside'), module: `import * as z from 'zod'\nexport default { parameters: ${ZOD} }\n` },
  })
  const artifact = await built(tools)
  const [like, ...others] = [...artifact.tools].sort((a, b) => (a.toolId === 'json' ? -1 : b.toolId === 'json' ? 1 : 0))
  expect(others).toHaveLength(7)
  for (const { toolId, ...tool } of others) {
    const expected = JSON.parse(
      JSON.stringify(like).replaceAll('"json"', JSON.stringify(toolId)).replaceAll('"json/', `"${toolId}/`),
    )
    // The title is made from the id.
    expect({ ...tool, toolId, title: like.title }).toEqual({
      ...expected,
      title: like.title,
      providerSchemas: expect.anything(),
    })
  }
})

test('ArkType speaks for itself', async () => {
  const { tools } = written({
    ark: {
      module: esm(
        "import { type } from 'arktype'",
        { toolId: 'ark', ...FIELDS },
        "type({ text: 'string >= 1', 'times?': 'number', place: { city: 'string' } })",
      ),
    },
  })
  const [{ jsonSchema }] = (await built(tools)).tools
  expect(jsonSchema).toMatchObject({
    required: ['place', 'text'],
    additionalProperties: false,
    properties: { text: { minLength: 1 }, place: { additionalProperties: false } },
  })
})

const REFINED = "z.object({ text: z.string().refine(text => text !== 'root') })"
const ONE_FILE = `import { defineTool } from 'toolgate'
import * as z from 'zod'
import { least } from './least.ts'
export default defineTool({ description: 'A tool of the tests.', sideEffects: 'none', parameters: ${REFINED},
  execute: ({ args }) => ({ ok: true, data: [args, least] }) })\n`

test.each([
  ['schema.ts', esm("import * as z from 'zod'\nimport './least.ts'", { toolId: 'tool', ...FIELDS }, REFINED)],
  ['tool.ts', ONE_FILE],
])('the version is that of what the model is given and of the sources that run: %s', async (name, source) => {
  const { tools, write } = project()
  if (name === 'schema.ts') {
    write('tools/tool/guide.md', GUIDE.replace(/- `times`[^]*d\.\n/, ''))
    write('tools/tool/handler.js', 'export const execute = () => ({ ok: true })\n')
  }
  write('tools/tool/least.ts', 'export const least = 1\n')
  const version = async (file, text) => {
    write(`tools/tool/${file}`, text)
    return (await built(tools)).version
  }
  const first = await version(name, source)
  expect(await version(name, source)).toBe(first)
  expect(await version(name, source.replaceAll('\n', '\r\n'))).toBe(first)
  expect(await version('notes.txt', 'of the author')).toBe(first)
  expect(await version('unused.ts', 'export const least = 7\n')).toBe(first)
  const refined = await version(name, source.replace("'root'", "'admin'"))
  const imported = await version('least.ts', 'export const least = 2\n')
  const toldMore = await version(name, source.replace('z.string()', 'z.string().min(2)'))
  expect(new Set([first, refined, imported, toldMore]).size).toBe(4)
})

test('results and conditions stay as open as they are written', async () => {
  const { tools } = written({
    tool: {
      module: `import * as z from 'zod'
        export default { toolId: 'tool', ...${JSON.stringify({ ...FIELDS, category: 'action', sideEffects: 'writes', requiresConfirmation: true })},
          parameters: ${ZOD}, resultSchema: z.object({ id: z.string() }), confirmation: { ttlMs: 1000, when: z.object({ times: z.number().gt(1) }) } }`,
    },
  })
  const [{ resultSchema, confirmation, jsonSchema }] = (await built(tools)).tools
  expect(resultSchema).toEqual({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })
  expect(confirmation).toEqual({
    ttlMs: 1000,
    when: { type: 'object', properties: { times: { type: 'number', exclusiveMinimum: 1 } }, required: ['times'] },
  })
  expect(jsonSchema.additionalProperties).toBe(false)
})

test('a module that is imported by the schema is read anew for each build', async () => {
  const { tools, write } = written({
    tool: {
      module: esm(
        "import { text } from '../../shared/text.js'\nimport * as z from 'zod'",
        { toolId: 'tool', ...FIELDS },
        'z.object({ text })',
      ),
    },
  })
  write(
    'shared/text.js',
    "import { least } from './least.js'\nimport * as z from 'zod'\nexport const text = z.string().min(least)\n",
  )
  write('shared/least.js', 'export const least = 3\n')
  const least = async () => (await built(tools)).tools[0].jsonSchema.properties.text.description
  expect(await least()).toBe('At least 3 characters.')
  write('shared/least.js', 'export const least = 5\n')
  expect(await least()).toBe('At least 5 characters.')
})

test('whatever a module does is a finding of its own, and the others are checked', async () => {
  const definition = JSON.stringify({ toolId: 'x', ...FIELDS })
  const { tools, write } = written({
    boom: { module: "import './inner.js'\nexport default {}\n" },
    circle: { module: 'const list = []\nlist.push(list)\nexport default { examples: list }\n' },
    circular: {
      module: `const node = { type: 'object', properties: {} }\nnode.properties.child = node\nexport default { ...${definition}, parameters: node }\n`,
    },
    date: {
      module: `import * as z from 'zod'\nexport default { ...${definition},\n  parameters: z.object({ days: z.array(z.object({\n    day: z.date() })).optional() }) }\n`,
    },
    deep: {
      module: `let node = {}\nfor (let level = 0; level < 5000; level += 1) node = { properties: { in: node } }\nexport default { ...${definition}, parameters: node }\n`,
    },
    exits: { module: 'process.exit(0)\n' },
    functions: { module: `export default { ...${definition}, examples: [{ text: () => 1 }], parameters: {} }\n` },
    good: { module: esm("import * as z from 'zod'", { toolId: 'good', ...FIELDS, category: 'utlity' }, ZOD) },
    later: {
      module:
        "setTimeout(() => { throw new Error('too late') })\nawait new Promise(resolve => setTimeout(resolve, 1000))\nexport default {}\n",
    },
    list: { module: 'export default []\n' },
    misses: { module: "import { nothing } from './inner.js'\nexport default nothing\n" },
    nested: {
      module: `import * as z from 'zod'\nexport default { parameters: { type: 'object', properties: { text: z.string() } } }\n`,
    },
    no_default: { module: 'export const toolId = "no_default"\n' },
    no_package: { module: "import z from 'a-package-that-nobody-has/sub'\nexport default z\n" },
    old: { module: "export default { parameters: { '~standard': { version: 1, vendor: 'zod', validate() {} } } }\n" },
    rejects: { module: 'await Promise.reject({ reason: 1 })\n' },
    syntax: { module: 'export default {\n  toolId: ,\n}\n' },
    throws: { module: '\n  null.x\n' },
    unknown: {
      module: "export default { parameters: { '~standard': { version: 1, vendor: 'nobody', validate() {} } } }\n",
    },
    unstable: {
      module: `import * as z from 'zod'\nlet count = 0\nexport default { ...${definition}, get parameters() { return z.object({ text: z.string().max(10 + count++) }) } }\n`,
    },
    waits: { module: 'await new Promise(() => {})\n' },
  })
  write('tools/misses/inner.js', 'export const something = 1\n')
  write('tools/boom/inner.js', 'const value = undefined\nvalue.x\n')
  const report = await buildTools({ toolsDir: tools })
  expect(report.ok).toBe(false)
  expect(told(report)).toEqual([
    "schema-module boom/schema.js: `schema.js` throws TypeError: Cannot read properties of undefined (reading 'x') (in inner.js:2:7)",
    'schema-module circle/schema.js: `/examples/0` contains itself',
    'schema-module circular/schema.js: `/parameters/properties/child` contains itself',
    'schema-not-convertible date/schema.js: there is no JSON Schema for it: `date` is not JSON',
    'schema-module deep/schema.js: `/parameters/properties/in` is deeper than 200 levels',
    'schema-module exits/schema.js: `schema.js` ends the process (exit code 0)',
    'schema-module functions/schema.js: `/examples/0/text` is a function, which JSON does not have',
    'bad-enum good/schema.js: `category` is `utlity`',
    'schema-module later/schema.js: `schema.js` throws asynchronously: too late',
    "schema-module list/schema.js: the default export is a list, not an object with the tool's fields",
    'schema-module misses/schema.js: `schema.js`, or what it imports, takes `nothing` from `./inner.js`, which does not export it',
    'schema-module nested/schema.js: `/parameters/properties/text` is a library schema inside plain JSON Schema',
    'schema-module no_default/schema.js: the module has no default export',
    'schema-module no_package/schema.js: `schema.js` imports the package `a-package-that-nobody-has`, which is not installed',
    'schema-not-convertible old/schema.js: there is no JSON Schema for it: `zod` offers none',
    'schema-module rejects/schema.js: `schema.js` throws { reason: 1 }',
    'schema-module syntax/schema.js: `schema.js` does not parse: Unexpected token',
    "schema-module throws/schema.js: `schema.js` throws TypeError: Cannot read properties of null (reading 'x')",
    'schema-not-convertible unknown/schema.js: there is no JSON Schema for it: `nobody` offers none',
    'schema-not-stable unstable/schema.js: the schema differs each time it is read',
    'schema-module waits/schema.js: `schema.js` waits for a promise that never settles',
  ])
  const places = Object.fromEntries(
    report.diagnostics.map(({ file, line, column, pointer }) => [file.split('/')[1], [line, column, pointer]]),
  )
  expect(places).toMatchObject({
    date: [4, 10, '/parameters/properties/days/items/properties/day'],
    functions: [1, expect.any(Number), '/examples/0/text'],
    syntax: [2, 11, undefined],
    throws: [2, 8, undefined],
  })
})

test('the host waits with a free event loop', async () => {
  const { tools } = written({ tool: { module: esm("import * as z from 'zod'", { toolId: 'tool', ...FIELDS }, ZOD) } })
  let turns = 0
  let done = false
  const turn = () => {
    turns += 1
    if (!done) setImmediate(turn)
  }
  turn()
  await built(tools)
  done = true
  expect(turns).toBeGreaterThan(10)
})

test('a folder without schema modules starts no thread', async () => {
  const { tools } = project({ tools: { echo: {} } })
  writeFileSync(path.join(tools, '_notes.md'), '')
  expect((await built(tools)).tools.map(({ toolId }) => toolId)).toEqual(['echo'])
})
