// Shutdown of the server: audit lines are on disk, and the process ends by itself.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Browser } from './browser.mjs'
import { listen } from './handler-listener.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startWeb } from './web-server.mjs'

/** After so long it is answered without news: `WATCH_MS` in js/web/agent/routes.js. */
const WATCH_MS = 20_000

test('a terminated server leaves a line for each call in its audit', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-audit-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'audit.jsonl')
  const { env } = await simulate(t)
  const web = await startWeb(t, { env: { ...env, TOOLGATE_AUDIT: file } })
  const turn = await new Browser(web.url).say('Who knows about Rust?')
  process.kill(web.pid, 'SIGTERM')
  await web.ended
  const events = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const calls = events.filter(({ event }) => event === 'tool_execution')
  assert.deepEqual(
    calls.map(({ toolId, callId, ok }) => [toolId, callId, ok]),
    [['kb_search', turn.answers[0].meta.callId, true]],
  )
})

test('a signal lets running calls end and takes no new ones; the process ends with 0', async t => {
  const listener = await listen(t)
  const { env } = await simulate(t, callOnce({ name: 'slow_answer', args: {} }))
  const tools = { TOOLGATE_ARTIFACT: await buildTestTools(t), TOOLGATE_TEST_LISTENER: listener.url }
  const web = await startWeb(t, { env: { ...env, ...tools } })
  const started = once(listener.events, 'started')
  const turn = new Browser(web.url).say('go')
  await started
  process.kill(web.pid, 'SIGTERM')
  while (await isListening(new URL(web.url).port)) await pause(5)
  const [answer] = (await turn).answers
  assert.deepEqual([answer.ok, answer.data], [true, { said: 'done' }])
  assert.deepEqual(await web.ended, [0, null])
})

test('a request that waits for news is answered at a signal', async t => {
  const { env } = await simulate(t)
  const web = await startWeb(t, { env })
  const browser = new Browser(web.url)
  await browser.say('Who knows about Rust?')
  const asked = Date.now()
  const watched = browser.postJson('/api/confirmations/watch', { known: [] })
  await pause(500)
  process.kill(web.pid, 'SIGTERM')
  assert.equal((await watched).status, 200)
  assert.ok(Date.now() - asked < WATCH_MS)
  assert.deepEqual(await web.ended, [0, null])
})

/** Whether a new connection is taken. */
async function isListening(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
