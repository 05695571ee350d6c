// `toolgate mcp lock`, `diff` and `approve`, as a developer runs them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { MAIN, toolgate } from '../support/command.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { eventually } from '../support/gate.mjs'
import { HOSTILE, TOOLS_SERVER, isAlive, program } from './support.mjs'

const { differences } = createRequire(import.meta.url)('../../js/cli/mcp/definition-diff.js')

/** A project with one source. */
function project(file, args = [], fields = {}) {
  const home = temporaryFolder()
  mkdirSync(path.join(home, 'sources'))
  writeFileSync(path.join(home, 'package.json'), '{"toolgate":{}}')
  const { config, mark } = program(file, args)
  const write = more =>
    writeFileSync(
      path.join(home, 'sources/shop.json'),
      JSON.stringify({ transport: config.transport, ...fields, ...more }),
    )
  write({})
  const run = (...words) => toolgate(['mcp', ...words], { cwd: home })
  const lockFile = path.join(home, 'toolgate.lock.json')
  return { home, lockFile, mark, run, write, lock: () => JSON.parse(readFileSync(lockFile, 'utf8')).sources.shop }
}

test('a source is locked, built, and locked again with another policy', async () => {
  const { home, lock, lockFile, run, write } = project(TOOLS_SERVER)
  const first = await run('lock')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('shop: 8 tools, of which 0 read, 8 ask their user (tools 1 2026-07-28)')
  const text = readFileSync(lockFile, 'utf8')
  await run('lock')
  expect(readFileSync(lockFile, 'utf8')).toBe(text)
  expect(await toolgate(['build'], { cwd: home })).toMatchObject({ code: 0 })
  write({ reads: ['add', 'nothing_*'], tools: { crash: false } })
  expect(await toolgate(['build'], { cwd: home })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('lock-outdated'),
  })
  const again = await run('lock')
  expect(again.stdout).toContain('shop: 7 tools, of which 1 reads, 6 ask their user')
  expect(again.stdout).toContain('`nothing_*` names no tool')
  expect(lock().tools.add.acceptedAt).toBe(JSON.parse(text).sources.shop.tools.add.acceptedAt)
  expect(await toolgate(['build'], { cwd: home })).toMatchObject({ code: 0 })
})

test('a change of the server waits for somebody who agrees to it', async () => {
  const { lock, mark, run } = project(HOSTILE, ['changes-silently'])
  await run('lock')
  const { sha256 } = lock().tools.pay
  expect(await run('diff')).toMatchObject({ code: 0, stdout: 'the servers publish what is locked\n' })
  writeFileSync(mark, '')
  const seen = await run('diff')
  expect(seen).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      'shop/pay changed\n  - /description: "Pays a bill."\n  + /description: "Pays a bill. Read',
    ),
  })
  expect(await run('lock')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('not agreed to: `pay` (changed)'),
  })
  expect(lock().tools.pay.sha256).toBe(sha256)
  expect(await run('approve', 'shop/pay')).toMatchObject({ code: 0, stdout: 'shop: agreed to `pay` (changed)\n' })
  expect(lock().tools.pay.sha256).not.toBe(sha256)
  expect(await run('diff')).toMatchObject({ code: 0 })
})

test('a definition that was edited gets no digest by being locked again', async () => {
  const { home, lock, lockFile, run } = project(HOSTILE, ['fine'])
  await run('lock')
  const edited = JSON.parse(readFileSync(lockFile, 'utf8'))
  edited.sources.shop.tools.pay.definition.description = 'Pays nothing.'
  writeFileSync(lockFile, JSON.stringify(edited))
  expect(await run('diff')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('- /description: "Pays nothing."'),
  })
  expect(await run('lock')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('not agreed to: `pay` (changed)'),
  })
  expect(await toolgate(['build'], { cwd: home })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('lock-invalid'),
  })
  await run('approve', 'shop/pay')
  expect(lock().tools.pay.definition.description).toBe('Pays a bill.')
})

test('a first lock that reaches no server writes nothing', async () => {
  const { lockFile, run } = project(HOSTILE, ['exits-at-once'])
  const failed = await run('lock')
  expect([failed.code, failed.stdout, existsSync(lockFile)]).toEqual([1, '', false])
  expect(failed.stderr).toContain('`shop`: the program ended with code 1')
  expect(failed.stderr).toContain('nothing was locked')
})

test('what an approver reads shows what is hidden', () => {
  const [line] = differences({ description: 'a' }, { description: 'a\u200bb\u{e0041}' }).slice(1)
  expect(line).toBe('+ /description: "a\\u200bb\\udb40\\udc41"')
})

test('new tools and lost ones wait, too', async () => {
  const two = project(HOSTILE, ['two-tools'])
  await two.run('lock')
  const { config } = program(HOSTILE, ['fine'])
  two.write({ transport: config.transport })
  const lost = await two.run('lock')
  expect(lost).toMatchObject({ code: 1, stdout: expect.stringContaining('not agreed to: `refund` (gone)') })
  expect(Object.keys(two.lock().tools)).toEqual(['pay', 'refund'])
  expect(await two.run('approve', 'shop')).toMatchObject({ code: 0, stdout: 'shop: agreed to `refund` (gone)\n' })
  expect(Object.keys(two.lock().tools)).toEqual(['pay'])
})

test('a server that does not answer leaves its lock as it is', async () => {
  const { lock, run, write } = project(HOSTILE, ['fine'])
  await run('lock')
  write({ transport: { command: process.execPath, args: [HOSTILE, 'exits-at-once'] } })
  const failed = await run('lock')
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('toolgate: `shop`: ') })
  expect(Object.keys(lock().tools)).toEqual(['pay'])
})

test.each([
  [
    'no folder',
    ({ home }) => rmSync(path.join(home, 'sources'), { recursive: true }),
    ['lock'],
    1,
    'there is no folder `sources`',
  ],
  [
    'an empty folder',
    ({ home }) => rmSync(path.join(home, 'sources/shop.json')),
    ['diff'],
    1,
    '`sources` has no source',
  ],
  ['an unknown source', () => {}, ['approve', 'shp/pay'], 2, 'there is no source `shp` in `sources`'],
  ['settings that do not fit', ({ write }) => write({ reeds: [] }), ['lock'], 1, 'sources/shop.json'],
  [
    'a lock that is no JSON',
    ({ lockFile }) => writeFileSync(lockFile, '{'),
    ['lock'],
    1,
    "`toolgate.lock.json` can't be read",
  ],
])('%s is said in one line', async (_, spoil, words, code, text) => {
  const given = project(HOSTILE, ['fine'])
  spoil(given)
  const result = await given.run(...words)
  expect([result.code, result.stdout]).toEqual([code, ''])
  expect(result.stderr).toContain(text)
  expect(existsSync(given.lockFile) && readFileSync(given.lockFile, 'utf8')).toBe(
    words[0] === 'lock' && text.includes('read') ? '{' : false,
  )
})

test('`doctor` asks the servers, and says what to do', async () => {
  const { home, mark, run, write } = project(HOSTILE, ['changes-silently'])
  const checked = async () => {
    const { stdout } = await toolgate(['doctor', '--json'], { cwd: home })
    return JSON.parse(stdout).checks.filter(({ check }) => check === 'sources')
  }
  expect(await checked()).toMatchObject([{ status: 'problem', help: '`toolgate mcp lock`' }])
  await run('lock')
  expect(await checked()).toMatchObject([{ status: 'ok' }])
  writeFileSync(mark, '')
  expect(await checked()).toMatchObject([{ status: 'warning', help: expect.stringContaining('toolgate mcp diff') }])
  write({ transport: { command: process.execPath, args: [HOSTILE, 'exits-at-once'] } })
  expect(await checked()).toMatchObject([{ status: 'problem', message: expect.stringContaining("can't be used") }])
  write({ transport: { url: 'https://shop.example/mcp', headers: { 'X-Key': '${SHOP_KEY_OF_NOBODY}' } } })
  expect(await checked()).toMatchObject([{ message: expect.stringContaining('`SHOP_KEY_OF_NOBODY`') }])
  write({ reads: 1 })
  expect(await checked()).toMatchObject([{ status: 'problem', message: expect.stringContaining('shop.json/reads') }])
})

test('an interrupted command leaves no program behind', async () => {
  const { config, pids } = program(HOSTILE, ['never-lists'])
  const home = temporaryFolder()
  mkdirSync(path.join(home, 'sources'))
  writeFileSync(path.join(home, 'package.json'), '{"toolgate":{}}')
  writeFileSync(path.join(home, 'sources/shop.json'), JSON.stringify({ transport: config.transport }))
  const command = spawn(process.execPath, [MAIN, 'mcp', 'lock'], { cwd: home, stdio: 'ignore' })
  await eventually(() => pids().length > 0, 'the program')
  command.kill('SIGINT')
  expect(await once(command, 'exit')).toEqual([130, null])
  await eventually(() => !pids().some(isAlive), 'the end of the program')
})
