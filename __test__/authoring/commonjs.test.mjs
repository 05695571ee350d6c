// Tools of authors who write CommonJS: what is built and called, and what the findings say of the rest.
import { rmSync } from 'node:fs'
import path from 'node:path'

import { buildTools, createRegistry, formatReport } from '../../index.js'
import { runNode, toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const FIELDS = "description: 'Show the text. Use it in tests.', sideEffects: 'none'"
const REQUIRES = "const { defineTool } = require('toolgate')\nconst { z } = require('zod')\n"
const IMPORTS = "import { defineTool } from 'toolgate'\nimport { z } from 'zod'\n"
const DEFINITION = `defineTool({ ${FIELDS}, parameters: z.object({ t: z.string().trim() }),
  execute: async ({ args }) => ({ ok: true, data: args.t }) })\n`
const SCHEMA = name =>
  `{ toolId: '${name}', version: '1.0.0', category: 'utility', ${FIELDS}, idempotent: true, requiresConfirmation: false,
  allowedModes: ['text'], latencyBudgetMs: 100, parameters: require('zod').z.object({ t: require('zod').z.string().trim() }) }\n`
const HANDLER = 'exports.execute = async ({ args }) => ({ ok: true, data: args.t })\n'
const GUIDE = '# a tool\n\nShows it.\n\n## Parameters\n\n- `t` (string, required): the text.\n\n## Examples\n\nNone.\n'

const commonJs = () => {
  const made = project({ manifest: { type: 'commonjs' } })
  rmSync(path.join(made.tools, 'package.json'))
  return made
}

test('one file, or a schema module and a handler, in CommonJS: built, and called with the output of the schema', async () => {
  const { tools, write } = commonJs()
  write('tools/exported/tool.js', `${REQUIRES}module.exports = ${DEFINITION}`)
  write('tools/named_cjs/tool.cjs', `${REQUIRES}module.exports = ${DEFINITION}`)
  write('tools/as_default/tool.js', `${REQUIRES}exports.default = ${DEFINITION}`)
  write(
    'tools/by_tsc/tool.js',
    `Object.defineProperty(exports, '__esModule', { value: true })\n${REQUIRES}exports.default = ${DEFINITION}`,
  )
  write('tools/es_module/tool.mjs', `${IMPORTS}export default ${DEFINITION}`)
  write('tools/in_parts/schema.js', `module.exports = ${SCHEMA('in_parts')}`)
  write('tools/in_cjs/schema.cjs', `exports.default = ${SCHEMA('in_cjs')}`)
  for (const name of ['in_parts', 'in_cjs']) {
    write(`tools/${name}/handler.js`, HANDLER)
    write(`tools/${name}/guide.md`, GUIDE)
  }
  const report = await buildTools({ toolsDir: tools })
  expect([report.ok, formatReport(report)]).toEqual([true, expect.not.stringContaining('error')])
  const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json') }).load()
  const names = ['exported', 'named_cjs', 'as_default', 'by_tsc', 'es_module', 'in_parts', 'in_cjs']
  const answers = await Promise.all(names.map(name => registry.executeTool(name, { args: { t: ' a ' } })))
  expect(answers.map(({ data }) => data)).toEqual(names.map(() => 'a'))
  await registry.close()
})

const AS_COMMONJS = 'name it `tool.mjs`'
const AS_MODULE = 'this is an ES module, as all TypeScript is here'

test.each([
  ['tool.js', `${IMPORTS}export default ${DEFINITION}`, 1, AS_COMMONJS],
  ['tool.js', `${REQUIRES}\nmodule.exports = defineTool({ ...undefined.more })\n`, 4, 'correct the module'],
  ['tool.mjs', `// ours\n${REQUIRES}export default ${DEFINITION}`, 2, AS_MODULE],
  ['tool.ts', `${REQUIRES}module.exports = ${DEFINITION}`, 1, AS_MODULE],
  ['tool.ts', `${IMPORTS}const home: string = __dirname\nexport default ${DEFINITION}`, 3, AS_MODULE],
  ['tool.cts', `${REQUIRES}module.exports = ${DEFINITION}`, 1, 'name it `tool.ts`'],
  ['handler.cjs', HANDLER, 1, 'name it `handler.js`'],
])('a %s that can not be read says what is right', async (file, text, line, help) => {
  const { tools, write } = commonJs()
  // The finding is about this tool, whatever is read before and after.
  write('tools/a_first/tool.js', "import { z } from 'zod'\n")
  write(`tools/odd/${file}`, text)
  write('tools/z_last/tool.js', `${REQUIRES}exports.default = ${DEFINITION}`)
  const { diagnostics } = await buildTools({ toolsDir: tools })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const found = errors.filter(one => !one.file.startsWith('tools/a_first/'))
  expect(found).toMatchObject([{ file: `tools/odd/${file}`, line, help: expect.stringContaining(help) }])
  expect(found[0].message).not.toMatch(/asynchronously|tool\.mjs:/)
})

test('`toolgate new` writes tools and tests that run in a CommonJS project', async () => {
  const { home } = commonJs()
  for (const [name, ...form] of [['parts'], ['script', '--js'], ['typed', '--ts', '--zod']]) {
    expect(await toolgate(['new', name, ...form], { cwd: home })).toMatchObject({ code: 0 })
  }
  expect(await toolgate(['check'], { cwd: home })).toMatchObject({ code: 0, stdout: '3 tools: no findings\n' })
  const call = `const { createRegistry } = require('toolgate')
    createRegistry().load().then(async registry => {
      for (const name of ['parts', 'script', 'typed'])
        console.log((await registry.executeTool(name, { args: { text: 'a b' } })).data.words)
      await registry.close()
    })`
  expect(await toolgate(['build'], { cwd: home })).toMatchObject({ code: 0 })
  expect(await runNode(['-e', call], { cwd: home })).toMatchObject({ code: 0, stdout: '2\n2\n2\n' })
})

// In Node itself: the loader of a test runner keeps a module whatever its query is.
test('a reload takes the new code', async () => {
  const { home, write } = commonJs()
  write('tools/one/tool.cjs', `${REQUIRES}exports.default = ${DEFINITION}`)
  write('tools/parts/schema.cjs', `module.exports = ${SCHEMA('parts')}`)
  write('tools/parts/handler.js', HANDLER)
  write('tools/parts/guide.md', GUIDE)
  write(
    'reload.mjs',
    `import { readFileSync, writeFileSync } from 'node:fs'
import { buildTools, createRegistry } from 'toolgate'
await buildTools({ toolsDir: 'tools' })
const registry = await createRegistry().load()
const said = async () => {
  for (const name of ['one', 'parts']) console.log((await registry.executeTool(name, { args: { t: ' a ' } })).data)
}
await said()
for (const [name, from, to] of [['one/tool.cjs', 'args.t', 'args.t + 1'], ['parts/handler.js', 'args.t', 'args.t + 2'], ['parts/schema.cjs', 'trim()', 'trim().toUpperCase()']]) {
  const file = 'tools/' + name
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}
await buildTools({ toolsDir: 'tools' })
await registry.reload()
await said()
await registry.close()\n`,
  )
  expect(await runNode(['reload.mjs'], { cwd: home })).toMatchObject({ code: 0, stdout: 'a\na\na1\nA2\n' })
})
