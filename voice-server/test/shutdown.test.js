// Stopping the server, as a library and as a program.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildTools, formatReport } from 'toolgate'
import { createVoiceServer } from '../server.js'
import { VoiceClient } from './support/voice-client.js'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url))

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: close tells every client, ends the provider and frees the port`, async t => {
    const { model, server, start, open } = await startFixture(t, { provider, rules: [] })
    const started = await start()
    const waiting = await open()
    const { closed } = await model()
    await server.close()
    assert.deepEqual([started.frames.at(-1).type, started.frames.at(-1).cause], ['ended', 'shutdown'])
    assert.equal((await started.closed).code, 1001)
    assert.equal((await waiting.closed).code, 1001)
    await closed
    await assert.rejects(fetch(server.url.replace('ws:', 'http:')))
    await server.close()
  })
}

test('close does not wait for a client that does not answer', async t => {
  const { server, start } = await startFixture(t, { rules: [] })
  const client = await start()
  client.socket._socket.pause()
  await server.close()
})

test('a tool that runs while the server closes does no harm', async t => {
  const started = latch()
  const released = latch()
  const cue_set = async () => {
    started.open()
    await released.opened
    return { ok: true, data: {} }
  }
  const { server, start, logger } = await startFixture(t, {
    handlers: { cue_set },
    rules: [on('go', [call('cue_set')], [say('done')])],
  })
  const client = await start()
  client.say('go')
  await started.opened
  await server.close()
  released.open()
  await client.closed
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('what cannot work is said at once', async () => {
  await assert.rejects(createVoiceServer({ allowAnonymous: true }), /`gemini.apiKey` is missing/)
})

test('a client that answers no ping is taken for gone', async t => {
  const { server, open } = await startFixture(t, { rules: [], server: { limits: { heartbeatMs: 30 } } })
  const client = await open()
  client.socket.pong = () => {}
  client.socket._receiver.removeAllListeners('ping')
  assert.equal((await client.closed).code, 1006)
  assert.ok(server.port > 0)
})

test('a client that answers its pings stays', async t => {
  const { start } = await startFixture(t, { rules: [], server: { limits: { heartbeatMs: 1000 } } })
  const client = await start()
  for (let pings = 0; pings < 3; pings += 1) await once(client.socket, 'ping')
  assert.equal(client.socket.readyState, client.socket.OPEN)
})

test('the program starts without a key, talks, and stops on SIGTERM', async t => {
  const env = { PATH: process.env.PATH, PORT: '0', TOOLGATE_AUDIT: 'stdout' }
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const audit = []
  createInterface({ input: child.stdout }).on('line', line => audit.push(JSON.parse(line)))
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', line => {
      const { message, url: where } = JSON.parse(line)
      if (message === 'listening') resolve(where)
    })
    exited.then(([code]) => reject(new Error(`ended with ${code} before it listened`)))
  })
  const client = await VoiceClient.start(url)
  assert.equal(client.started.simulator, true)
  client.say('find audio projects')
  assert.match(await client.answer(), /\[simulator\]/)
  child.kill('SIGTERM')
  assert.equal((await client.next('ended')).cause, 'shutdown')
  assert.deepEqual(await exited, [0, null])
  assert.ok(audit.some(({ event, toolId }) => event === 'tool_execution' && toolId === 'kb_search'))
})

test('a stray error of a handler does not end the program, and its calls are answered', async t => {
  const { sim, artifact } = await startFixture(t, {
    handlers: {},
    rules: [on('throw', [call('throw_later', {})], [say('{{result.data}}')])],
  })
  const env = { PATH: process.env.PATH, PORT: '0', TOOLGATE_GEMINI_BASE_URL: sim.url, TOOLGATE_ARTIFACT: artifact }
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stderr })
  const log = []
  lines.on('line', line => log.push(line))
  const url = await new Promise(resolve => {
    lines.on('line', line => line.includes('"listening"') && resolve(JSON.parse(line).url))
  })
  const clients = await Promise.all([VoiceClient.start(url), VoiceClient.start(url)])
  for (const client of clients) client.say('throw')
  for (const client of clients) assert.equal(await client.answer(), 'fine')
  assert.ok(log.some(line => line.includes('a stray error')))
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('the program has the tools of the project that it is started in', async t => {
  const home = await mkdtemp(path.join(tmpdir(), 'toolgate-voice-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  await mkdir(path.join(home, 'tools/look'), { recursive: true })
  await writeFile(path.join(home, 'package.json'), '{"type":"module"}')
  await writeFile(
    path.join(home, 'tools/look/tool.mjs'),
    `import { defineTool } from '${import.meta.resolve('toolgate')}'
export default defineTool({
  description: 'Look.',
  sideEffects: 'read_only',
  parameters: { type: 'object', properties: {} },
  execute: () => 1,
})
`,
  )
  const report = await buildTools({ toolsDir: path.join(home, 'tools') })
  assert.equal(report.ok, true, formatReport(report))
  const env = { PATH: process.env.PATH, PORT: '0', GEMINI_API_KEY: 'any' }
  const child = spawn(process.execPath, [MAIN], { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, tools } = JSON.parse(line)
    if (event !== 'registry_loaded') continue
    assert.equal(tools, 1)
    break
  }
})

test('the program does not pretend in production', async () => {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: '0', NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines = []
  createInterface({ input: child.stderr }).on('line', line => lines.push(JSON.parse(line).message))
  assert.deepEqual(await once(child, 'close'), [1, null])
  assert.deepEqual(lines, ['GEMINI_API_KEY is missing'])
})
