// The programs of the page on migration, each in a process of its own with the package installed: they print what it says.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { runModule } from '../support/child-process.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { HIDDEN_TOOLS_LINE } from '../support/hidden-tools-line.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const page = await readFile(new URL('../../docs/migration.md', import.meta.url), 'utf8')
const programs = [...page.matchAll(/```js\n([^]*?)```\n\n```text\n([^]*?)```/g)].map(([, code, printed]) => [
  code,
  printed,
])

test('each program of the page is followed by what it prints', () => {
  expect(programs).toHaveLength(page.match(/```js\n/g).length)
  expect(programs.length).toBeGreaterThan(2)
})

test.each(programs)('%#', async (code, printed) => {
  const project = temporaryFolder()
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
  const program = path.join(project, 'program.mjs')
  writeFileSync(program, code)
  const ran = await runModule(`await import(${JSON.stringify(program)})`)
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(HIDDEN_TOOLS_LINE), stdout: printed })
})
