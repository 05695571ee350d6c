// SIGTERM while many users talk: what their writes did is recorded.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildTools, createRegistry, formatReport } from 'toolgate'
import { startSimulator } from 'toolgate-simulator'
import { call, on } from './support/fixture.js'
import { startProgram } from './support/program.js'
import { VoiceClient } from './support/voice-client.js'

const SESSIONS = 100
/** Long enough that every write runs when the signal comes. */
const WRITE_MS = 1500

const HANDLER = `import { appendFileSync } from 'node:fs'
export async function execute({ session, args }) {
  const note = what => appendFileSync(process.env.TOOLGATE_TEST_NOTES, what + ' ' + session.sessionId + '\\n')
  note('begun')
  await new Promise(resolve => setTimeout(resolve, ${WRITE_MS}))
  note('done')
  return { ok: true, data: { by: session.sessionId } }
}
`
const SCHEMA = {
  toolId: 'pay',
  version: '1.0.0',
  description: 'Pays.',
  category: 'action',
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: false,
  allowedModes: ['voice'],
  latencyBudgetMs: 5000,
  parameters: { type: 'object', additionalProperties: false, properties: {} },
}

async function makeTool(folder) {
  mkdirSync(join(folder, 'tools/pay'), { recursive: true })
  writeFileSync(join(folder, 'tools/pay/schema.json'), JSON.stringify(SCHEMA))
  writeFileSync(join(folder, 'tools/pay/handler.js'), HANDLER)
  writeFileSync(join(folder, 'tools/pay/guide.md'), '# pay\n\nPays.\n')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const report = await buildTools({ toolsDir: join(folder, 'tools') })
  assert.ok(report.ok, formatReport(report))
  return join(folder, 'tools/tool_registry.json')
}

const linesOf = file => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [])

async function until(isTrue) {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 10))
}

test(`a SIGTERM under ${SESSIONS} voice sessions loses no result`, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-drain-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const rules = [on('pay', [call('pay')])]
  const sim = await startSimulator({ scenario: { name: 'drain', settings: { label: '' }, rules } })
  t.after(() => sim.close())
  const [notes, audit, store] = ['notes', 'audit.jsonl', 'sessions.sqlite'].map(name => join(folder, name))
  const artifact = await makeTool(folder)
  const { child, url } = await startProgram(t, {
    TOOLGATE_GEMINI_BASE_URL: sim.url,
    TOOLGATE_ARTIFACT: artifact,
    TOOLGATE_AUDIT: audit,
    TOOLGATE_STORE: store,
    TOOLGATE_TEST_NOTES: notes,
  })
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => VoiceClient.start(url)))
  const sessions = clients.map(({ started }) => started.sessionId).sort()
  for (const client of clients) client.say('pay')
  await until(() => linesOf(notes).filter(line => line.startsWith('begun')).length === SESSIONS)

  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  const sessionsOf = what =>
    linesOf(notes)
      .filter(line => line.startsWith(`${what} `))
      .map(line => line.slice(what.length + 1))
      .sort()
  assert.deepEqual([sessionsOf('begun'), sessionsOf('done')], [sessions, sessions])
  const executions = linesOf(audit)
    .map(line => JSON.parse(line))
    .filter(({ event }) => event === 'tool_execution')
  assert.deepEqual(
    executions.map(line => [line.sessionId, line.ok]).sort(),
    sessions.map(session => [session, true]),
  )
  for (const { frames } of clients) assert.equal(frames.at(-1).cause, 'shutdown')

  // Another server finds each result: the call that the model made is answered from its record.
  process.env.TOOLGATE_TEST_NOTES = notes
  const registry = createRegistry({ artifact, store: { file: store } })
  await registry.load()
  t.after(() => registry.close())
  const tokens = new Map(clients.map(({ started }) => [started.sessionId, started.resumeToken]))
  for (const { sessionId, callId } of executions) {
    const session = await registry.createSession({ sessionId, resumeToken: tokens.get(sessionId), mode: 'voice' })
    const { ok, data, meta } = await session.execute({ id: callId, name: 'pay', args: {} })
    assert.deepEqual([ok, data, meta._idempotent_cache_hit], [true, { by: sessionId }, true])
  }
  assert.equal(linesOf(notes).length, 2 * SESSIONS)
})
