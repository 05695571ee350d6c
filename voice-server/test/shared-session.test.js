// Voice asks, a text page in another process answers: both share only a file and the browser's credentials.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call, on, say, startFixture } from './support/fixture.js'

const rules = [on('save', [call('note_save', { text: 'milk' })], [say('It waits for you.')])]

/** The text page in its own process: finds the question, answers it, and prints the result. */
const PAGE = `
  import { createRegistry } from 'toolgate'
  const { artifact, file, sessionId, resumeToken } = JSON.parse(process.env.ORDERS)
  const handlers = { brief_save: () => {}, note_save: ({ args }) => ({ ok: true, data: { saved: args.text, by: 'page' } }), slow_read: () => {}, quick_read: () => {}, cue_set: () => {} }
  const registry = createRegistry({ artifact, handlers, store: { file } })
  await registry.load()
  const told = {}
  await registry.createSession({ sessionId, resumeToken: 'somebody else', mode: 'text' }).catch((error) => { told.stranger = error.type })
  const session = await registry.createSession({ sessionId, resumeToken, mode: 'text' })
  const [pending] = await session.listPending()
  told.mode = pending.mode
  told.token = pending.token
  told.response = await session.confirm(pending.token)
  console.log(JSON.stringify(told))
  await registry.close()
`

test('what voice asks, the text page confirms in another process; it runs once', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-shared-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'sessions.sqlite')
  let runs = 0
  const fixture = await startFixture(t, {
    rules,
    store: { file },
    handlers: { note_save: async () => ({ ok: true, data: { runs: (runs += 1) } }) },
    server: { limits: { pendingPollMs: 50 } },
  })
  const client = await fixture.start()
  client.say('save')
  const { request } = await client.next('confirmation')
  const { sessionId, resumeToken } = client.started
  const orders = { artifact: fixture.artifact, file, sessionId, resumeToken }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PAGE], {
    env: { ...process.env, ORDERS: JSON.stringify(orders) },
    cwd: new URL('..', import.meta.url),
    timeout: 240_000,
  })
  const told = JSON.parse(stdout)
  assert.equal(told.stranger, 'AUTH')
  assert.deepEqual([told.mode, told.token], ['voice', request.token])
  assert.deepEqual([told.response.ok, told.response.data], [true, { saved: 'milk', by: 'page' }])
  const { outcome, by } = await client.next('confirmationClosed')
  assert.deepEqual([outcome, by], ['confirmed', 'elsewhere'])
  assert.equal((await client.next('toolResult')).ok, true)
  await fixture.sim.whenReceived(() => fixture.written().some(text => text.includes('"by":"page"')))
  client.send({ type: 'confirm', token: request.token })
  assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
  assert.equal(runs, 0)
})
