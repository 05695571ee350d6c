// The thread that runs authors' modules: bounded in time and memory.
import { createRequire } from 'node:module'

import { project } from '../support/project.mjs'

const { readSchemaModules } = createRequire(import.meta.url)('../../js/authoring/read-schema-modules.js')

test('a module that never ends costs its time, and the next ones are read', async () => {
  const { tools, write } = project()
  write('tools/a/schema.js', 'while (true) {}\n')
  write('tools/b/schema.js', "export default { toolId: 'b' }\n")
  write('tools/_c/schema.js', 'throw new Error("this is no tool")\n')
  expect(await readSchemaModules(tools, { timeoutMs: 2500 })).toEqual({
    a: {
      fileName: 'schema.js',
      outcome: {
        failure: { kind: 'module', message: '`schema.js` is not loaded after 2.5 seconds', help: expect.any(String) },
      },
    },
    b: { fileName: 'schema.js', outcome: { definition: { json: '{"toolId":"b"}', notices: [] } } },
  })
})

test('a module that exhausts its memory ends its thread, not the host', async () => {
  const { tools, write } = project()
  write('tools/a/schema.js', 'const all = []\nfor (;;) all.push(new Array(1e6).fill(Math.random()))\n')
  const { a } = await readSchemaModules(tools)
  expect(a.outcome.failure.message).toMatch(/^`schema.js` needs more than \d+ MB of memory$/)
})

test('a folder that is not there has none', async () => {
  expect(await readSchemaModules('/no/such/folder')).toEqual({})
})
