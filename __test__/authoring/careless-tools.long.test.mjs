// Tool folders as careless authors write them: each finding is about a file that the author wrote, says what is wrong, and what is
// right.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildTools } from '../../index.js'
import { toolgate } from '../support/command.mjs'
import { folderRows } from './careless/folder-rows.mjs'
import { importRows } from './careless/import-rows.mjs'
import { jsonFieldRows } from './careless/json-field-rows.mjs'
import { keywordRows } from './careless/keyword-rows.mjs'
import { moduleRows } from './careless/module-rows.mjs'
import { oneFile } from './careless/sources.mjs'
import { toolFieldRows } from './careless/tool-field-rows.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GROUPS = {
  module: moduleRows,
  import: importRows,
  'tool.js': toolFieldRows,
  'schema.json': jsonFieldRows,
  keyword: keywordRows,
  folder: folderRows,
}
// Objects: a function of four parameters would wait for `done`.
const ROWS = Object.entries(GROUPS).flatMap(([group, rows]) =>
  rows.map(([title, files, findings, manifest]) => ({ title: `${group}: ${title}`, files, findings, manifest })),
)
const BASE = mkdtempSync(path.join(tmpdir(), 'toolgate-careless-'))
const MODULES = path.join(BASE, 'node_modules')

beforeAll(() => {
  mkdirSync(MODULES)
  symlinkSync(ROOT, path.join(MODULES, 'toolgate'), 'dir')
  symlinkSync(path.join(ROOT, 'node_modules', 'zod'), path.join(MODULES, 'zod'), 'dir')
})
afterAll(() => rmSync(BASE, { recursive: true, force: true }))

/** @param {Record<string, string | Buffer | ((file: string) => void)>} files */
function projectOf(files, manifest = { type: 'module' }) {
  const home = mkdtempSync(path.join(BASE, 'project-'))
  mkdirSync(path.join(home, 'tools'))
  for (const [name, content] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true })
    if (typeof content === 'function') content(file)
    else writeFileSync(file, content)
  }
  return home
}

/** `tools/echo/tool.js` → `tool.js`; `tools/other/tool.js` → `../other/tool.js`. @param {string} file */
const shown = file => file.replace(/^tools\/(?:echo\/)?/, found => (found === 'tools/' ? '../' : ''))

test.concurrent.each(ROWS)('$title', async ({ files, findings, manifest }) => {
  const home = projectOf(files, manifest)
  const { diagnostics } = await buildTools({ toolsDir: path.join(home, 'tools') })
  const expected = findings.map(one => one.split(' → '))
  expect(diagnostics.map(({ file, line, code, message }) => `${shown(file)}:${line} ${code}: ${message}`)).toEqual(
    expected.map(([found]) => expect.stringContaining(found)),
  )
  expect(diagnostics.map(({ help }) => help)).toEqual(expected.map(([, right]) => expect.stringContaining(right)))
})

test('the table has at least a hundred mistakes', () => {
  expect(ROWS.filter(({ findings }) => findings.length > 0).length).toBeGreaterThan(100)
  expect(new Set(ROWS.map(({ title }) => title)).size).toBe(ROWS.length)
})

test('the command draws the line that the author wrote, in JavaScript and in compiled TypeScript', async () => {
  const thrown = `if (!process.env.A_KEY_THAT_IS_ABSENT) throw new Error('A_KEY_THAT_IS_ABSENT is not set')\n`
  const text = `interface Ours {\n  key: string\n}\n${thrown}${oneFile()}`
  const home = projectOf({
    'tools/typed/tool.ts': text,
    'tools/split/tool.ts': `import './lib/key.js'\n${oneFile()}`,
    'tools/split/lib/key.ts': `type Key = string\n\n${thrown}`,
    'tools/plain/tool.js': `${oneFile()}${thrown}`,
  })
  const { code, stdout } = await toolgate(['check'], { cwd: home })
  expect(code).toBe(1)
  expect(stdout).toContain('--> tools/typed/tool.ts:4:46\n  4 | if (!process.env.A_KEY_THAT_IS_ABSENT)')
  expect(stdout).toContain('A_KEY_THAT_IS_ABSENT is not set (in lib/key.ts:3:46)\n  --> tools/split/tool.ts:')
  expect(stdout).toContain('--> tools/plain/tool.js:10:46\n')
  expect(stdout).not.toMatch(/\.mjs|guide\.md/)
})
