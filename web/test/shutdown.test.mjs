// Shutdown of the server: audit lines are on disk, and the process ends by itself.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

test('a terminated server leaves a line for each call in its audit', { timeout: 60_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-audit-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'audit.jsonl')
  const { env } = await simulate(t)
  const web = await startWeb(t, { env: { ...env, TOOLGATE_AUDIT: file } })
  const turn = await new Browser(web.url).say('Who knows about Rust?')
  await web.stop()
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
