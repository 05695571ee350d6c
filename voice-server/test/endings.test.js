// Ends of voice sessions: by a tool after the farewell, by the user, by a user timeout that outlives reconnects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture } from './support/fixture.js'

test('end_voice_session: the farewell is spoken, then everything is closed', async t => {
  const args = { reason: 'user_said_goodbye', final_message: 'Bye.', text_response: 'See https://example.org' }
  const { sim, start } = await startFixture(t, {
    rules: [
      on('bye', [call('end_voice_session', args)], [say('{{result.data.finalMessage}}')]),
      on('hello', [call('kb_search', { query: 'rust' })], [say('hi')]),
    ],
  })
  const client = await start()
  client.say('bye')
  assert.equal(await client.answer(), 'Bye.')
  const ended = await client.next('ended')
  assert.deepEqual(ended, {
    type: 'ended',
    cause: 'tool',
    reason: 'user_said_goodbye',
    closingMessage: 'Bye.',
    textResponse: 'See https://example.org',
    resumable: true,
  })
  assert.equal((await client.closed).code, 1000)
  await (
    await sim.live.whenConnected()
  ).closed

  const { sessionId, resumeToken } = client.started
  const again = await start({ sessionId, resumeToken })
  assert.equal(again.started.resumed, true)
  again.say('hello')
  assert.equal(await again.answer(), 'hi')
  again.say('hello')
  assert.equal(await again.answer(), 'hi')
  assert.deepEqual(again.ofType('ended'), [])
})

test('a tool that ends at once does not wait for the farewell', async t => {
  const cue_set = async () => ({
    ok: true,
    data: { reason: 'emergency' },
    intents: [{ type: 'END_VOICE_SESSION', after: 'immediately' }],
  })
  const { start } = await startFixture(t, {
    handlers: { cue_set },
    rules: [on('stop', [call('cue_set')], [{ wait: 60_000 }, say('too late')])],
  })
  const client = await start()
  client.say('stop')
  assert.equal((await client.next('ended')).cause, 'tool')
  await client.closed
  assert.equal(client.said(), '')
})

test('a model that never finishes its farewell is not waited for', async t => {
  const { start } = await startFixture(t, {
    rules: [
      {
        when: { user: 'bye' },
        steps: [{ emit: [call('end_voice_session')] }, { emit: [say('well, ')], complete: false }],
      },
    ],
    server: { limits: { farewellTimeoutMs: 50 } },
  })
  const client = await start()
  client.say('bye')
  assert.equal((await client.next('ended')).cause, 'tool')
})

test('suppressed transcripts and audio are not passed on', async t => {
  const intents = [
    { type: 'SUPPRESS_TRANSCRIPT', value: true },
    { type: 'SUPPRESS_AUDIO', value: true },
  ]
  const { start } = await startFixture(t, {
    handlers: { cue_set: async () => ({ ok: true, intents }) },
    rules: [on('hush', [say('before'), call('cue_set')], [say('after')])],
  })
  const client = await start()
  client.say('hush')
  await client.next('turnComplete')
  assert.equal(client.said(), 'before')
  assert.equal(client.ofType('audio').length, 1)
})

test('ignore_user: the farewell is heard, then the user is refused, on reconnect too', async t => {
  const { sim, start, open } = await startFixture(t, {
    rules: [
      on(
        'idiot',
        [call('ignore_user', { duration_seconds: 60, farewell_message: 'Not like this.' })],
        [say('Not like this.'), { wait: 1500 }],
      ),
    ],
  })
  const client = await start()
  client.say('idiot')
  const timeout = await client.next('timeout')
  assert.deepEqual([timeout.durationSeconds, timeout.message], [60, 'Not like this.'])
  assert.ok(timeout.timeoutUntil > Date.now() + 50_000)
  await client.next('toolResult')
  client.say('sorry')
  client.send(Buffer.alloc(320))
  const refused = await client.next('error')
  assert.deepEqual([refused.code, refused.timeoutUntil], ['user_timeout', timeout.timeoutUntil])
  assert.equal((await client.next('ended')).cause, 'tool')
  assert.ok(client.ofType('audio').length > 0)
  assert.deepEqual(client.ofType('transcript'), [])
  assert.ok(
    !JSON.stringify(sim.received.map(({ json }) => json?.clientContent ?? json?.realtimeInput ?? null)).includes(
      'sorry',
    ),
  )

  const { sessionId, resumeToken } = client.started
  const again = await open()
  again.send({ type: 'start', sessionId, resumeToken })
  const stillRefused = await again.next('error')
  assert.deepEqual([stillRefused.code, stillRefused.timeoutUntil], ['user_timeout', timeout.timeoutUntil])
  assert.equal((await again.closed).code, 4002)
  assert.equal(sim.live.connections.length, 1)
})

test('a user who is paused cannot end the pause by hanging up', async t => {
  const { start, open } = await startFixture(t, {
    rules: [on('idiot', [call('ignore_user', { duration_seconds: 60, farewell_message: 'Bye.' })], [{ wait: 60_000 }])],
  })
  const client = await start()
  client.say('idiot')
  await client.next('timeout')
  await client.next('toolResult')
  client.send({ type: 'end' })
  assert.equal((await client.next('ended')).resumable, true)
  const { sessionId, resumeToken } = client.started
  const again = await open()
  again.send({ type: 'start', sessionId, resumeToken })
  assert.equal((await again.next('error')).code, 'user_timeout')
})

test('a user who hangs up ends the session for good', async t => {
  const { sim, start, open } = await startFixture(t, { rules: [] })
  const client = await start()
  client.send({ type: 'end' })
  const ended = await client.next('ended')
  assert.deepEqual([ended.cause, ended.resumable], ['client', false])
  assert.equal((await client.closed).code, 1000)
  await (
    await sim.live.whenConnected()
  ).closed
  const { sessionId, resumeToken } = client.started
  const again = await open()
  again.send({ type: 'start', sessionId, resumeToken })
  assert.equal((await again.next('error')).code, 'resume_refused')
})

test('what a tool wants said next is said to the model at the next turn', async t => {
  const cue_set = async () => ({
    ok: true,
    intents: [{ type: 'SET_PENDING_MESSAGE', message: 'Remember the red door.' }],
  })
  const { sim, start } = await startFixture(t, {
    handlers: { cue_set },
    rules: [on('note', [call('cue_set')], [say('noted')]), on({ contains: 'next' }, [say('ok')])],
  })
  const client = await start()
  client.say('note')
  await client.answer()
  client.say('what is next')
  await client.answer()
  const said = sim.received
    .flatMap(({ json }) => json?.clientContent?.turns ?? [])
    .map(({ parts }) => parts.map(({ text }) => text))
  assert.deepEqual(said, [['note'], ['Remember the red door.', 'what is next']])
})

test('a tool that has something to say to a client that is gone is told so', async t => {
  const started = latch()
  const gone = latch()
  const failed = latch()
  const slow_read = async ({ messaging }) => {
    started.open()
    await gone.opened
    try {
      await messaging.send({ type: 'news' })
    } catch (error) {
      failed.open(error)
      throw error
    }
    return { ok: true, data: {} }
  }
  const { sim, start } = await startFixture(t, {
    handlers: { slow_read },
    rules: [on('go', [call('slow_read')], [say('done')])],
  })
  const client = await start()
  client.say('go')
  await started.opened
  await client.close()
  // The server has closed the provider's connection: it knows that the client is gone.
  await (
    await sim.live.whenConnected()
  ).closed
  gone.open()
  const error = await failed.opened
  assert.deepEqual([error.type, error.retryable], ['TRANSIENT', true])
})
