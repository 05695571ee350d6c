// Cancelled calls, and barge-in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const ID = 'function-call-4711471147114711'

/** A handler that runs until its signal aborts or the test releases it. */
function holding() {
  const started = latch()
  const aborted = latch()
  const released = latch()
  const handler = async ({ signal }) => {
    signal.addEventListener('abort', aborted.open)
    started.open()
    await Promise.race([aborted.opened, released.opened])
    return { ok: true, data: {} }
  }
  return { handler, started: started.opened, aborted: aborted.opened, release: released.open }
}

test('a call that the provider cancels is aborted, told to the client, and never answered', async t => {
  const read = holding()
  const { sim, start, answers } = await startFixture(t, {
    handlers: { slow_read: read.handler },
    rules: [on('go', [call('slow_read', {}, { id: ID })], [say('never')]), on('more', [say('and more')])],
  })
  const client = await start()
  client.say('go')
  await read.started
  const provider = await sim.live.whenConnected()
  provider.send({ toolCallCancellation: { ids: [ID] } })
  await read.aborted
  const { durationMs, message, ...result } = await client.next('toolResult')
  assert.deepEqual(result, {
    type: 'toolResult',
    id: ID,
    name: 'slow_read',
    title: 'Slow read',
    ok: false,
    errorType: 'CANCELLED',
  })
  assert.ok(durationMs >= 0 && message.length > 0)
  client.say('more')
  await client.next('turnComplete')
  assert.deepEqual(answers(), [])
  assert.deepEqual(sim.anomalies, [])
})

test('of two calls of a message the one that was not cancelled is answered', async t => {
  const read = holding()
  const other = 'function-call-1111111111111111'
  const { sim, start, answers } = await startFixture(t, {
    handlers: { slow_read: context => (context.args.what === 'a' ? read.handler(context) : { ok: true, data: {} }) },
    rules: [
      on(
        'go',
        [
          {
            calls: [
              { name: 'slow_read', args: { what: 'a' }, id: ID },
              { name: 'slow_read', args: { what: 'b' }, id: other },
            ],
          },
        ],
        [say('half')],
      ),
    ],
  })
  const client = await start()
  client.say('go')
  await read.started
  sim.live.connections[0].send({ toolCallCancellation: { ids: [ID] } })
  await read.aborted
  await sim.whenReceived(({ json }) => json?.toolResponse)
  assert.deepEqual(
    answers().map(({ id }) => id),
    [other],
  )
})

test('a user who talks over the model stops it: playback is interrupted, the call is cancelled, the new words are answered', async t => {
  const read = holding()
  const { sim, start, answers } = await startFixture(t, {
    handlers: { slow_read: read.handler },
    rules: [
      on('go', [say('let me look'), call('slow_read', {}, { id: ID })], [say('never')]),
      on('stop', [say('stopped')]),
    ],
  })
  const client = await start()
  client.say('go')
  await read.started
  client.say('stop')
  await client.next('interrupted')
  await read.aborted
  const from = client.frames.length
  await client.next(({ type, text }) => type === 'transcript' && text === 'stopped')
  await client.next('turnComplete')
  assert.ok(!client.said(from).includes('never'))
  assert.deepEqual(answers(), [])
  assert.deepEqual(sim.anomalies, [])
})

test('after an interruption what was read is dropped, what was written is reported, and what had not begun never runs', async t => {
  const read = holding()
  const write = holding()
  let later = 0
  const { sim, start, answers } = await startFixture(t, {
    handlers: {
      slow_read: read.handler,
      cue_set: write.handler,
      note_save: async () => ({ ok: true, data: { runs: (later += 1) } }),
    },
    rules: [
      on('write', [
        {
          calls: [
            { name: 'cue_set', id: ID },
            { name: 'cue_set', args: { cue: 'later' }, id: `${ID}3` },
          ],
        },
      ]),
      on('read', [call('slow_read', {}, { id: `${ID}2` })]),
    ],
  })
  const client = await start()
  client.say('write')
  await write.started
  // This provider interrupts without a cancellation.
  const interrupt = async () => {
    sim.live.connections[0].send({ serverContent: { interrupted: true } })
    await client.next('interrupted')
    sim.live.connections[0].send({ serverContent: { inputTranscription: { text: 'wait' } } })
    await client.next(({ type, direction }) => type === 'transcript' && direction === 'input')
  }
  await interrupt()
  write.release()
  await sim.whenReceived(() => answers().length === 2)
  await client.next(({ type, id, ok }) => type === 'toolResult' && id === ID && ok)
  assert.deepEqual(
    answers()
      .map(({ id, scheduling, response }) => [id, scheduling, response.ok])
      .toSorted(),
    [
      [ID, 'WHEN_IDLE', true],
      [`${ID}3`, 'SILENT', false],
    ],
  )
  const results = client.ofType('toolResult').map(({ id, ok, errorType }) => [id, ok, errorType])
  assert.deepEqual(results.toSorted(), [
    [ID, true, undefined],
    [`${ID}3`, false, 'CANCELLED'],
  ])

  client.say('read')
  await read.started
  await interrupt()
  await read.aborted
  assert.equal(
    (await client.next(({ type, name }) => type === 'toolResult' && name === 'slow_read')).errorType,
    'CANCELLED',
  )
  client.send({ type: 'audioEnd' })
  await sim.whenReceived(({ json }) => json?.realtimeInput?.audioStreamEnd)
  assert.deepEqual(
    [
      answers()
        .map(({ response }) => response.ok)
        .toSorted(),
      later,
    ],
    [[false, false, true], 0],
  )
})

test('a call whose cancellation comes first does not run, and is never answered', async t => {
  let runs = 0
  const { sim, start, answers } = await startFixture(t, {
    handlers: { note_save: () => ({ ok: true, data: { runs: (runs += 1) } }) },
    rules: [on('go', [call('note_save', {}, { id: ID })], [say('never')]), on('more', [say('and more')])],
  })
  const client = await start()
  const provider = await sim.live.whenConnected()
  provider.send({ toolCallCancellation: { ids: [ID] } })
  client.say('go')
  const { ok, errorType } = await client.next('toolResult')
  assert.deepEqual({ ok, errorType }, { ok: false, errorType: 'CANCELLED' })
  client.say('more')
  await client.next('turnComplete')
  assert.equal(runs, 0)
  assert.deepEqual(answers(), [])
})
