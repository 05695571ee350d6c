// `toolgate sessions`: what a store keeps of sessions, in a file and on a server.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { storeFromSetting, verifyAudit } from '../../index.js'
import { toolgate } from '../support/command.mjs'
import { openGate } from '../support/gate.mjs'
import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const WRITE = { sideEffects: 'writes', idempotent: false, category: 'action', properties: { what: { type: 'string' } } }
const TOOLS = {
  send: { ...WRITE, execute: () => ({ ok: true, data: 'result-4242' }) },
  fail: { ...WRITE, execute: () => ({ ok: false, error: { type: 'INTERNAL', message: 'no' } }) },
  pay: { ...WRITE, requiresConfirmation: true, execute: () => ({ ok: true }) },
}
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Returns everything that a server of Redis holds. */
const DUMP = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  local reads = { hash = { 'HGETALL', key }, list = { 'LRANGE', key, 0, -1 }, zset = { 'ZRANGE', key, 0, -1 }, string = { 'GET', key } }
  all[#all + 1] = { key, redis.call(unpack(reads[kind])) }
end
return all`

/** Where sessions are kept, and what the place holds, as one text. */
const PLACES = [
  [
    'a file',
    async () => {
      const folder = temporaryFolder()
      // By another process: closing the file in this one would give up the locks of its store.
      const content = () => execFileSync('sh', ['-c', 'cat *'], { cwd: folder, encoding: 'latin1' })
      return { store: path.join(folder, 'sessions.sqlite'), content }
    },
  ],
  ...(hasRedis ? [['a server', onRedis]] : []),
  ...(hasPostgres ? [['a database', onPostgres]] : []),
]

async function onRedis() {
  const { url } = await RedisServer.start()
  return { store: url, content: () => execFileSync('redis-cli', ['-u', url, 'EVAL', DUMP, '0'], { encoding: 'utf8' }) }
}

async function onPostgres() {
  const server = await PostgresServer.start()
  const tables = () =>
    server.query("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'toolgate'")
  const content = () =>
    tables()
      .flatMap(table => server.query(`SELECT t::text FROM ${table} t`))
      .join('\n')
  return { store: server.url, content }
}

/** A store with two sessions of alice and one of bob. */
async function usedStore(place) {
  const { store, content } = await place()
  const gate = await openGate(TOOLS, { store: storeFromSetting(store) })
  const [first, second, other] = [
    await gate.session({ sessionId: 'a1', principal: 'alice', state: { note: 'state-9137' } }),
    await gate.session({ sessionId: 'a2', principal: 'alice', resumeToken: 'token-5501' }),
    await gate.session({ sessionId: 'b1', principal: 'bob' }),
  ]
  const args = { what: 'args-7781' }
  await first.execute({ id: 'call_000001', name: 'send', args })
  await first.execute({ id: 'call_000002', name: 'fail', args })
  const asked = await first.execute({ id: 'call_000003', name: 'pay', args })
  await other.execute({ id: 'call_000001', name: 'send', args: { what: 'of bob' } })
  const { token } = asked.error.confirmation_request
  const run = async (...words) => toolgate(['sessions', ...words, '--store', store], { cwd: temporaryFolder() })
  return { content, gate, second, token, run }
}

describe.each(PLACES)('the sessions of %s', (_, place) => {
  test('are listed, shown, ended and erased', async () => {
    const { content, gate, second, token, run } = await usedStore(place)
    const registryVersion = gate.registry.getVersion()
    const summary = (id, principal, active = true) => ({
      id,
      principal,
      mode: 'text',
      active,
      turn: 1,
      registryVersion,
      usedAt: ISO,
    })
    const byId = (a, b) => (a.id < b.id ? -1 : 1)
    const list = async (...words) => {
      const { code, stdout, stderr } = await run('list', '--json', ...words)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const { sessions, ...rest } = JSON.parse(stdout)
      return { sessions: sessions.sort(byId), ...rest }
    }
    expect(await list()).toEqual({
      sessions: [summary('a1', 'alice'), summary('a2', 'alice'), summary('b1', 'bob')],
      more: false,
      unreadable: 0,
    })
    expect(await list('--principal', 'bob')).toMatchObject({ sessions: [{ id: 'b1' }], more: false })
    const limited = await list('--limit', '1')
    expect([limited.sessions.length, limited.more]).toEqual([1, true])

    const shown = await run('show', 'a1', '--json')
    const call = (tool, callId, state) => ({ tool, callId, turn: 1, state })
    expect(JSON.parse(shown.stdout)).toEqual({
      ...summary('a1', 'alice'),
      records: [
        { ...call('send', 'call_000001', 'succeeded'), claimedAt: ISO },
        { ...call('fail', 'call_000002', 'failed'), claimedAt: ISO },
      ],
      questions: [{ ...call('pay', 'call_000003', 'pending'), expires: ISO, approvers: null }],
      grants: [],
      unreadable: 0,
    })
    const table = await run('show', 'a1')
    expect(table.stdout).toMatch(/^send +call_000001 +1 +succeeded/m)
    for (const secret of ['args-7781', 'result-4242', 'state-9137', token]) {
      expect(shown.stdout + table.stdout).not.toContain(secret)
    }

    expect(await run('end', 'a2')).toMatchObject({ code: 0, stdout: 'session `a2` is ended\n' })
    const refused = await second.execute({ id: 'call_000009', name: 'send', args: {} })
    expect(refused.error.type).toBe('SESSION_INACTIVE')
    expect(await run('end', 'a2')).toMatchObject({ code: 0, stdout: 'session `a2` had ended\n' })
    expect(await list('--principal', 'alice')).toMatchObject({ sessions: [{ active: true }, { active: false }] })

    const traces = ['args-7781', '"alice"']
    expect(traces.filter(trace => content().includes(trace))).toEqual(traces)
    expect(content()).not.toContain('token-5501')
    const erased = await run('erase', '--principal', 'alice', '--json')
    expect(JSON.parse(erased.stdout)).toEqual({
      erased: { sessions: 2, records: 2, answers: 2, questions: 1 },
      unreadable: [],
      leftInLog: false,
    })
    expect(await list()).toMatchObject({ sessions: [{ id: 'b1' }] })
    expect(traces.filter(trace => content().includes(trace))).toEqual([])
    expect(content()).toContain('"bob"')
    // The id is free again, also in the process that had the session.
    expect((await gate.session({ sessionId: 'a1', principal: 'bob' })).turn).toBe(1)
  })

  test('show their grants, which are revoked for all processes', async () => {
    const { store } = await place()
    const audit = path.join(temporaryFolder(), 'audit.jsonl')
    const confirmation = { requiresConfirmation: true, confirmation: { preview: 'Pay {what}', grantable: 'tool' } }
    const pay = { ...WRITE, ...confirmation, duplicate: false, execute: () => ({ ok: true }) }
    const approvers = { roles: ['manager'], count: 2 }
    const move = { ...pay, confirmation: { approvers } }
    const gate = await openGate({ pay, move }, { store: storeFromSetting(store), audit: { file: audit } })
    const session = await gate.session({ sessionId: 'g1', principal: 'alice' })
    const run = (...words) => toolgate(['sessions', ...words, '--store', store], { cwd: temporaryFolder() })
    const asked = async (id, name, what) => {
      const { error } = await session.execute({ id, name, args: { what } })
      return error?.confirmation_request?.token
    }
    const grant = { scope: 'tool', calls: 3, ttlMs: 3_600_000 }
    await session.confirm(await asked('call_000001', 'pay', 'args-7781'), { grant, via: 'page' })
    const moved = await asked('call_000002', 'move', 'args-7782')
    await session.confirm(moved, { approver: { principal: 'bob', roles: ['manager'] } })
    await session.beginTurn()
    expect(await asked('call_000003', 'pay', 'other')).toBe(undefined)

    const [{ id }] = await session.grants()
    const shown = await run('show', 'g1', '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      questions: [
        { tool: 'pay', state: 'confirmed', approvers: null },
        { tool: 'move', state: 'pending', approvers: { confirmations: 1, count: 2 } },
      ],
      grants: [
        {
          id,
          tool: 'pay',
          toolVersion: '1.0.0',
          scope: 'tool',
          callsLeft: 2,
          expires: ISO,
          grantedAt: ISO,
          via: 'page',
        },
      ],
    })
    const table = await run('show', 'g1')
    expect(table.stdout).toMatch(new RegExp(`^${id} +pay +tool +2 `, 'm'))
    expect(table.stdout).toMatch(/^move .*pending, 1 of 2 /m)
    expect(shown.stdout + table.stdout).not.toMatch(/args-778|bob/)

    const nowhere = await run('revoke', 'g1', id, '--audit', path.join(temporaryFolder(), 'none', 'audit.jsonl'))
    expect(nowhere).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('audit file') })
    expect(await session.grants()).toHaveLength(1)
    const unknown = await run('revoke', 'g1', 'tgg_none')
    expect(unknown).toMatchObject({ code: 1, stdout: 'grant `tgg_none` does not exist or had ended\n' })
    const revoked = await run('revoke', 'g1', id, '--audit', audit)
    expect(revoked).toMatchObject({ code: 0, stdout: `grant \`${id}\` is revoked\n`, stderr: '' })
    const again = await run('revoke', 'g1', id, '--json')
    expect([again.code, JSON.parse(again.stdout)]).toEqual([1, { revoked: false }])
    expect(await session.grants()).toEqual([])
    expect(await asked('call_000004', 'pay', 'other')).toEqual(expect.any(String))

    expect(await run('end', 'g1')).toMatchObject({ code: 0 })
    expect(await run('revoke', 'g1', id)).toMatchObject({ code: 1 })
    await gate.registry.close()
    const lines = readFileSync(audit, 'utf8').trim().split('\n').map(JSON.parse)
    expect(lines.filter(({ event }) => event === 'grant_revoked')).toEqual([
      expect.objectContaining({ sessionId: 'g1', toolId: 'pay', grant: id, callsLeft: 2, via: 'operator' }),
    ])
    const [chain] = await verifyAudit(audit, { store: storeFromSetting(store) })
    expect(chain).toMatchObject({ problems: [], verified: lines.length })
  })

  test('with a long id are named as a list shows them, by each action', async () => {
    const { gate, run } = await usedStore(place)
    const long = `${'long-'.repeat(200)}}`
    const session = await gate.session({ sessionId: long })
    const { sessions } = JSON.parse((await run('list', '--json')).stdout)
    const [{ id }] = sessions.filter(({ id }) => !/^[ab]\d$/.test(id))
    expect(id).toMatch(/^(sha256:|#)[0-9a-f]{64}$/)
    expect((await run('show', id)).code).toBe(0)
    const revoked = await run('revoke', id, 'tgg_none')
    expect(revoked).toMatchObject({ code: 1, stdout: 'grant `tgg_none` does not exist or had ended\n', stderr: '' })
    const isActive = async session =>
      (await session.execute({ id: 'call_000009', name: 'send', args: { what: 'on' } })).error?.type !==
      'SESSION_INACTIVE'
    expect(await run('end', id)).toMatchObject({ code: 0, stderr: '' })
    expect(await isActive(session)).toBe(false)
    // A host's session whose id is that text is another one.
    const named = await gate.session({ sessionId: id })
    expect(await isActive(named)).toBe(true)
  })

  test('that are not there, or are not named, are refused in one line', async () => {
    const { run } = await usedStore(place)
    const refusals = [
      [['show', 'none'], 1, 'toolgate: there is no session `none`\n`toolgate sessions list` lists them\n'],
      [['end', 'none'], 1, 'toolgate: there is no session `none`\n`toolgate sessions list` lists them\n'],
      [['show'], 2, "toolgate: the session's id is missing\nwrite `toolgate sessions show <id>`\n"],
      [['revoke', 'a1'], 2, "toolgate: the grant's id is missing\nwrite `toolgate sessions revoke a1 <grant>`\n"],
      [['revoke', 'none', 'g'], 1, 'toolgate: there is no session `none`\n`toolgate sessions list` lists them\n'],
      [['end', 'a1', 'g'], 2, 'toolgate: `end` takes no grant: `g`\n'],
      [['end', 'a1', '--audit', 'f'], 2, 'toolgate: `end` takes no `--audit`\nsee `toolgate sessions --help`\n'],
      [['erase'], 2, 'toolgate: no principal is named\nwrite `--principal <principal>`\n'],
      [['erase', 'a1', '--principal', 'alice'], 2, 'toolgate: `erase` takes no session: `a1`\n'],
      [['lst'], 2, "toolgate: `sessions` can't `lst`\ndid you mean `list`?\n"],
    ]
    for (const [words, code, stderr] of refusals)
      expect(await run(...words)).toMatchObject({ code, stderr, stdout: '' })
    const nothing = await run('erase', '--principal', 'carol')
    expect(nothing).toMatchObject({
      code: 1,
      stdout: 'erased 0 sessions, 0 records, 0 answers, 0 questions\n',
      stderr: 'no session belongs to the principal `carol`; `toolgate sessions list` shows the principals\n',
    })
  })
})
