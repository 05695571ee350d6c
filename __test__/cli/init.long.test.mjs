// `toolgate init` and the tools in one file of `toolgate new`.
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { frameworkOf } from '../../js/cli/init/framework.js'
import { runNode, toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const read = (home, name) => readFileSync(path.join(home, name), 'utf8')
const manifest = home => JSON.parse(read(home, 'package.json'))

test.each([
  ['a plain project', {}, [], 'tool.js', 'no known framework', {}],
  ['TypeScript', { dependencies: { langchain: '1' } }, ['tsconfig.json'], 'tool.ts', 'found LangChain', {}],
  ['CommonJS', { type: 'commonjs', dependencies: { express: '5' } }, [], 'tool.mjs', 'found Express', {}],
  [
    'Next.js',
    { dependencies: { next: '16', ai: '6' } },
    [],
    'tool.js',
    'found Next.js',
    { prebuild: 'toolgate build' },
  ],
])('in %s it writes a tool that builds and passes its test', async (_, fields, files, tool, found, scripts) => {
  const { home, write, tools } = project({ manifest: { dependencies: {}, ...fields } })
  rmSync(tools, { recursive: true })
  for (const name of files) write(name, '{}')
  const { code, stdout, stderr } = await toolgate(['init'], { cwd: home })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')[0]).toBe(found)
  expect(readdirSync(path.join(home, 'tools', 'count_words')).sort()).toEqual([tool, 'tool.test.mjs'].sort())
  expect(read(home, `tools/count_words/${tool}`)).toContain("import { z } from 'zod'")
  expect(manifest(home)).toEqual({
    name: 'a-project',
    private: true,
    type: 'module',
    dependencies: {},
    ...fields,
    scripts: { 'build:tools': 'toolgate build', ...scripts },
    toolgate: { tools: 'tools' },
  })
  expect(existsSync(path.join(home, 'next.config.mjs'))).toBe(found === 'found Next.js')
  const checked = await toolgate(['check', '--deny-warnings', '--json'], { cwd: home })
  expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, tools: ['count_words'], diagnostics: [] })
  const tested = await runNode(['--test', 'tools/count_words/tool.test.mjs'], { cwd: home })
  expect(tested.stdout).toMatch(/^# pass 2$/m)
  // A second time there is nothing to do.
  const before = read(home, 'package.json')
  const again = await toolgate(['init'], { cwd: home })
  expect(again.stdout).toContain('kept the tools in tools/')
  expect(read(home, 'package.json')).toBe(before)
})

test('each framework with an adapter is found, and its adapter is named', () => {
  const { exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const hasAdapter = name => exports[`./${name}`]?.default?.startsWith('./js/adapters/')
  const named = Object.keys(peerDependencies).flatMap(name => {
    const framework = frameworkOf({ dependencies: { [name]: '1' } })
    return framework?.next.flatMap(line => /'toolgate\/([^']+)'/.exec(line)?.[1] ?? []) ?? []
  })
  // Any framework can use `toolgate/tool-call`.
  const adapters = Object.keys(exports).map(name => name.slice(2))
  expect([...new Set(named)].sort()).toEqual(adapters.filter(name => hasAdapter(name) && name !== 'tool-call').sort())
})

test('what a project has is kept, and named', async () => {
  const { home, write } = project()
  const config = 'export default {}\n'
  write('next.config.ts', config)
  write('tools/mine/handler.js', '')
  const given = { scripts: { prebuild: 'lint', 'build:tools': 'toolgate build src' }, dependencies: { next: '16' } }
  write('package.json', JSON.stringify({ ...given, toolgate: { tools: 'tools', out: 'dist' } }, null, '\t'))
  const before = read(home, 'package.json')
  const { code, stdout } = await toolgate(['init'], { cwd: home })
  expect(code).toBe(0)
  expect(stdout).toBe(`found Next.js
kept scripts.prebuild: add \`toolgate build\` to it
kept the tools in tools/
kept next.config.ts: add \`import { withToolgate } from 'toolgate/next'\`, and end it with \`export default withToolgate(nextConfig)\`

next: \`npm run build:tools\`; the route and the page are in docs/next.md of the package
`)
  expect([read(home, 'package.json'), read(home, 'next.config.ts')]).toEqual([before, config])
})

test('a project with a build builds its tools before', async () => {
  const { home } = project({ manifest: { scripts: { build: 'tsc' } } })
  const { stdout } = await toolgate(['init'], { cwd: home })
  expect(stdout).toContain('added scripts.build:tools, scripts.prebuild, toolgate to package.json')
  expect(manifest(home).scripts).toEqual({ build: 'tsc', 'build:tools': 'toolgate build', prebuild: 'toolgate build' })
})

test.each(['module', 'commonjs'])(
  'a green run of Jest without flags stays green in a project of kind %s',
  async type => {
    const { home, write } = project({ manifest: { type, devDependencies: { jest: '30.0.0' } } })
    const modules = path.resolve('node_modules')
    symlinkSync(path.join(modules, '@jest'), path.join(home, 'node_modules', '@jest'), 'dir')
    write('sum.test.cjs', "test('sum', () => expect(1 + 1).toBe(2))\n")
    await toolgate(['init'], { cwd: home })
    const jest = flags =>
      runNode([...flags, path.join(modules, 'jest/bin/jest.js'), '--rootDir', home, '--ci'], { cwd: home })
    const plain = await jest([])
    expect([plain.code, plain.stderr]).toEqual([0, expect.stringMatching(/^Tests: +2 skipped, 1 passed, 3 total$/m)])
    const flagged = /^skipped tools\/count_words\/tool\.test\.cjs: .*NODE_OPTIONS=--experimental-vm-modules$/gm
    expect(plain.stderr.match(flagged)).toHaveLength(1)
    const full = await jest(['--experimental-vm-modules'])
    expect([full.code, full.stderr]).toEqual([0, expect.stringMatching(/^Tests: +3 passed, 3 total$/m)])
    expect(full.stderr).not.toMatch(flagged)
  },
)

test('a folder `tools` without a tool in it stays what it is', async () => {
  const { home, write, tools } = project({ manifest: { type: 'module' } })
  write('tools/ci/run.sh', 'echo')
  write('tools/codegen/index.js', 'export {}')
  const { code, stdout } = await toolgate(['init'], { cwd: home })
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('tools/ has no tool in it: the tools are in agent-tools/'),
  ])
  expect(manifest(home).toolgate).toEqual({ tools: 'agent-tools' })
  expect(readdirSync(tools)).not.toContain('count_words')
  const checked = await toolgate(['check', '--deny-warnings', '--json'], { cwd: home })
  expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, tools: ['count_words'], diagnostics: [] })
})

test('without a usable package.json nothing is written', async () => {
  const { home, write, tools } = project()
  rmSync(tools, { recursive: true })
  write('package.json', '[]')
  expect(await toolgate(['init'], { cwd: home })).toMatchObject({
    code: 1,
    stderr: 'toolgate: package.json is not a JSON object\ncorrect it first\n',
  })
  expect(existsSync(tools)).toBe(false)
})

test.each([
  [['--ts', '--zod'], 'tool.ts'],
  [['--js'], 'tool.js'],
])('new %j writes tools of every category that build and pass their tests', async (flags, file) => {
  const { home } = project()
  const names = { count_it: 'utility', find_it: 'retrieval', do_it: 'action' }
  for (const [name, category] of Object.entries(names)) {
    const { stdout, stderr } = await toolgate(['new', name, '--category', category, ...flags], { cwd: home })
    const files = [file, 'tool.test.mjs'].sort().map(one => `  ${one}\n`)
    expect(stdout).toContain(`created tools/${name}/\n${files.join('')}`)
    expect(stderr).toBe('')
  }
  const checked = await toolgate(['check', '--deny-warnings', '--json'], { cwd: home })
  expect(JSON.parse(checked.stdout)).toMatchObject({
    ok: true,
    tools: ['count_it', 'do_it', 'find_it'],
    diagnostics: [],
  })
  const tests = Object.keys(names).map(name => path.join('tools', name, 'tool.test.mjs'))
  const tested = await runNode(['--test', ...tests], { cwd: home })
  expect(tested.stdout).toMatch(/^# pass 6$/m)
})

test('two languages are refused', async () => {
  const { home } = project()
  const { code, stderr } = await toolgate(['new', 'count_it', '--ts', '--js'], { cwd: home })
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'toolgate: a tool has one language\ngive `--ts` or `--js`\n' })
})
