// `toolgate audit`: the chain of real audit files over rotations, restarts and kills, and the lines that are shown.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

import { createRegistry, verifyAudit } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { toolgate } from '../support/command.mjs'
import { eventually, openGate } from '../support/gate.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const TOOLS = { echo: { properties: { n: {}, secret: { type: 'string', 'x-sensitive': true } } } }
const KEY = 'a-key-of-this-installation'
const NO_PROBLEMS = { before: 0, first: 1, incomplete: 0, problems: [], problemCount: 0 }

const PLACES = [
  ['a file', async folder => path.join(folder, 'sessions.sqlite')],
  ...(hasRedis ? [['a server', async () => (await RedisServer.start()).url]] : []),
]

/** Runs calls in a registry of their own, as one run of a process does. */
async function runCalls(options, names, args = n => ({ n })) {
  const { artifact } = await toolSet(TOOLS)
  const registry = await createRegistry({ artifact, ...options }).load()
  const session = await registry.createSession({ sessionId: `s-${names[0]}`, mode: 'text' })
  for (const [n, id] of names.entries()) await session.execute({ id, name: 'echo', args: args(n) })
  await registry.close()
}

/** The lines of all audit files in the folder, as `[file, line]`, the oldest first. */
function linesOf(folder) {
  const rotated = readdirSync(folder).filter(name => /^audit\.jsonl\.\d+(\.gz)?$/.test(name))
  return [...rotated.sort(), 'audit.jsonl'].flatMap(name => {
    const bytes = readFileSync(path.join(folder, name))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => [name, JSON.parse(line)])
  })
}

/** Waits until no rotated file of the folder is left to compress. */
const areCompressed = folder =>
  eventually(() => readdirSync(folder).every(name => !/\.(\d+|partial)$/.test(name)), 'rotated files are compressed')

/** Rewrites a rotated file. */
function rewrite(file, change) {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -1)
  writeFileSync(file, gzipSync(`${change(lines).join('\n')}\n`))
}

describe.each(PLACES)('with the key of %s', (_, place) => {
  test('the chain goes on over rotations and restarts, and a touched line is named', async () => {
    const cwd = temporaryFolder()
    const store = await place(cwd)
    const options = {
      store: store.startsWith('redis') ? { redis: store } : { file: store },
      audit: { file: path.join(cwd, 'audit.jsonl'), rotate: { maxBytes: 1500 } },
    }
    await runCalls(options, ['call_a1', 'call_a2', 'call_a3'])
    await runCalls(options, ['call_b1', 'call_b2', 'call_b3'])
    await areCompressed(cwd)

    const lines = linesOf(cwd)
    expect(lines.map(([, { seq }]) => seq)).toEqual(lines.map((_line, n) => n + 1))
    const hashes = lines.filter(([, { event }]) => event === 'tool_execution').map(([, { argsHash }]) => argsHash)
    expect(hashes.slice(0, 3)).toEqual(hashes.slice(3))
    expect(new Set(hashes).size).toBe(3)

    const verify = (...words) => toolgate(['audit', 'verify', 'audit.jsonl', '--store', store, ...words], { cwd })
    expect(await verify()).toEqual({
      code: 0,
      signal: null,
      stdout: `audit.jsonl: ${lines.length} lines verified, 1 to ${lines.length} of the chain; 0 problems\n`,
      stderr: '',
    })
    const found = { file: path.join(cwd, 'audit.jsonl'), verified: lines.length, last: lines.length, ...NO_PROBLEMS }
    expect(JSON.parse((await verify('--json')).stdout)).toEqual([found])
    expect(await verifyAudit(found.file, { store: options.store })).toEqual([found])

    const [file, { seq }] = lines.find(([name]) => name.endsWith('2.gz'))
    rewrite(path.join(cwd, file), ([first, ...rest]) => [first.replace('"event"', '"Event"'), ...rest])
    const changed = await verify()
    expect(changed).toMatchObject({ code: 1, stderr: '' })
    expect(changed.stdout).toContain(`; 1 problem\n${file}:1: line ${seq} of the chain was changed\n`)
    const other = path.join(temporaryFolder(), 'other.sqlite')
    await runCalls({ store: { file: other } }, ['call_c1'])
    const { problemCount } = (await verifyAudit(found.file, { store: { file: other } }))[0]
    expect(problemCount).toBe(lines.length)
    const wrong = await toolgate(['audit', 'verify', 'audit.jsonl', '--store', other], { cwd })
    expect(wrong.stdout).toMatch(/\nno line fits: is this the key that they were written with\?\n$/)
  })
})

test('a key of the host makes one chain and the same hashes without a store', async () => {
  const cwd = temporaryFolder()
  const audit = { file: path.join(cwd, 'audit.jsonl'), key: KEY }
  await runCalls({ audit }, ['call_a1', 'call_a2'])
  await runCalls({ audit }, ['call_b1', 'call_b2'])
  const lines = linesOf(cwd)
  const hashes = lines.filter(([, { event }]) => event === 'tool_execution').map(([, { argsHash }]) => argsHash)
  expect(hashes).toEqual([hashes[0], hashes[1], hashes[0], hashes[1]])

  const env = { TOOLGATE_AUDIT_KEY: KEY }
  const { code, stdout } = await toolgate(['audit', 'verify'], { cwd, env: { ...env, TOOLGATE_AUDIT: 'audit.jsonl' } })
  expect([code, stdout]).toEqual([
    0,
    `audit.jsonl: ${lines.length} lines verified, 1 to ${lines.length} of the chain; 0 problems\n`,
  ])
  const wrong = await toolgate(['audit', 'verify', 'audit.jsonl'], { cwd, env: { TOOLGATE_AUDIT_KEY: `${KEY}-2` } })
  expect(wrong).toMatchObject({ code: 1, stderr: '' })
  expect(wrong.stdout).not.toContain(KEY)
})

test('files that another program renamed are one chain with `--in-order`', async () => {
  const cwd = temporaryFolder()
  const [file, renamed] = ['audit.jsonl', 'audit.jsonl.1'].map(name => path.join(cwd, name))
  const { registry, session } = await openGate(TOOLS, { audit: { file, key: KEY } })
  const text = await session()
  await text.execute({ id: 'call_a1', name: 'echo', args: { n: 1 } })
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').includes('call_a1'), 'the line is written')
  renameSync(file, renamed)
  await text.execute({ id: 'call_a2', name: 'echo', args: { n: 2 } })
  await registry.close()
  const verify = (...files) =>
    toolgate(['audit', 'verify', ...files, '--json'], { cwd, env: { TOOLGATE_AUDIT_KEY: KEY } })
  const [chain] = JSON.parse((await verify('audit.jsonl.1', 'audit.jsonl', '--in-order')).stdout)
  expect(chain).toEqual({ file: renamed, verified: chain.last, last: chain.last, ...NO_PROBLEMS })
  const swapped = await verify('audit.jsonl', 'audit.jsonl.1', '--in-order')
  expect([swapped.code, JSON.parse(swapped.stdout)[0].problemCount > 0]).toEqual([1, true])
  const apart = JSON.parse((await verify('audit.jsonl', 'audit.jsonl.1')).stdout)
  expect(apart.map(({ problemCount }) => problemCount)).toEqual([0, 0])
})

test('a file without a key that lasts, or with `chain: false`, has no chain', async () => {
  const cwd = temporaryFolder()
  const audit = { file: path.join(cwd, 'audit.jsonl') }
  await runCalls({ audit }, ['call_a1'])
  await runCalls({ audit: { ...audit, key: KEY, chain: false } }, ['call_b1'])
  expect(linesOf(cwd).every(([, line]) => !('chain' in line) && !('seq' in line))).toBe(true)
  const [report] = await verifyAudit(audit.file, { key: KEY })
  expect(report).toMatchObject({ verified: 0, first: null, problemCount: 1 })
})

test('a killed process leaves a chain without gaps, which the next process continues', async () => {
  const folder = temporaryFolder()
  const { artifact } = await toolSet(TOOLS)
  // All rotated files are kept: how many there are depends on when the process is killed.
  const rotate = { maxBytes: 5000, keep: 100 }
  const options = { artifact, audit: { file: path.join(folder, 'audit.jsonl'), key: KEY, rotate } }
  const ran = await runModule(`
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = await createRegistry(${JSON.stringify(options)}).load()
    const session = await registry.createSession({ mode: 'text', policy: { totalCalls: 1000, retrievalCalls: 1000 } })
    for (let n = 0; n < 200; n += 1) await session.execute({ id: 'call_killed_' + n, name: 'echo', args: { n } })
    process.kill(process.pid, 'SIGKILL')
  `)
  expect(ran).toMatchObject({ signal: 'SIGKILL', stderr: '' })
  await runCalls({ audit: options.audit }, ['call_a1'])
  const [{ verified, last, incomplete, ...rest }] = await verifyAudit(options.audit.file, { key: KEY })
  expect({ ...rest, isWhole: verified === last }).toEqual({
    file: options.audit.file,
    before: 0,
    first: 1,
    problems: [],
    problemCount: 0,
    isWhole: true,
  })
  expect(incomplete).toBeLessThanOrEqual(1)
})

test('lines of a session, of a call and since a time are shown, from rotated files too', async () => {
  const cwd = temporaryFolder()
  const audit = { file: path.join(cwd, 'audit.jsonl'), rotate: { maxBytes: 600 } }
  await runCalls({ audit }, ['call_a1', 'call_a2', 'call_a3'], () => ({ secret: 'secret-4711' }))
  await runCalls({ audit }, ['call_b1', 'call_b2'])
  await areCompressed(cwd)
  expect(readdirSync(cwd).length).toBeGreaterThan(2)
  const all = linesOf(cwd).map(([, line]) => line)
  const show = async (...words) => {
    const { code, stdout, stderr } = await toolgate(['audit', 'show', 'audit.jsonl', ...words], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('secret-4711')
    return stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }
  expect(await show()).toEqual(all)
  expect(await show('--session', 's-call_a1')).toEqual(all.filter(({ sessionId }) => sessionId === 's-call_a1'))
  const ofCall = all.filter(({ callId }) => callId === 'call_a2')
  expect(ofCall).not.toEqual([])
  expect(await show('--call', 'call_a2')).toEqual(ofCall)
  const ofOther = await toolgate(['audit', 'show', 'audit.jsonl', '--session', 's-call_b1', '--call', 'call_a2'], {
    cwd,
  })
  expect(ofOther).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'toolgate: there is no line of call `call_a2` of session `s-call_b1`\n',
  })
  const { at } = all[Math.floor(all.length / 2)]
  expect(await show('--since', at)).toEqual(all.filter(line => line.at >= at))
  expect(await show('--since', '1h')).toEqual(all)
  expect(await show('--since', '2999-01-01')).toEqual([])
})

test('wrong usage and what is absent are named', async () => {
  const cwd = temporaryFolder()
  writeFileSync(path.join(cwd, 'audit.jsonl'), '')
  const env = { TOOLGATE_AUDIT_KEY: KEY }
  const table = [
    [['verfy', 'audit.jsonl'], {}, 2, "`audit` can't `verfy`\ndid you mean `verify`?"],
    [['show'], {}, 2, 'no audit file is named\nwrite `toolgate audit show audit.jsonl`, or set TOOLGATE_AUDIT'],
    [
      ['verify', 'audit.jsonl'],
      {},
      2,
      'no key is named\nset TOOLGATE_AUDIT_KEY, or name the store that keeps the key with `--store`',
    ],
    [
      ['verify', 'audit.jsonl'],
      { TOOLGATE_AUDIT_KEY: 'short' },
      2,
      'TOOLGATE_AUDIT_KEY must be a text of 16 bytes or more',
    ],
    [['verify', 'audit.jsonl', '--since', '1h'], env, 2, '`verify` takes no `--since`\nsee `toolgate audit --help`'],
    [['show', 'audit.jsonl', '--in-order'], env, 2, '`show` takes no `--in-order`\nsee `toolgate audit --help`'],
    [
      ['show', '--since', 'yesterday'],
      env,
      2,
      'option `--since <time>` argument `yesterday` is invalid: give a time such as 2026-03-01T08:00:00Z, a date, or how long ago: 90s, 30m, 2h, 7d\nsee `toolgate audit --help`',
    ],
    [['verify', 'absent.jsonl'], env, 1, 'there is no file `absent.jsonl`'],
    [['show', 'absent.jsonl'], env, 1, 'there is no file `absent.jsonl`'],
  ]
  const ran = await Promise.all(table.map(([words, given]) => toolgate(['audit', ...words], { cwd, env: given })))
  expect(ran.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
    table.map(([, , code, message]) => ({ code, stdout: '', stderr: `toolgate: ${message}\n` })),
  )
})

test('wrong options of the key are refused when the registry is created', async () => {
  const { artifact } = await toolSet(TOOLS)
  const load = audit => createRegistry({ artifact, audit: { file: 'audit.jsonl', ...audit } }).load()
  const table = [
    [{ key: 'short' }, '`audit.key` must be a text of 16 bytes or more'],
    [{ key: 7 }, '`audit.key` must be a text of 16 bytes or more'],
    [{ chain: 'yes' }, '`audit.chain` must be true or false'],
    [
      { chain: true },
      '`audit.chain` needs a key that outlives the process: give `audit.key`, or a `store` that keeps one',
    ],
  ]
  for (const [audit, message] of table) await expect(load(audit)).rejects.toThrow(new TypeError(message))
  await expect(verifyAudit('audit.jsonl')).rejects.toThrow('no key is given')
})
