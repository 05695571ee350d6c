// The programs of the page on migration, run as a project runs them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { runModule } from '../support/child-process.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const page = await readFile(path.join(ROOT, 'docs', 'migration.md'), 'utf8')
const programs = [...page.matchAll(/```js run\n([^]*?)```/g)].map(([, code]) => code)

const ANSWERS = [
  [1, 'VALIDATION', 'SESSION_INACTIVE'],
  ['CONFIRMATION_REQUIRED', 'CONFIRMATION_EXPIRED', true],
  [['image']],
]

test('each program has an answer', () => expect(programs).toHaveLength(ANSWERS.length))

test.each(ANSWERS.map((answer, index) => [index, answer]))('program %i', async (index, answer) => {
  const project = temporaryFolder()
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
  const program = path.join(project, 'program.mjs')
  writeFileSync(program, programs[index])
  const ran = await runModule(`await import(${JSON.stringify(program)})`)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ran.stdout)).toEqual(answer)
})

test('the paths of the page are there', async () => {
  const paths = [...page.matchAll(/`((?:tools|voice-server)\/[\w/-]+\.js)`/g)].map(([, file]) => file)
  expect(paths.length).toBeGreaterThan(4)
  for (const file of paths) expect(Object.keys(await import(path.join(ROOT, file))).length).toBeGreaterThan(0)
})
