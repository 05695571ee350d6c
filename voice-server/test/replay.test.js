// Nothing runs twice: neither if a provider repeats itself, nor after a reconnect on either side.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const ID = 'function-call-4711471147114711'

/** A handler that counts its runs. */
function counting(respond = () => ({ ok: true, data: { saved: true } })) {
  const handler = async context => {
    handler.runs += 1
    return respond(context)
  }
  handler.runs = 0
  return handler
}

test('the same call twice in one turn runs once and is answered twice', async t => {
  const cue_set = counting()
  const { start, answers } = await startFixture(t, {
    handlers: { cue_set },
    rules: [
      on('go', [call('cue_set', { cue: 'a' }, { id: ID })], [call('cue_set', { cue: 'a' }, { id: ID })], [say('done')]),
    ],
  })
  const client = await start()
  client.say('go')
  await client.answer()
  assert.equal(cue_set.runs, 1)
  assert.deepEqual(
    answers().map(({ id, response }) => [id, response.ok, response.meta?._idempotent_cache_hit ?? false]),
    [
      [ID, true, false],
      [ID, true, true],
    ],
  )
})

test('a client that reconnects, and a provider that replays the turn: one run', async t => {
  const cue_set = counting()
  const { sim, start, answers } = await startFixture(t, {
    handlers: { cue_set },
    rules: [
      {
        when: { event: 'setup', resumed: true },
        steps: [{ emit: [call('cue_set', { cue: 'a' }, { id: ID })] }, { emit: [say('as I said')] }],
      },
      on('go', [call('cue_set', { cue: 'a' }, { id: ID })], [say('done')]),
    ],
  })
  const first = await start()
  first.say('go')
  await first.answer()
  await first.close()

  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  assert.equal(second.started.resumed, true)
  assert.equal(second.started.turn, 1)
  assert.equal(await second.answer(), 'as I said')
  const { setup } = await sim.live.whenConnected(2)
  assert.match(setup.sessionResumption.handle, /^simulator-session-/)
  assert.equal(cue_set.runs, 1)
  assert.equal(answers()[1].response.meta._idempotent_cache_hit, true)
})

test('a client that goes while a tool runs: the run goes on, its replay joins it', async t => {
  const { open, opened } = latch()
  const started = latch()
  const cue_set = counting(async () => {
    started.open()
    await opened
    return { ok: true, data: { saved: true } }
  })
  const { start, answers } = await startFixture(t, {
    handlers: { cue_set },
    rules: [
      {
        when: { event: 'setup', resumed: true },
        steps: [{ emit: [call('cue_set', { cue: 'a' }, { id: ID })] }, { emit: [say('joined')] }],
      },
      on('go', [call('cue_set', { cue: 'a' }, { id: ID })], [say('done')]),
    ],
  })
  const first = await start()
  first.say('go')
  await started.opened
  await first.close()
  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  await second.next('toolCall')
  open()
  assert.equal(await second.answer(), 'joined')
  assert.equal(cue_set.runs, 1)
  assert.equal(answers().length, 1)
})

test('a provider that disconnects is taken up again where it left off, once, and repeats nothing', async t => {
  const cue_set = counting()
  const { sim, start, logger } = await startFixture(t, {
    handlers: { cue_set },
    rules: [
      {
        when: { event: 'setup', resumed: true },
        steps: [{ emit: [call('cue_set', { cue: 'a' }, { id: ID })] }, { emit: [say('back again')] }],
      },
      on('go', [call('cue_set', { cue: 'a' }, { id: ID })], [{ disconnect: true }]),
    ],
  })
  const client = await start()
  client.say('go')
  assert.equal((await client.next(({ type, provider }) => type === 'state' && provider)).provider, 'reconnected')
  assert.equal(await client.answer(), 'back again')
  assert.equal(cue_set.runs, 1)
  assert.equal(sim.live.connections.length, 2)
  assert.ok(logger.lines.some(({ message }) => message === 'provider connection lost'))
  assert.deepEqual(client.ofType('ended'), [])
})

for (const resumedCalls of ['forgotten', 'repeated', 'renewed']) {
  test(`a provider that loses its connection while a write runs, with open calls ${resumedCalls}: one run, one result`, async t => {
    const { open, opened } = latch()
    const started = latch()
    const cue_set = counting(async () => {
      started.open()
      await opened
      return { ok: true, data: { saved: 'cue a' } }
    })
    const { sim, start, answers, written } = await startFixture(t, {
      handlers: { cue_set },
      settings: { resumedCalls },
      rules: [
        on({ contains: 'The result of `cue_set`, asked earlier' }, [say('it is saved')]),
        on('go', [call('cue_set', { cue: 'a' })], [say('it is saved')]),
      ],
    })
    const client = await start()
    client.say('go')
    await started.opened
    sim.live.connections[0].disconnect()
    assert.equal((await client.next(({ type, provider }) => type === 'state' && provider)).provider, 'reconnected')
    open()
    assert.equal(await client.answer(), 'it is saved')
    const asText = written().filter(text => text.startsWith('[The result of'))
    assert.deepEqual(
      [cue_set.runs, answers().length, asText.length],
      resumedCalls === 'forgotten' ? [1, 0, 1] : [1, 1, 0],
    )
    assert.deepEqual(sim.anomalies, [])
  })
}

test('a conversation that the provider has forgotten begins anew, the session goes on', async t => {
  const { sim, start, logger } = await startFixture(t, { rules: [on('hello', [say('hi')])] })
  const first = await start()
  first.say('hello')
  await first.answer()
  ;(await sim.live.whenConnected()).send({ sessionResumptionUpdate: { newHandle: 'forgotten', resumable: true } })
  // Messages sent before this one have arrived when this one arrives.
  sim.live.connections[0].send({ serverContent: { interrupted: true } })
  await first.next('interrupted')
  await first.close()
  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  assert.deepEqual([second.started.resumed, second.started.turn], [true, 1])
  assert.ok(logger.lines.some(({ message }) => message === 'conversation could not be resumed, a new one begins'))
  second.say('hello')
  assert.match(await second.answer(), /hi/)
})

test('text that is typed while the provider is away reaches it', async t => {
  const { sim, start } = await startFixture(t, { rules: [on('hello', [say('hello back')])] })
  const client = await start()
  const provider = await sim.live.whenConnected()
  provider.disconnect()
  await provider.closed
  client.say('hello')
  assert.equal(await client.answer(), 'hello back')
})

test('a provider that disconnects again at once is given up, and the client can start again', async t => {
  const { sim, start } = await startFixture(t, {
    rules: [{ when: { event: 'setup', resumed: true }, steps: [{ emit: [{ disconnect: true }] }] }],
  })
  const client = await start()
  ;(await sim.live.whenConnected()).disconnect()
  assert.equal((await client.next('error')).code, 'provider_lost')
  const ended = await client.next('ended')
  assert.deepEqual([ended.cause, ended.resumable], ['provider_lost', true])
  assert.equal((await client.closed).code, 1011)
  assert.equal(sim.live.connections.length, 2)
})

test('a provider that announces its going is left when nobody speaks', async t => {
  const { sim, start } = await startFixture(t, { rules: [on('hello', [{ goAway: { timeLeft: '10s' } }, say('hi')])] })
  const client = await start()
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
  await client.next(({ type, provider }) => type === 'state' && provider === 'reconnected')
  const { code } = await (await sim.live.whenConnected(1)).closed
  assert.notEqual(code, 1006)
  assert.match((await sim.live.whenConnected(2)).setup.sessionResumption.handle, /^simulator-session-/)
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
})

test('a provider that is gone for good is reported', async t => {
  const { sim, start } = await startFixture(t, { rules: [] })
  const client = await start()
  await sim.close()
  assert.equal((await client.next('error')).code, 'provider_lost')
  assert.equal((await client.next('ended')).cause, 'provider_lost')
  assert.equal((await client.closed).code, 1011)
})

test('a provider that gave no way back is not asked again', async t => {
  const provider = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(provider, 'listening')
  t.after(() => provider.close())
  let connections = 0
  provider.on('connection', socket => {
    connections += 1
    socket.on('message', () => socket.send(JSON.stringify({ setupComplete: {} })))
  })
  const baseUrl = `http://127.0.0.1:${provider.address().port}`
  const { start } = await startFixture(t, { rules: [], server: { gemini: { apiKey: 'any', baseUrl } } })
  const client = await start()
  for (const socket of provider.clients) socket.close(1011, 'internal error')
  assert.equal((await client.next('ended')).cause, 'provider_lost')
  await client.closed
  assert.equal(connections, 1)
})

test('a provider frame that is no JSON ends nothing', async t => {
  const { start, logger } = await startFixture(t, {
    rules: [on('hello', [{ malformed: '{"broken' }, { malformed: '[1]' }, { malformed: 'null' }, say('still here')])],
  })
  const client = await start()
  client.say('hello')
  assert.equal(await client.answer(), 'still here')
  assert.equal(logger.lines.filter(({ message }) => message === 'provider sent a bad frame').length, 3)
})

test('a provider that cannot be reached is reported, and the session stays resumable', async t => {
  const { sim, open } = await startFixture(t, { rules: [] })
  await sim.close()
  const client = await open()
  client.send({ type: 'start' })
  assert.equal((await client.next('error')).code, 'provider_unavailable')
  assert.equal((await client.closed).code, 1011)
})

test('a connection that is overtaken while it starts does not live on beside the newer one', async t => {
  const provider = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(provider, 'listening')
  t.after(() => provider.close())
  const setups = []
  const asked = [latch(), latch(), latch()]
  provider.on('connection', socket => {
    socket.on('message', () => {
      setups.push(() => socket.send(JSON.stringify({ setupComplete: {} })))
      asked[setups.length - 1].open()
    })
  })
  const { open, start } = await startFixture(t, {
    rules: [],
    server: { gemini: { apiKey: 'any', baseUrl: `http://127.0.0.1:${provider.address().port}` } },
  })
  const first = start()
  await asked[0].opened
  setups[0]()
  const { sessionId, resumeToken } = (await first).started
  await (await first).close()

  const older = await open()
  older.send({ type: 'start', sessionId, resumeToken })
  await asked[1].opened
  const newer = await open()
  newer.send({ type: 'start', sessionId, resumeToken })
  await asked[2].opened
  setups[1]()
  assert.equal((await older.next('ended')).cause, 'superseded')
  setups[2]()
  await newer.next('started')
})

test('a provider that accepts and says nothing is not waited for without end', async t => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const sockets = new Set()
  silent.on('connection', socket => sockets.add(socket))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const baseUrl = `http://127.0.0.1:${silent.address().port}`
  const { open } = await startFixture(t, {
    rules: [],
    server: { gemini: { apiKey: 'any', baseUrl }, limits: { connectTimeoutMs: 50 } },
  })
  const client = await open()
  client.send({ type: 'start' })
  assert.equal((await client.next('error')).code, 'provider_unavailable')
})
