// `toolgate store`: a backup under load, its restoration, and the check of a file and of a server.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

import { restoreStore } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { toolgate } from '../support/command.mjs'
import { openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const WRITE = { sideEffects: 'writes', idempotent: false, category: 'action' }
const POLICY = { totalCalls: 100_000, retrievalCalls: 100_000 }
const lines = file => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])

/** A program that makes one write after another, and prints the id of each that was answered. */
const writer = (artifact, file, effects) => `
import { appendFileSync } from 'node:fs'
import { createRegistry } from '${PACKAGE}'
const registry = createRegistry({
  artifact: ${JSON.stringify(artifact)},
  store: { file: ${JSON.stringify(file)} },
  handlers: { send: ({ args: { id } }) => {
    appendFileSync(${JSON.stringify(effects)}, id + '\\n')
    return { ok: true, data: { sent: id } }
  } },
})
await registry.load()
const session = await registry.createSession({ sessionId: 's', mode: 'text', policy: ${JSON.stringify(POLICY)} })
for (let number = 1; ; number++) {
  const id = 'call_' + String(number).padStart(6, '0')
  const { ok } = await session.execute({ id, name: 'send', args: { id } })
  if (!ok) throw new Error('refused')
  await new Promise(resolve => process.stdout.write(id + '\\n', resolve))
}
`

test('a backup under load has every call that was answered before it began', async () => {
  const folder = temporaryFolder()
  const [file, backup, effects] = ['sessions.sqlite', 'backup', 'effects'].map(name => path.join(folder, name))
  const tools = { send: { ...WRITE, properties: { id: { type: 'string' } }, execute: () => ({ ok: true }) } }
  const { artifact } = await toolSet(tools)
  const answered = []
  let before
  let command
  const ended = await runModule(writer(artifact, file, effects), {
    onLine(id, child) {
      answered.push(id)
      if (answered.length === 60) {
        before = [...answered]
        command = toolgate(['store', 'backup', backup, '--store', file], { cwd: folder }).finally(() =>
          child.kill('SIGKILL'),
        )
      }
    },
  })
  expect(ended.stderr).toBe('')
  const { code, stdout, stderr } = await command
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^backed up to .*: 1 session, \d+ records?, \d+ answers?, 0 questions, \d+ bytes\n$/)
  expect(statSync(backup).mode & 0o777).toBe(0o600)
  // The calls went on during the backup.
  expect(answered.length).toBeGreaterThan(before.length)

  const restored = path.join(folder, 'restored.sqlite')
  await restoreStore(backup, { file: restored })
  const runs = []
  const gate = await openGate(
    { send: { ...tools.send, execute: ({ args }) => (runs.push(args.id), { ok: true }) } },
    { store: { file: restored } },
  )
  const session = await gate.session({ sessionId: 's', policy: POLICY })
  for (const id of lines(effects)) await session.execute({ id, name: 'send', args: { id } })
  // Only calls that came after the backup run again: none that was answered before it.
  expect(runs.filter(id => before.includes(id))).toEqual([])
  expect(lines(effects).slice(-runs.length || Infinity)).toEqual(runs)
})

test('a backup, a restoration and a check are reported as JSON, and refusals in one line', async () => {
  const cwd = temporaryFolder()
  const gate = await openGate(
    { send: { ...WRITE, execute: () => ({ ok: true }) } },
    { store: { file: path.join(cwd, 'sessions.sqlite') } },
  )
  const session = await gate.session({ sessionId: 's' })
  await session.execute({ id: 'call_000001', name: 'send', args: {} })
  const counts = { sessions: 1, records: 1, answers: 1, questions: 0 }
  const store = ['--store', 'sessions.sqlite']
  const copied = await toolgate(['store', 'backup', 'backup', ...store, '--json'], { cwd })
  expect(JSON.parse(copied.stdout)).toEqual({
    file: path.join(cwd, 'backup'),
    bytes: statSync(path.join(cwd, 'backup')).size,
    layout: 1,
    counts,
  })
  const checked = await toolgate(['store', 'check', '--json'], { cwd, env: { TOOLGATE_STORE: 'sessions.sqlite' } })
  expect(JSON.parse(checked.stdout)).toMatchObject({ kind: 'file', layout: 1, knownLayout: 1, counts, problems: [] })
  expect(checked.code).toBe(0)

  const refusals = [
    [['store', 'restore', 'backup', ...store], 1, /exists.*`--force` replaces it/],
    [['store', 'restore', 'backup', ...store, '--force'], 1, /is in use; end the processes/],
    [['store', 'backup', 'backup', ...store], 1, /`.*backup` exists; name a new file/],
    [['store', 'backup', 'other', '--store', 'absent'], 1, /`.*absent` does not exist/],
    [['store', 'backup', 'other'], 2, /no store is named/],
    [['store', 'backup', ...store], 2, /the file of the backup is missing/],
    [['store', 'backup', 'other', '--store', 'redis://127.0.0.1:1'], 2, /a server has backups of its own/],
    [['store', 'checks', ...store], 2, /`store` can't `checks`\ndid you mean `check`/],
  ]
  for (const [words, code, message] of refusals) {
    const refused = await toolgate(words, { cwd })
    expect([words, refused.code, refused.stdout]).toEqual([words, code, ''])
    expect(refused.stderr).toMatch(message)
  }
  await gate.registry.close()
  const replaced = await toolgate(['store', 'restore', 'backup', ...store, '--force'], { cwd })
  expect([replaced.code, replaced.stderr]).toEqual([0, ''])
})

const testRedis = hasRedis ? test : test.skip

testRedis('a server is checked: its settings, and what it keeps', async () => {
  const server = await RedisServer.start()
  const gate = await openGate({ send: { ...WRITE, execute: () => ({ ok: true }) } }, { store: { redis: server.url } })
  await (await gate.session({ sessionId: 's' })).execute({ id: 'call_000001', name: 'send', args: {} })
  const { code, stdout } = await toolgate(['store', 'check', '--store', server.url, '--json'], {
    cwd: temporaryFolder(),
  })
  expect(JSON.parse(stdout)).toEqual({
    kind: 'redis',
    evictionPolicy: 'noeviction',
    persistence: 'appendonly yes, appendfsync always, save ""',
    counts: { sessions: 1, records: 1, answers: 1, questions: 0 },
    problems: [],
  })
  expect(code).toBe(0)
  await server.kill()
  const gone = await toolgate(['store', 'check', '--store', server.url], { cwd: temporaryFolder() })
  expect([gone.code, gone.stderr]).toEqual([1, "toolgate: redis can't be reached\n"])
})

const testPostgres = hasPostgres ? test : test.skip

testPostgres('a database is checked: its schema, its settings, and what it keeps', async () => {
  const server = await PostgresServer.start()
  const cwd = temporaryFolder()
  const check = () => toolgate(['store', 'check', '--store', `${server.url}?schema=agents`, '--json'], { cwd })
  const before = await check()
  expect([before.code, before.stderr]).toEqual([1, 'toolgate: postgres has no store in the schema `agents`\n'])
  const store = { postgres: { url: server.url, schema: 'agents' } }
  const gate = await openGate({ send: { ...WRITE, execute: () => ({ ok: true }) } }, { store })
  await (await gate.session({ sessionId: 's' })).execute({ id: 'call_000001', name: 'send', args: {} })
  const { code, stdout } = await check()
  expect(JSON.parse(stdout)).toEqual({
    kind: 'postgres',
    schema: 'agents',
    layout: 1,
    knownLayout: 1,
    durability: 'fsync on, synchronous_commit on',
    counts: { sessions: 1, records: 1, answers: 1, questions: 0 },
    problems: [],
  })
  expect(code).toBe(0)
  server.query('ALTER ROLE postgres SET synchronous_commit = off')
  expect(JSON.parse((await check()).stdout).problems).toEqual([expect.stringMatching(/`synchronous_commit off`/)])
  await server.kill()
  const gone = await check()
  expect([gone.code, gone.stderr]).toEqual([1, "toolgate: postgres can't be reached\n"])
})
