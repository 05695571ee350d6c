// `toolgate doctor`: each thing that can be wrong, and what to do about it.
import { readFileSync, unlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { storeFromSetting } from '../../index.js'
import { project } from '../support/project.mjs'

const require = createRequire(import.meta.url)
const { checkAddon, checkNode } = require('../../js/cli/doctor/check-installation.js')
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const diagnose = async (home, words = [], env = {}) => {
  const { code, stdout, stderr } = await toolgate(['doctor', '--json', ...words], { cwd: home, env })
  expect(stderr).toBe('')
  const { ok, checks } = JSON.parse(stdout)
  expect(code).toBe(ok ? 0 : 1)
  return { ok, checks, of: name => checks.filter(({ check }) => check === name) }
}

test('a project that is well', async () => {
  const { home } = project({
    tools: { echo: {}, room: { requires: ['calendar'] }, guest: { requires: ['calendar', 'mail'] } },
  })
  await toolgate(['build'], { cwd: home })
  const { ok, checks, of } = await diagnose(home)
  expect(ok).toBe(true)
  // The temporary folder of some machines is in a repository, and models end; both are only warnings.
  expect(
    checks.filter(({ check }) => !['git', 'models'].includes(check)).map(({ check, status }) => [check, status]),
  ).toEqual(['node', 'addon', 'tools', 'artifact', 'handlers', 'services', 'writing'].map(check => [check, 'ok']))
  expect(of('services')[0].message).toBe(
    'the host must register `calendar` (guest, room), `mail` (guest); a tool without its service is hidden',
  )
  const text = await toolgate(['doctor'], { cwd: home })
  expect(text.stdout).toMatch(/^ok {7}Node \d+\.\d+\.\d+\nok {7}addon for \S+, version /)
})

test('the store and the audit of the environment', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write('damaged.sqlite', 'no database')
  const told = async env => {
    const { of } = await diagnose(home, [], env)
    return [...of('store'), ...of('audit')].map(({ status, message }) => `${status}: ${message}`)
  }
  const url = 'redis://ada:secret-4711@127.0.0.1:1/0'
  const [none, fresh, damaged, unreachable, absent] = await Promise.all([
    told({ TOOLGATE_STORE: '', TOOLGATE_AUDIT: '' }),
    told({ TOOLGATE_STORE: 'new.sqlite', TOOLGATE_AUDIT: 'audit.jsonl' }),
    told({ TOOLGATE_STORE: 'damaged.sqlite' }),
    told({ TOOLGATE_STORE: url }),
    told({ TOOLGATE_STORE: 'nowhere/a.sqlite', TOOLGATE_AUDIT: 'nowhere/audit.jsonl' }),
  ])
  expect(none).toEqual([])
  expect(fresh).toEqual([
    'ok: the file of TOOLGATE_STORE can be written',
    'ok: `audit.jsonl` of TOOLGATE_AUDIT can be written',
  ])
  for (const lines of [damaged, unreachable]) expect(lines[0]).toMatch(/^problem: the (\w+ )?store of TOOLGATE_STORE/)
  expect(JSON.stringify(unreachable)).not.toContain('secret-4711')
  expect(absent).toEqual([
    "problem: the file of TOOLGATE_STORE can't be written",
    "problem: `nowhere/audit.jsonl` of TOOLGATE_AUDIT can't be written",
  ])
})

test.each([
  ' redis://ada:secret-4711@h/0',
  'redis:/ada:secret-4711@h/0',
  '"redis://ada:secret-4711@h/0"',
  'reddis://ada:secret-4711@h/0',
  'ada:secret-4711@h:6379',
  'host=h user=ada password=secret-4711 dbname=x',
  'user = ada password = secret-4711',
])('an address that is none of a store is taken for no file, and its password is not printed: %s', async setting => {
  expect(() => storeFromSetting(setting)).toThrow(/^a store is the path of a file/)
  const { home } = project({ tools: { echo: {} } })
  const { of } = await diagnose(home, [], { TOOLGATE_STORE: setting })
  expect(of('store')).toMatchObject([{ status: 'problem' }])
  expect(JSON.stringify(of('store'))).not.toContain('secret-4711')
})

test.each(['sessions.sqlite', '/var/lib/app@corp/a b.sqlite', 'C:\\data\\s.sqlite', './host/user.sqlite'])(
  'a path is a file: %s',
  file => expect(storeFromSetting(file)).toEqual({ file }),
)

test('a tool set that is missing, out of date or incomplete, and sources with errors', async () => {
  const { home, tools, write } = project({ tools: { echo: {} } })
  expect((await diagnose(home)).of('artifact')).toEqual([
    {
      check: 'artifact',
      status: 'problem',
      message: expect.stringMatching(/tool_registry\.json` is not there$/),
      help: 'build it: `toolgate build`',
    },
  ])
  await toolgate(['build'], { cwd: home })
  write('tools/echo/handler.js', 'export const execute = () => ({ ok: true })\n')
  expect((await diagnose(home)).of('artifact')).toMatchObject([
    { status: 'problem', message: expect.stringContaining('out of date'), help: 'build it again: `toolgate build`' },
  ])
  await toolgate(['build'], { cwd: home })
  unlinkSync(path.join(tools, 'handlers.mjs'))
  expect((await diagnose(home)).of('artifact')).toMatchObject([
    { status: 'problem', message: '`handlers.mjs` missing beside it' },
  ])
  await toolgate(['build'], { cwd: home })
  write('tools/echo/guide.md', '')
  const { of } = await diagnose(home)
  expect(of('tools')).toMatchObject([{ status: 'problem', message: 'the tools in `tools` have 1 error' }])
  expect(of('artifact')).toMatchObject([{ status: 'warning' }])
})

test('what handlers load, by reading them', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write(
    'tools/echo/handler.js',
    [
      "import fs from 'node:fs'",
      "import * as z from 'zod'",
      "import { a } from './a.js'",
      "import b from './gone.js'",
      "import c from '@nobody/has/this'",
      "throw new Error('never run')",
      'export const execute = () => ({ ok: true, data: [fs, z, a, b, c] })\n',
    ].join('\n'),
  )
  write('tools/echo/a.js', "import 'nobody-has-this'\nexport const a = 1\n")
  expect((await diagnose(home)).of('handlers')).toEqual([
    {
      check: 'handlers',
      status: 'problem',
      message: '`echo/a.js` loads `nobody-has-this`, which is not there',
      help: 'install it: `npm install nobody-has-this`',
    },
    {
      check: 'handlers',
      status: 'problem',
      message: '`echo/handler.js` loads `./gone.js`, which is not there',
      help: 'correct the path, or add the file',
    },
    {
      check: 'handlers',
      status: 'problem',
      message: '`echo/handler.js` loads `@nobody/has/this`, which is not there',
      help: 'install it: `npm install @nobody/has`',
    },
  ])
})

test('an output folder that can not be written', async () => {
  const { home, write } = project({ tools: { echo: {} } })
  write('taken', 'a file')
  expect((await diagnose(home, ['--out', 'taken'])).of('writing')).toMatchObject([
    { status: 'problem', message: "`taken` can't be written" },
  ])
})

test('without the addon it still speaks, and other commands name it', async () => {
  const { home } = project({ tools: { echo: {} } })
  const env = { NAPI_RS_NATIVE_LIBRARY_PATH: path.join(home, 'no.node') }
  const { ok, checks } = await diagnose(home, [], env)
  expect(ok).toBe(false)
  expect(checks.map(({ check, status }) => [check, status])).toEqual([
    ['node', 'ok'],
    ['addon', 'problem'],
    ['writing', 'ok'],
  ])
  const built = await toolgate(['build'], { cwd: home, env })
  expect(built).toMatchObject({
    code: 1,
    stdout: '',
    stderr: "toolgate: the native part of toolgate can't be loaded\nrun `toolgate doctor`: it names the missing part\n",
  })
  expect((await toolgate(['--help'], { cwd: home, env })).code).toBe(0)
})

describe('the installation', () => {
  const fails = () => {
    throw new Error('Cannot find native binding', { cause: new Error('no such module\nsecond line') })
  }

  test.each([
    ['20.0.0', 'ok'],
    ['24.1.0', 'ok'],
    ['18.20.8', 'problem'],
    ['8.0.0', 'problem'],
  ])('Node %s is %s', (node, status) => {
    expect(checkNode(node).status).toBe(status)
  })

  test('an addon of another version', () => {
    const [{ status, message }] = checkAddon({
      load: () => ({ addonVersion: () => '0.0.1' }),
      platform: 'linux-x64-gnu',
    })
    expect({ status, message }).toEqual({
      status: 'problem',
      message: `the addon has version 0.0.1, the package ${version}`,
    })
    expect(checkAddon({ load: () => ({}) })[0].message).toContain('version another')
  })

  test('a platform package that is not installed', () => {
    expect(checkAddon({ load: fails, platform: 'darwin-arm64' })).toEqual([
      {
        check: 'addon',
        status: 'problem',
        message: 'the package `toolgate-darwin-arm64` is not installed',
        help: expect.stringContaining('npm install toolgate-darwin-arm64'),
      },
    ])
  })

  test('a platform that nothing is built for', () => {
    expect(checkAddon({ load: fails, platform: 'sunos-x64' })[0]).toMatchObject({
      message: 'there is no addon for sunos-x64',
      help: expect.stringContaining('npm run build:native'),
    })
  })
})

test('a configured model that was shut down, or will be soon', async () => {
  const { home } = project({ tools: { echo: {} } })
  await toolgate(['build'], { cwd: home })
  const env = { TOOLGATE_IMAGE_MODEL: 'imagen-4.0-generate-001', TOOLGATE_TOOLS_MODEL: 'gpt-6.1-terra' }
  const { ok, of } = await diagnose(home, [], env)
  expect(ok).toBe(true)
  expect(of('models')[0]).toEqual({
    check: 'models',
    status: 'warning',
    message: '`imagen-4.0-generate-001` of TOOLGATE_IMAGE_MODEL was shut down on 2026-08-17',
    help: 'set `gemini-3.1-flash-image`; see https://ai.google.dev/gemini-api/docs/deprecations',
  })
})
