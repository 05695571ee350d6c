// Tools of servers in a registry: they pass the same gate as others, and leave it when their server changes them.
import { writeFileSync } from 'node:fs'

import { createRegistry } from '../../index.js'
import { attached } from '../mcp/support.mjs'
import { eventually } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { build, lockedProject } from './locked.mjs'
import { served } from './served.mjs'
import { HOSTILE, TOOLS_SERVER, lockOf, program } from './support.mjs'

/** A session of a registry whose only source is a program. */
async function gate(file, args, { fields, lockedArgs = args } = {}) {
  const opened = await served(program(file, args), { fields, lockedAs: program(file, lockedArgs) })
  const { registry } = opened
  const session = await registry.createSession({ mode: 'text', principal: 'ada' })
  const call = (name, args = {}, id = `${name}-call-1`) => session.execute({ id, name, args })
  const confirmed = async (...given) => session.confirm((await call(...given)).error.confirmation_request.token)
  return { ...opened, call, confirmed, session }
}

test('a read runs, a write asks, and both are answered by the server', async () => {
  const { call, confirmed } = await gate(TOOLS_SERVER, [], { fields: { reads: ['add'] } })
  expect(await call('shop_add', { a: 1, b: 2 })).toMatchObject({ ok: true, data: { sum: 3 } })
  expect(await call('shop_count')).toMatchObject({ ok: false, error: { type: 'CONFIRMATION_REQUIRED' } })
  expect(await confirmed('shop_count', {}, 'count-2')).toMatchObject({ ok: true, data: { text: '1' } })
})

test('a write whose server dies is of unknown outcome, and the next call finds it started again', async () => {
  const { call, confirmed } = await gate(TOOLS_SERVER, [], { fields: { reads: ['add'] } })
  const lost = await confirmed('shop_crash')
  expect(lost.error).toMatchObject({ type: 'TRANSIENT', retryable: false, partialSideEffects: true })
  const next = () => call('shop_add', { a: 2, b: 2 }, `add-${Math.random()}`)
  await eventually(async () => (await next()).ok, 'the server to be started again')
})

test('each session has a connection of its own, which ends with it', async () => {
  const { call, registry, session, pids } = await gate(TOOLS_SERVER, [], {
    fields: { reads: ['count'], tools: { count: { repeatable: true } } },
  })
  const other = await registry.createSession({ mode: 'text' })
  expect(await call('shop_count')).toMatchObject({ data: { text: '1' } })
  expect(await other.execute({ id: 'other-1', name: 'shop_count', args: {} })).toMatchObject({ data: { text: '1' } })
  const started = pids().length
  await session.end()
  await eventually(() => pids().some(pid => !isRunning(pid)), 'the end of the connection')
  expect(await other.execute({ id: 'other-2', name: 'shop_count', args: {} })).toMatchObject({ data: { text: '2' } })
  expect(pids().length).toBe(started)
})

test.each([
  ['announces-change', 'definition_changed'],
  ['gone', 'definition_gone'],
])('a tool that its server has changed is refused before anybody is asked (%s)', async (behaviour, reason) => {
  const { call, lines, mark, registry, effects } = await gate(HOSTILE, [behaviour], { lockedArgs: ['fine'] })
  writeFileSync(mark, '')
  await eventually(() => lines.some(({ event }) => event === 'definition_drift'), 'the drift')
  expect(lines.find(({ event }) => event === 'definition_drift')).toMatchObject({
    toolId: 'shop_pay',
    source: 'shop',
    reason,
  })
  expect(registry.sources()).toMatchObject([{ name: 'shop', unavailable: { shop_pay: reason } }])
  expect((await call('shop_pay')).error).toMatchObject({ type: 'NOT_FOUND', retryable: false, details: { reason } })
  expect(registry.getProviderSchemas('openai')).toEqual([])
  expect(effects()).toBe(0)
})

test('a question that is open when the tool changes runs nothing', async () => {
  const { call, lines, mark, session, effects } = await gate(HOSTILE, ['announces-change'], { lockedArgs: ['fine'] })
  const asked = await call('shop_pay')
  writeFileSync(mark, '')
  await eventually(() => lines.some(({ event }) => event === 'definition_drift'), 'the drift')
  const answer = await session.confirm(asked.error.confirmation_request.token)
  expect(answer).toMatchObject({ ok: false, error: { type: 'NOT_FOUND' } })
  expect(effects()).toBe(0)
})

test('MCP clients see the published names, definitions and `_meta`', async () => {
  const { registry } = await gate(TOOLS_SERVER, [], { fields: { reads: ['*'] } })
  const { client } = await attached(registry)
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'shop_environment')).toMatchObject({ _meta: { 'example/kept': true } })
  const result = await client.callTool({ name: 'shop_add', arguments: { a: 1, b: 4 } })
  expect(result.structuredContent).toEqual({ sum: 5 })
})

test('an MCP client gets the reports of the server, with their total', async () => {
  const { registry } = await gate(TOOLS_SERVER, [], { fields: { reads: ['*'] } })
  const { client } = await attached(registry)
  const told = []
  await client.callTool({ name: 'shop_report' }, { onprogress: report => told.push(report) })
  expect(told.map(({ progress, total }) => [progress, total])).toEqual([
    [1, 2],
    [2, 2],
  ])
  expect(told.map(({ message }) => message.length)).toEqual([300, 300])
})

test('what a source needs and has not is said at the load', async () => {
  const { tools } = await lockOf(program(TOOLS_SERVER).config)
  const definitions = Object.values(tools).map(({ definition }) => definition)
  const project = lockedProject({ shop: { definitions } })
  await build(project)
  const loading = sources => createRegistry({ artifact: project.artifact, sources }).load()
  await expect(loading(undefined)).rejects.toMatchObject({
    code: 'SOURCE_MISSING',
    message: expect.stringContaining('`shop`'),
  })
  const env = { TOKEN: '${NOT_SET_TOKEN}' }
  const unset = loading({ shop: { transport: { command: 'node', env } } })
  await expect(unset).rejects.toMatchObject({
    code: 'SOURCE_INVALID',
    message: expect.stringContaining('`NOT_SET_TOKEN`'),
  })
})

test.each([
  ['a list', []],
  ['a number', 5],
  ['a folder that is not there', '/not/there'],
  ['settings without a transport', { shop: { transport: {} } }],
  ['unknown settings', { shop: { transport: { command: 'node' }, reeds: [] } }],
  ['a limit below its least', { shop: { transport: { command: 'node' }, limits: { calls: -1 } } }],
])('%s as `sources` is refused at the load', async (_, sources) => {
  const { tools } = await lockOf(program(TOOLS_SERVER).config)
  const definitions = Object.values(tools).map(({ definition }) => definition)
  const project = lockedProject({ shop: { definitions } })
  await build(project)
  const loading = createRegistry({ artifact: project.artifact, sources }).load()
  await expect(loading).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_(INVALID|MISSING)$/) })
})

test('no secret of a source is in what its failure says', async () => {
  const { tools } = await lockOf(program(TOOLS_SERVER).config)
  const definitions = Object.values(tools).map(({ definition }) => definition)
  const project = lockedProject({ shop: { definitions, reads: ['*'] } })
  await build(project)
  const secrets = { TEST_SOURCE_HEADER: 'S3CRET-h\nsecond-line', TEST_SOURCE_URL: 'http://ada:S3CRET-u@127.0.0.1:9/' }
  Object.assign(process.env, secrets)
  afterTest(() => Object.keys(secrets).forEach(name => delete process.env[name]))
  const transports = [
    { url: 'http://127.0.0.1:9/', headers: { 'X-Key': '${TEST_SOURCE_HEADER}' } },
    { url: '${TEST_SOURCE_URL}' },
  ]
  for (const transport of transports) {
    const said = []
    const registry = createRegistry({
      artifact: project.artifact,
      sources: { shop: { transport } },
      audit: line => said.push(line),
      onLog: line => said.push(line),
      onHandlerError: error => said.push(String(error)),
    })
    afterTest(() => registry.close())
    await registry.load()
    const session = await registry.createSession({ mode: 'text' })
    said.push(await session.execute({ id: 'call-1', name: 'shop_count', args: {} }))
    expect(JSON.stringify(said)).not.toMatch(/S3CRET|second-line/)
    expect(said.at(-1)).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
  }
})

test('with tokens each principal is called with its own, and without one nobody is', async () => {
  const { tools } = await lockOf(program(TOOLS_SERVER).config)
  const definitions = Object.values(tools).map(({ definition }) => definition)
  const project = lockedProject({ shop: { definitions, reads: ['*'] } })
  await build(project)
  const asked = []
  const registry = createRegistry({
    artifact: project.artifact,
    sources: { shop: { transport: { url: 'http://127.0.0.1:9/mcp' } } },
    tokens: (...given) => void asked.push(given),
  })
  afterTest(() => registry.close())
  await registry.load()
  const session = await registry.createSession({ mode: 'text', principal: 'ada' })
  const answer = await session.execute({ id: 'call-1', name: 'shop_count', args: {} })
  expect(answer.error).toMatchObject({ type: 'AUTH', details: { source: 'shop' } })
  expect(asked).toEqual([['shop', 'ada']])
})

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
