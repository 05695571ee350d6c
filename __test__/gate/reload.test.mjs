// Versions: locking, reloading and watching a tool set, and what becomes of sessions that started with an older one.
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'

import { createRegistry, RegistryLoadError, RegistryVersionMismatch } from '../../index.js'
import { eventLoop, eventually } from '../support/gate.mjs'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { afterTest, compileTools, temporaryFolder, toolSet, writeTools } from '../support/tool-set.mjs'

/** Its answer names the tool set it runs in. */
const source = 'export function execute({ meta }) { return { ok: true, data: meta.version } }\n'
const FIRST = { word: { source, version: '1.0.0' } }
const SECOND = { word: { source, version: '2.0.0' }, extra: {} }

async function loaded(options) {
  const { folder, artifact } = await toolSet(FIRST)
  const lines = []
  const registry = createRegistry({
    artifact,
    audit: line => lines.push(JSON.parse(line)),
    environment: 'development',
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const change = () => {
    writeTools(folder, SECOND)
    return compileTools(folder)
  }
  return { registry, lines, folder, artifact, change }
}

const ask = async session => (await session.execute({ name: 'word' })).data

test('snapshot needs a lock, and then says what runs', async () => {
  const { registry } = await loaded()
  expect(() => registry.snapshot()).toThrow(/needs lock\(\) first/)
  registry.lock()
  registry.lock()
  expect(registry.snapshot()).toEqual({
    version: registry.getVersion(),
    gitCommit: null,
    tools: [{ toolId: 'word', version: '1.0.0', category: 'utility' }],
  })
})

test('a locked registry is not reloaded', async () => {
  const { registry, change } = await loaded()
  registry.lock()
  const before = registry.getVersion()
  await change()
  await expect(registry.reload()).rejects.toThrow(/locked/)
  expect(registry.getVersion()).toBe(before)
})

test('a reload brings tools, handlers and a version; without a change it does nothing', async () => {
  const { registry, change } = await loaded()
  const tools = registry.tools
  expect(await registry.reload()).toBe(registry)
  expect(registry.tools).toBe(tools)
  const { version } = await change()
  await registry.reload()
  expect(registry.getVersion()).toBe(version)
  expect([...registry.tools.keys()]).toEqual(['extra', 'word'])
  const session = await registry.createSession({ mode: 'text' })
  expect(await ask(session)).toBe('2.0.0')
})

test.each([
  ['cut', '{'],
  ['of another version', '{"artifactVersion":99}'],
])('a tool set that is %s leaves the old one in place', async (_what, text) => {
  const { registry, artifact } = await loaded()
  const session = await registry.createSession({ mode: 'text' })
  const before = registry.getVersion()
  writeFileSync(artifact, text)
  await expect(registry.reload()).rejects.toThrow(RegistryLoadError)
  expect(registry.getVersion()).toBe(before)
  expect(await ask(session)).toBe('1.0.0')
})

describe.each(['development', 'production'])('%s: a session after a reload', environment => {
  test('continues with its own tools until its turn ends, and has the new ones from its next turn', async () => {
    const { registry, change, lines } = await loaded({ environment })
    const session = await registry.createSession({ sessionId: 'old', mode: 'text' })
    const page = await registry.createSession({ sessionId: 'old', mode: 'text' })
    await session.beginTurn('one')
    const before = registry.getVersion()
    await change()
    await registry.reload()
    for (const own of [session, page]) {
      await own.beginTurn('one')
      expect([await ask(own), own.toolsVersion]).toEqual(['1.0.0', before])
      expect((await own.execute({ name: 'extra' })).error.type).toBe('NOT_FOUND')
      expect((await own.executeAll([{ name: 'word' }]))[0].meta.registryVersion).toBe(before)
    }
    expect(session.declared('openai').map(({ function: { name } }) => name)).toEqual(['word'])

    for (const own of [session, page]) {
      await own.beginTurn('two')
      expect([await ask(own), own.toolsVersion]).toEqual(['2.0.0', registry.getVersion()])
      expect((await own.execute({ name: 'extra' })).ok).toBe(true)
    }
    expect(session.declared('openai').map(({ function: { name } }) => name)).toEqual(['extra', 'word'])
    // Every line is heard by then.
    await registry.close()
    const told = lines.filter(({ event }) => event === 'registry_version_mismatch')
    expect(told).toEqual([
      expect.objectContaining({
        sessionId: 'old',
        sessionVersion: before,
        registryVersion: registry.getVersion(),
      }),
    ])
  })

  test('has the new tools with the turn that the gate begins, too', async () => {
    const { registry, change } = await loaded({ environment })
    const session = await registry.createSession({ mode: 'text', turnPauseMs: 60_000 })
    const said = id => session.execute({ name: 'word', message: { id } }).then(({ data }) => data)
    expect(await said('m1')).toBe('1.0.0')
    await change()
    await registry.reload()
    expect([await said('m1'), await said('m2')]).toEqual(['1.0.0', '2.0.0'])
  })
})

test('a call that runs while the next turn begins ends with its own handler, and a tool that is gone is not found', async () => {
  let answer
  const { folder, artifact } = await toolSet({ slow: {}, word: {} })
  const slow = () => new Promise(resolve => (answer = () => resolve({ ok: true, data: 'old' })))
  const registry = createRegistry({ artifact, handlers: { slow }, audit: 'none', environment: 'development' })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text' })
  await session.beginTurn()
  const running = session.execute({ id: 'call_slow_000001', name: 'slow' })
  await eventually(() => answer !== undefined, 'the call did not start')
  rmSync(`${folder}/slow`, { recursive: true })
  await compileTools(folder)
  await registry.reload()
  await session.beginTurn()
  answer()
  expect(await running).toMatchObject({ ok: true, data: 'old' })
  expect((await session.execute({ name: 'slow' })).error.type).toBe('NOT_FOUND')
  expect((await session.execute({ name: 'word' })).ok).toBe(true)
})

test('development: a call that states an older version throws, naming both', async () => {
  const { registry, change } = await loaded()
  const expected = registry.getVersion()
  const { version: actual } = await change()
  await registry.reload()
  const call = registry.executeTool('word', { args: {}, session: { toolsVersion: expected } })
  const error = await call.catch(failure => failure)
  expect(error).toBeInstanceOf(RegistryVersionMismatch)
  expect(error).toMatchObject({ code: 'REGISTRY_VERSION_MISMATCH', expected, actual })
})

test('production: a call that states an older version runs, with a warning and an audit line', async () => {
  const heard = []
  const { registry, change, lines } = await loaded({ environment: 'production', onLog: line => heard.push(line) })
  const toolsVersion = registry.getVersion()
  await change()
  await registry.reload()
  const call = toolsVersion => registry.executeTool('word', { args: {}, session: { sessionId: 'host', toolsVersion } })
  expect((await call(registry.getVersion())).ok).toBe(true)
  expect(heard).toEqual([])
  expect(await call(toolsVersion)).toMatchObject({ ok: true, data: '2.0.0' })
  const versions = { sessionVersion: toolsVersion, registryVersion: registry.getVersion() }
  expect(heard).toEqual([expect.objectContaining({ level: 'warn', ...versions })])
  // Every line is heard by then.
  await registry.close()
  const told = lines.filter(line => line.event === 'registry_version_mismatch')
  expect(told).toEqual([expect.objectContaining({ sessionId: 'host', ...versions })])
})

test('handlers are imported anew, and a session joined after the reload keeps those of its own tool set', async () => {
  const says = word => ({ word: { source: `export const execute = () => ({ ok: true, data: '${word}' })\n` } })
  const { folder, artifact } = await toolSet(says('first'))
  const second = temporaryFolder()
  writeTools(second, says('second'))
  // In a process of its own: jest keeps the text of modules that it has read.
  const { stdout, stderr } = await runModule(`
    import { cpSync } from 'node:fs'
    import { buildTools, createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, environment: 'production' }).load()
    const ask = async sessionId => (await (await registry.createSession({ sessionId, mode: 'text' })).execute({ name: 'word' })).data
    const before = await ask('a')
    await registry.createSession({ sessionId: 'old', mode: 'text' })
    cpSync(${JSON.stringify(second)}, ${JSON.stringify(folder)}, { recursive: true })
    await buildTools({ toolsDir: ${JSON.stringify(folder)} })
    await registry.reload()
    console.log(JSON.stringify([before, await ask('new'), await ask('old')]))
  `)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(['first', 'second', 'first'])
})

test('production: a session that is joined after the reload keeps its own tools', async () => {
  const { registry, change } = await loaded({ environment: 'production' })
  await registry.createSession({ sessionId: 'old', mode: 'text' })
  await change()
  await registry.reload()
  const joined = await registry.createSession({ sessionId: 'old', mode: 'text' })
  const { ok, data, meta } = await joined.execute({ name: 'word' })
  expect({ ok, data, toolVersion: meta.toolVersion }).toEqual({ ok: true, data: '1.0.0', toolVersion: '1.0.0' })
})

test("executeAll orders by the session's own tools after a reload", async () => {
  const order = []
  const note = name => async () => {
    order.push(`${name} starts`)
    await eventLoop()
    order.push(`${name} ends`)
    return { ok: true }
  }
  const kinds = kind => ({ one: { kind }, two: { kind } })
  const { folder, artifact } = await toolSet(kinds('write'))
  const registry = createRegistry({
    artifact,
    environment: 'production',
    handlers: { one: note('one'), two: note('two') },
  })
  await registry.load()
  afterTest(() => registry.close({ timeoutMs: 0 }))
  const session = await registry.createSession({ mode: 'text' })
  writeTools(folder, kinds('pure'))
  await compileTools(folder)
  await registry.reload()
  await session.executeAll([{ name: 'one' }, { name: 'two' }])
  expect(order).toEqual(['one starts', 'one ends', 'two starts', 'two ends'])
})

describe('watch', () => {
  test('reloads when the tool set is built again, until it is stopped', async () => {
    const { registry, change, folder } = await loaded()
    const heard = []
    const stop = registry.watch(version => heard.push(version))
    const { version } = await change()
    await eventually(() => heard.length > 0, 'the new version was not heard of')
    expect(heard[0]).toBe(version)
    expect(registry.getVersion()).toBe(version)
    stop()
    stop()
    writeTools(folder, { word: { source, version: '3.0.0' } })
    await compileTools(folder)
    const seen = heard.length
    await once(AbortSignal.timeout(150), 'abort')
    expect([heard.length, registry.getVersion()]).toEqual([seen, version])
  })

  test('tells of a tool set that does not load, and goes on', async () => {
    const thrown = []
    const { registry, change, artifact } = await loaded({ onHandlerError: error => thrown.push(error) })
    const before = registry.getVersion()
    const stop = registry.watch()
    writeFileSync(artifact, '{')
    await eventually(() => thrown.length > 0, 'the failure was not told')
    expect(thrown[0]).toBeInstanceOf(RegistryLoadError)
    expect(registry.getVersion()).toBe(before)
    const { version } = await change()
    await eventually(() => registry.getVersion() === version, 'the next version was not loaded')
    stop()
  })
})
