// A default that is code: the declaration has no value that was true at the build, the author gets a warning, and the library
// computes it at the call. A default that is a value stays in the JSON Schema.
import path from 'node:path'

import { buildTools, createRegistry, formatReport } from '../../index.js'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'

const ZOD = { imports: "import { z } from 'zod'", object: of => `z.object({ v: ${of} })` }
const VALIBOT = { imports: "import * as v from 'valibot'", object: of => `v.object({ v: ${of} })` }
const ARKTYPE = { imports: "import { type } from 'arktype'", object: of => `type({ v: ${of} })` }

/** By name: library, property, and whether its default is computed. */
const CASES = {
  zod_today: [ZOD, 'z.string().default(() => new Date().toISOString().slice(0, 10))', true],
  zod_month: [ZOD, "z.string().default(() => new Date().toLocaleString('en', { month: 'long' })).optional()", true],
  zod_hour: [ZOD, 'z.number().prefault(() => new Date(Date.now()).getUTCHours())', true],
  zod_region: [ZOD, "z.string().default(() => process.env.TOOLGATE_TEST_REGION ?? 'none')", true],
  zod_flag: [ZOD, "z.string().default(() => (process.env.NODE_ENV === 'production' ? 'live' : 'test'))", true],
  zod_random: [ZOD, 'z.string().default(() => (Math.random() < 0.5 ? "heads" : "tails"))', true],
  zod_uuid: [
    { ...ZOD, imports: `${ZOD.imports}\nimport { randomUUID } from 'node:crypto'` },
    'z.string().default(() => randomUUID())',
    true,
  ],
  zod_web_uuid: [ZOD, 'z.string().default(() => crypto.randomUUID())', true],
  zod_clock: [ZOD, 'z.number().default(() => Math.floor(performance.now() / 1e12))', false],
  zod_throws: [
    ZOD,
    "z.string().default(() => { if (!globalThis.ready) throw new Error('not here'); return 'x' })",
    true,
  ],
  zod_inner: [
    ZOD,
    'z.object({ list: z.array(z.union([z.object({ at: z.string().default(() => String(Date.now())) }), z.null()])) }).optional()',
    true,
  ],
  zod_value: [ZOD, "z.string().default('all')", false],
  zod_list: [ZOD, "z.array(z.string()).default(() => ['a'])", false],
  valibot_today: [VALIBOT, 'v.optional(v.string(), () => new Date().toISOString())', true],
  valibot_nullish: [VALIBOT, "v.nullish(v.pipe(v.string(), v.minLength(1)), () => 'x')", true],
  valibot_throws: [
    VALIBOT,
    "v.optional(v.string(), () => { if (!globalThis.ready) throw new Error('not here'); return 'x' })",
    true,
  ],
  valibot_value: [VALIBOT, "v.optional(v.string(), 'all')", false],
  arktype_today: [ARKTYPE, "type('string').default(() => new Date().toISOString())", true],
  arktype_value: [ARKTYPE, `'string = "all"'`, false],
}

const tool = ({ imports, object }, property, more = '') => `import { defineTool } from 'toolgate'
${imports}
export default defineTool({ description: 'Show the value. Use it in tests.', sideEffects: 'none', ${more} parameters: ${object(property)},
  execute: ({ args }) => ({ ok: true, data: args.v ?? null }) })\n`

async function built(cases, more) {
  const { tools, write } = project()
  for (const [name, [library, property]] of Object.entries(cases))
    write(`tools/${name}/tool.js`, tool(library, property, more))
  const report = await buildTools({ toolsDir: tools })
  if (!report.ok) throw new Error(formatReport(report))
  const warned = report.diagnostics
    .filter(({ code }) => code === 'schema-code-lost')
    .map(({ file }) => file.split('/')[1])
  const load = async () => {
    const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json') }).load()
    afterTest(() => registry.close())
    return registry
  }
  return { tools, warned: [...new Set(warned)].sort(), load }
}

test('is told by each build, and stands in no JSON Schema', async () => {
  const { tools, warned, load } = await built(CASES)
  const computed = Object.keys(CASES).filter(name => CASES[name][2])
  expect(warned).toEqual(computed.sort())
  for (let again = 0; again < 3; again += 1) {
    const report = await buildTools({ toolsDir: tools })
    const codes = new Set(
      report.diagnostics.filter(({ code }) => code === 'schema-code-lost').map(({ file }) => file.split('/')[1]),
    )
    expect([...codes].sort()).toEqual(computed)
  }
  const registry = await load()
  const declared = name => JSON.stringify(registry.tools.get(name).jsonSchema)
  const told = Object.keys(CASES).filter(name => declared(name).includes('"default"'))
  expect(told).toEqual(Object.keys(CASES).filter(name => !CASES[name][2]))
})

test('is computed at the call', async () => {
  const registry = await (await built(CASES)).load()
  const value = async name => (await registry.executeTool(name, { args: {} })).data
  const before = Date.now()
  process.env.TOOLGATE_TEST_REGION = 'here'
  afterTest(() => delete process.env.TOOLGATE_TEST_REGION)
  expect(await value('zod_region')).toBe('here')
  for (const name of ['valibot_today', 'arktype_today'])
    expect(Date.parse(await value(name))).toBeGreaterThanOrEqual(before)
  expect(await value('zod_today')).toBe(new Date().toISOString().slice(0, 10))
  expect(await value('zod_uuid')).toMatch(/^[0-9a-f]{8}-/)
})

test('is shown by the question, and what runs is what was shown', async () => {
  const asks = { zod_uuid: CASES.zod_uuid, valibot_today: CASES.valibot_today, arktype_today: CASES.arktype_today }
  const registry = await (await built(asks, 'requiresConfirmation: true,')).load()
  const session = await registry.createSession({ mode: 'text' })
  for (const name of Object.keys(asks)) {
    const { error } = await session.execute({ id: `call_${name}_01`, name, args: {} })
    const { token, args } = error.confirmation_request
    expect(args.v).toMatch(/\w{4,}/)
    expect((await session.confirm(token)).data).toBe(args.v)
  }
})
