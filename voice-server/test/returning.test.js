// A client that is lost while calls run, and returns: what came of them is shown to it, and the model says it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRegistry } from 'toolgate'
import { createVoiceServer } from '../server.js'
import { call, latch, on, recordingLogger, say, startFixture } from './support/fixture.js'
import { VoiceClient } from './support/voice-client.js'

const ID = 'function-call-4711471147114711'
const DONE = 'it is done'
const isDone = ({ type, direction, text }) => type === 'transcript' && direction === 'output' && text === DONE
const rules = [
  on({ contains: 'asked earlier' }, [say(DONE)]),
  on({ contains: 'The user confirmed' }, [say(DONE)]),
  { when: { results: 'job_run' }, steps: [{ emit: [say(DONE)] }] },
  on('go', [call('cue_set', { cue: 'a' }, { id: ID })], [say('never')]),
  on('start', [call('job_run', { job: 'a' }, { id: ID })], [say('it has begun')]),
  on('note', [call('note_save', { text: 'milk' }, { id: ID })], [say('shall I?')]),
  on('hello', [say('hi')]),
]

function held() {
  const [started, released, ended] = [latch(), latch(), latch()]
  const handler = async () => {
    handler.runs += 1
    started.open()
    await released.opened
    // By then the gate has ended it, with no client there.
    setTimeout(ended.open, 100)
    return { ok: true, data: { saved: true } }
  }
  return Object.assign(handler, {
    runs: 0,
    started: started.opened,
    ended: ended.opened,
    release: released.open,
  })
}

const isEnd = ({ type, pending }) => type === 'toolResult' && pending === undefined
const again = ({ started: { sessionId, resumeToken } }) => ({ sessionId, resumeToken })
for (const provider of ['gemini', 'openai']) {
  for (const when of ['before', 'after']) {
    test(`${provider}: a client that returns ${when} the end of a write: its result is shown and told, once`, async t => {
      const cue_set = held()
      const { start, written } = await startFixture(t, { provider, rules, handlers: { cue_set } })
      const first = await start()
      first.say('go')
      await cue_set.started
      await first.close()
      if (when === 'after') {
        cue_set.release()
        await cue_set.ended
      }
      const second = await start(again(first))
      cue_set.release()
      await second.next(isDone)
      await second.next('turnComplete')
      second.say('hello')
      await second.next(({ text }) => text === 'hi')
      assert.deepEqual(
        second.ofType('toolResult').map(({ id, ok }) => [id, ok]),
        [[ID, true]],
      )
      assert.equal(second.frames.filter(isDone).length, 1)
      assert.deepEqual([cue_set.runs, written().filter(text => text.includes('asked earlier')).length], [1, 1])
    })

    test(`${provider}: a client that returns ${when} the end of a job: the same`, async t => {
      const job_run = held()
      const { start, audit, written } = await startFixture(t, { provider, rules, handlers: { job_run } })
      const first = await start()
      first.say('start')
      await first.next('turnComplete')
      await first.close()
      if (when === 'after') job_run.release()
      if (when === 'after') await job_run.ended
      const second = await start(again(first))
      job_run.release()
      await second.next(isDone)
      await second.next('turnComplete')
      second.say('hello')
      await second.next(({ text }) => text === 'hi')
      assert.deepEqual(
        second.ofType('toolResult').map(({ id, ok }) => [id, ok]),
        [[ID, true]],
      )
      assert.equal(second.frames.filter(isDone).length, 1)
      assert.deepEqual([job_run.runs, written().filter(text => text.includes('asked earlier')).length], [1, 1])
      assert.equal(audit.filter(({ event }) => event === 'result_delivered').length, 1)
    })
  }

  test(`${provider}: a client that is lost while what it confirmed runs: the card's outcome and the result`, async t => {
    const note_save = held()
    const { start } = await startFixture(t, { provider, rules, handlers: { note_save } })
    const first = await start()
    first.say('note')
    const { request } = await first.next('confirmation')
    await first.next('turnComplete')
    first.send({ type: 'confirm', token: request.token })
    await note_save.started
    await first.close()
    note_save.release()
    await note_save.ended
    const second = await start(again(first))
    const closed = await second.next('confirmationClosed')
    assert.deepEqual([closed.token, closed.outcome], [request.token, 'confirmed'])
    assert.equal((await second.next('toolResult')).ok, true)
    await second.next(isDone)
    assert.deepEqual([note_save.runs, second.ofType('confirmation')], [1, []])
  })
}

/** A second voice server on the store, with tools that do nothing. */
async function otherProcess(t, { artifact, store, sim, resumeSecret, provider = 'gemini' }) {
  const names = ['note_save', 'brief_save', 'slow_read', 'quick_read', 'cue_set', 'job_run', 'archive_read']
  const handlers = Object.fromEntries(names.map(name => [name, async () => ({ ok: true })]))
  const registry = createRegistry({ artifact, handlers, store })
  const other = await createVoiceServer({
    registry,
    allowAnonymous: true,
    [provider]: { apiKey: 'any', baseUrl: provider === 'openai' ? `${sim.url}/v1` : sim.url },
    limits: { pendingPollMs: 20 },
    resumeSecret,
    logger: recordingLogger(),
  })
  t.after(async () => {
    await other.close()
    await registry.close()
  })
  return { other, registry }
}

test('a client that returns to another process gets the result of its job there', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = { file: join(folder, 'sessions.sqlite') }
  const resumeSecret = 'a secret of at least thirty-two bytes'
  const job_run = held()
  const { start, server, artifact, sim } = await startFixture(t, {
    rules,
    handlers: { job_run },
    store,
    server: { resumeSecret },
  })
  const first = await start()
  first.say('start')
  await first.next('turnComplete')
  await first.close()
  job_run.release()
  await job_run.ended
  await server.close()
  const { other } = await otherProcess(t, { artifact, store, sim, resumeSecret })
  const second = await VoiceClient.start(other.url, again(first))
  t.after(() => second.socket.terminate())
  const { id, ok } = await second.next('toolResult')
  assert.deepEqual([id, ok], [ID, true])
  await second.next(isDone)
})

test('a client that returns to another process, where its call still runs: the confirmation that it repeats gets the outcome', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = { file: join(folder, 'sessions.sqlite') }
  const resumeSecret = 'a secret of at least thirty-two bytes'
  const note_save = held()
  const { start, artifact, sim, written } = await startFixture(t, {
    rules,
    handlers: { note_save },
    store,
    server: { resumeSecret },
  })
  const first = await start()
  first.say('note')
  const { request } = await first.next('confirmation')
  await first.next('turnComplete')
  first.send({ type: 'confirm', token: request.token })
  await note_save.started
  await first.close()
  const { other, registry } = await otherProcess(t, { artifact, store, sim, resumeSecret })
  // The page answers `started` before the server has looked for pending confirmations.
  const looked = latch()
  const createSession = registry.createSession.bind(registry)
  registry.createSession = async options => {
    const session = await createSession(options)
    const listPending = session.listPending.bind(session)
    return Object.assign(session, { listPending: () => looked.opened.then(listPending) })
  }
  const second = await VoiceClient.start(other.url, again(first))
  t.after(() => second.socket.terminate())
  second.send({ type: 'confirm', token: request.token })
  // The pong follows what the server has read before it.
  second.socket.ping()
  await once(second.socket, 'pong')
  looked.open()
  const closed = await second.next('confirmationClosed')
  assert.deepEqual(
    [closed.outcome, closed.by, second.ofType('toolResult').filter(isEnd)],
    ['confirmed', 'elsewhere', []],
  )
  note_save.release()
  const { id, name, ok } = await second.next(isEnd)
  assert.deepEqual([id, name, ok], [ID, 'note_save', true])
  await second.next(isDone)
  assert.equal(second.ofType('toolResult').filter(isEnd).length, 1)
  assert.deepEqual([note_save.runs, written().filter(text => text.includes('"saved":true')).length], [1, 1])
  // A second repetition gets the same.
  second.send({ type: 'confirm', token: request.token })
  assert.equal((await second.next('toolResult')).id, ID)
})

for (const provider of ['gemini', 'openai']) {
  for (const when of ['while it runs', 'after its end']) {
    test(`${provider}: a client that returns to another process (${when}): what it confirmed is shown and told there, once`, async t => {
      const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
      t.after(() => rm(folder, { recursive: true, force: true }))
      const store = { file: join(folder, 'sessions.sqlite') }
      const resumeSecret = 'a secret of at least thirty-two bytes'
      const note_save = held()
      const options = { provider, rules, handlers: { note_save }, store, server: { resumeSecret } }
      const { start, artifact, sim, written } = await startFixture(t, options)
      const first = await start()
      first.say('note')
      const { request } = await first.next('confirmation')
      await first.next('turnComplete')
      // It is not repeated: who has spoken, or pressed a key, has no answer to send again.
      first.send({ type: 'confirm', token: request.token })
      await note_save.started
      await first.close()
      if (when === 'after its end') {
        note_save.release()
        await note_save.ended
      }
      const { other } = await otherProcess(t, { artifact, store, sim, resumeSecret, provider })
      const second = await VoiceClient.start(other.url, again(first))
      t.after(() => second.socket.terminate())
      note_save.release()
      const { name, ok } = await second.next('toolResult')
      await second.next(isDone)
      await second.next('turnComplete')
      second.say('hello')
      await second.next('turnComplete')
      assert.deepEqual([note_save.runs, name, ok], [1, 'note_save', true])
      assert.equal(second.ofType('toolResult').length, 1)
      assert.equal(written().filter(text => text.includes('"saved":true')).length, 1)
    })
  }
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: what the model has said of a confirmed write is owed to nobody`, async t => {
    const note_save = held()
    const { start, registry } = await startFixture(t, { provider, rules, handlers: { note_save } })
    const client = await start()
    client.say('note')
    const { request } = await client.next('confirmation')
    await client.next('turnComplete')
    client.send({ type: 'confirm', token: request.token })
    await note_save.started
    note_save.release()
    await client.next(isDone)
    await client.next('turnComplete')
    client.say('hello')
    await client.next('turnComplete')
    await client.close()
    const session = await registry.createSession({ ...again(client), mode: 'text' })
    const owed = []
    for await (const { callId } of session.results({ wait: false })) owed.push(callId)
    assert.deepEqual([note_save.runs, owed], [1, []])
  })
}

test('a client that returns twice at once: the call that was overtaken while it started keeps nothing from the last', async t => {
  const cue_set = held()
  const { start, open } = await startFixture(t, { rules, handlers: { cue_set } })
  const first = await start()
  first.say('go')
  await cue_set.started
  await first.close()
  cue_set.release()
  await cue_set.ended
  const [second, third] = [await open(), await open()]
  for (const client of [second, third]) client.send({ type: 'start', ...again(first) })
  const { id, ok } = await third.next('toolResult')
  assert.deepEqual([id, ok, cue_set.runs], [ID, true, 1])
  await third.next(isDone)
})
