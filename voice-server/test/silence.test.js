// Silence is noticed: a provider that sends nothing, answers that fail, are cut or are empty.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { checkedLines } from '../src/audio/audible-line.js'
import { on, say, startFixture } from './support/fixture.js'

/** Long enough for an answer on a machine that is busy. */
const limits = { answerSilenceMs: 1500, answerRetryMs: 20 }

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a provider that says nothing is connected anew, audibly, with a log line and a metric`, async t => {
    const silent = { when: { user: 'hello', connection: 1 }, steps: [{ emit: [{ wait: 60_000 }] }] }
    const { start, logger, server } = await startFixture(t, {
      provider,
      rules: [silent, on('hello', [say('Here I am.')])],
      server: { limits, metricsToken: 'token-of-sixteen-bytes' },
    })
    const client = await start()
    client.say('hello')
    const line = await client.next('line')
    assert.deepEqual(line, { type: 'line', kind: 'reconnecting', text: null })
    assert.ok((await client.next('audio')).bytes > 0)
    assert.equal((await client.next(({ provider: state }) => state === 'reconnected')).type, 'state')
    await client.next(({ type, text }) => type === 'transcript' && text === 'Here I am.')
    const lines = logger.lines.filter(({ message }) => message === 'the provider was silent while an answer was due')
    assert.equal(lines.length, 1)
    const metrics = await fetch(`http://127.0.0.1:${server.port}/metrics`, {
      headers: { authorization: 'Bearer token-of-sixteen-bytes' },
    })
    assert.match(await metrics.text(), /^toolgate_voice_provider_silences_total 1$/m)
  })

  test(`${provider}: a provider that owes nothing may be silent`, async t => {
    const { start, logger } = await startFixture(t, {
      provider,
      rules: [on('hello', [say('Hello.')])],
      server: { limits },
    })
    const client = await start()
    client.say('hello')
    await client.next('turnComplete')
    await new Promise(resolve => setTimeout(resolve, limits.answerSilenceMs + 300))
    assert.deepEqual([client.ofType('line'), logger.lines.filter(({ level }) => level === 'warn')], [[], []])
  })

  test(`${provider}: an empty answer is shown as one`, async t => {
    const { start } = await startFixture(t, { provider, rules: [on('hello', [{ wait: 1 }])], server: { limits } })
    const client = await start()
    client.say('hello')
    assert.equal((await client.next('answerIncomplete')).reason, 'empty')
    await client.next('turnComplete')
  })
}

test('gemini: a text that was typed before an answer ended is answered, also if the provider is silent after that', async t => {
  const provider = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(provider, 'listening')
  t.after(() => provider.close())
  const content = serverContent => JSON.stringify({ serverContent })
  const says = text => content({ outputTranscription: { text }, modelTurn: { parts: [] } })
  let connections = 0
  provider.on('connection', socket => {
    const connection = (connections += 1)
    socket.on('message', data => {
      const { setup, clientContent } = JSON.parse(data)
      if (setup) {
        socket.send(JSON.stringify({ setupComplete: {} }))
        socket.send(JSON.stringify({ sessionResumptionUpdate: { newHandle: 'handle', resumable: true } }))
      }
      const text = clientContent?.turns?.[0].parts[0].text
      if (text === 'one') socket.send(says('first'))
      if (text === 'two' && connection === 1) socket.send(content({ turnComplete: true }))
      if (text === 'two' && connection === 2)
        for (const frame of [says('second'), content({ turnComplete: true })]) socket.send(frame)
    })
  })
  const baseUrl = `http://127.0.0.1:${provider.address().port}`
  const { start } = await startFixture(t, {
    rules: [],
    server: { limits, gemini: { apiKey: 'any', baseUrl, model: 'gemini-older-live' } },
  })
  const client = await start()
  client.say('one')
  await client.next(({ text }) => text === 'first')
  client.say('two')
  await client.next('turnComplete')
  await client.next('line')
  await client.next(({ text }) => text === 'second')
  await client.next('turnComplete')
  assert.deepEqual([client.ofType('answerIncomplete'), connections], [[], 2])
})

const failing = (...emit) => [on('hello', emit)]
const error = { error: { message: 'too many requests', code: 'rate_limit_exceeded' } }

test('openai: a failed answer is asked for again, later each time, and shown as failed in the end', async t => {
  const { start, sim, logger } = await startFixture(t, {
    provider: 'openai',
    rules: failing(error),
    server: { limits },
  })
  const client = await start()
  client.say('hello')
  assert.equal((await client.next('answerIncomplete')).reason, 'failed')
  await client.next('turnComplete')
  const times = sim.received.filter(({ json }) => json?.type === 'response.create').length
  assert.deepEqual([times, client.ofType('turnComplete').length], [4, 1])
  assert.deepEqual(
    logger.lines.filter(({ why }) => why === 'rate_limit_exceeded').map(({ retried }) => retried),
    [true, true, true, false],
  )
})

test('openai: an answer that is cut is shown as cut and not said twice', async t => {
  const { start, sim } = await startFixture(t, {
    provider: 'openai',
    rules: failing(say('The first words'), { finish: 'length' }),
    server: { limits },
  })
  const client = await start()
  client.say('hello')
  assert.equal((await client.next('answerIncomplete')).reason, 'cut')
  await client.next('turnComplete')
  assert.equal(sim.received.filter(({ json }) => json?.type === 'response.create').length, 1)
})

test('the lines are checked at the start', () => {
  for (const lines of [{ waiting: 5 }, { reconnecting: Buffer.alloc(3) }, { other: 'x' }]) {
    assert.throws(() => checkedLines(lines), /`lines\./)
  }
})
