// `toolgate new`: what it writes builds without a finding, and its own test passes through the gate.
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { runNode, toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const CATEGORIES = { count_it: 'utility', find_it: 'retrieval', 'do-it': 'action' }

test.each(['module', 'commonjs'])(
  'in a project of type %s every category builds without a finding and passes its test',
  async type => {
    const { home, tools } = project({ manifest: { type } })
    // Without the folder and its package.json: the first tool makes it.
    const folder = path.join(home, 'src', 'tools')
    expect(existsSync(tools)).toBe(true)
    for (const [name, category] of Object.entries(CATEGORIES)) {
      const { code, stdout, stderr } = await toolgate(['new', name, '--category', category, '--dir', 'src/tools'], {
        cwd: home,
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(
        `created src/tools/${name}/\n  guide.md\n  handler.js\n  handler.test.mjs\n  schema.json\n`,
      )
    }
    const tests = Object.keys(CATEGORIES).map(name => path.join('src', 'tools', name, 'handler.test.mjs'))
    const [checked, tested] = await Promise.all([
      toolgate(['check', 'src/tools', '--deny-warnings', '--json'], { cwd: home }),
      runNode(['--test', ...tests], { cwd: home }),
    ])
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ok: true,
      tools: ['count_it', 'do_it', 'find_it'],
      diagnostics: [],
    })
    expect(tested.stdout).toMatch(/^# pass 6$/m)
    expect(tested.code).toBe(0)
    // The tests leave nothing behind.
    expect(readdirSync(folder).sort()).toEqual(['count_it', 'do-it', 'find_it'])
    const { $schema } = JSON.parse(readFileSync(path.join(folder, 'count_it', 'schema.json'), 'utf8'))
    expect(JSON.parse(readFileSync(path.join(folder, 'count_it', $schema), 'utf8')).$id).toBe(
      'urn:toolgate:schema:tool',
    )
  },
)

test('its test fails where the handler is wrong', async () => {
  const { home, write } = project()
  await toolgate(['new', 'count_it'], { cwd: home })
  write('tools/count_it/handler.js', 'export const execute = () => ({ ok: true, data: { words: 0 } })\n')
  const { code, stdout } = await runNode(['--test', 'tools/count_it/handler.test.mjs'], { cwd: home })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^# fail 1$/m)
})

test('in TypeScript every category passes the strict compiler', async () => {
  const { home } = project({ manifest: { type: 'module' } })
  const modules = path.join(import.meta.dirname, '..', '..', 'node_modules')
  for (const name of ['zod', '@types', 'typescript'])
    if (!existsSync(path.join(home, 'node_modules', name)))
      symlinkSync(path.join(modules, name), path.join(home, 'node_modules', name), 'dir')
  const files = []
  for (const category of Object.values(CATEGORIES))
    for (const [name, ...flags] of [[`${category}_plain`], [`${category}_zod`, '--zod']]) {
      expect(await toolgate(['new', name, '--category', category, '--ts', ...flags], { cwd: home })).toMatchObject({
        code: 0,
        stderr: '',
      })
      files.push(`tools/${name}/tool.ts`)
    }
  const tsc = path.join(modules, 'typescript', 'bin', 'tsc')
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ]
  expect(await runNode([tsc, ...options, ...files], { cwd: home })).toMatchObject({ code: 0, stdout: '' })
})

test('what is there is never overwritten', async () => {
  const { home, write } = project()
  write('tools/count_it/notes.txt', 'mine')
  const { code, stdout, stderr } = await toolgate(['new', 'count_it'], { cwd: home })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'toolgate: `tools/count_it` already exists\nchoose another name, or remove it\n',
  })
  expect(readdirSync(path.join(home, 'tools', 'count_it'))).toEqual(['notes.txt'])
  write('taken', 'a file')
  const blocked = await toolgate(['new', 'count_it', '--dir', 'taken'], { cwd: home })
  expect({ code: blocked.code, stderr: blocked.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('toolgate: `taken'),
  })
})

test('the packages that it imports and that are missing are named', async () => {
  const { home } = project()
  for (const name of ['toolgate', 'zod']) rmSync(path.join(home, 'node_modules', name))
  const next = async (...flags) => (await toolgate(['new', ...flags], { cwd: home })).stdout.split('\nnext: ')[1]
  expect(await next('count_it')).toMatch(/^`npm install toolgate`, `toolgate check`/)
  expect(await next('find_it', '--ts', '--zod')).toMatch(/^`npm install toolgate zod`, `toolgate check`/)
})

test('a package.json that begins with a byte order mark names the test runner', async () => {
  const { home, write } = project({ manifest: {} })
  write('package.json', `\ufeff${JSON.stringify({ devDependencies: { vitest: '4.0.0' } })}`)
  const { stdout } = await toolgate(['new', 'count_it'], { cwd: home })
  expect(stdout).toContain('`npx vitest run tools/count_it/handler.test.mjs` runs its test')
})

test('its test is written for the runner of the project', async () => {
  const { home } = project({ manifest: { devDependencies: { vitest: '4.0.0' } } })
  const { stdout } = await toolgate(['new', 'count_it'], { cwd: home })
  expect(stdout).toContain('`npx vitest run tools/count_it/handler.test.mjs` runs its test')
  expect(readFileSync(path.join(home, 'tools/count_it/handler.test.mjs'), 'utf8')).toContain(
    "import { test } from 'vitest'",
  )
})

test('its test passes with Jest', async () => {
  const { home } = project({ manifest: { devDependencies: { jest: '30.0.0' } } })
  const modules = path.join(import.meta.dirname, '..', '..', 'node_modules')
  symlinkSync(path.join(modules, '@jest'), path.join(home, 'node_modules', '@jest'), 'dir')
  const { stdout } = await toolgate(['new', 'find_it', '--category', 'retrieval', '--js'], { cwd: home })
  expect(stdout).toContain(
    '`NODE_OPTIONS=--experimental-vm-modules npx jest tools/find_it/tool.test.cjs` runs its test',
  )
  const jest = path.join(modules, 'jest', 'bin', 'jest.js')
  const tested = await runNode(['--experimental-vm-modules', jest, '--rootDir', home, '--ci'], { cwd: home })
  expect({ code: tested.code, passed: /^Tests: +2 passed, 2 total$/m.test(tested.stderr) }).toEqual({
    code: 0,
    passed: true,
  })
})
