// A session that streams to the provider without a user is ended, and says why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedLimits, limitsOf } from '../src/settings/limits.js'
import { SessionLimits } from '../src/connection/session-limits.js'
import { call, latch, on, say, silence, startFixture } from './support/fixture.js'

const TOKEN = 'token-of-sixteen-bytes'

/** Limits with a clock that the test moves on by `after`. */
function limited({ idleMs = 600_000, durationMs = 3_600_000 } = {}) {
  let [now, look] = [0, null]
  const state = { isBusy: false, over: [] }
  const limits = new SessionLimits({
    limits: { idleMs, durationMs },
    isBusy: () => state.isBusy,
    onOver: kind => state.over.push(kind),
    now: () => now,
    every: (act, ms) => void (look = { act, ms }),
  })
  const after = ms => {
    for (const end = now + ms; now < end && state.over.length === 0;) {
      now += look.ms
      look.act()
    }
    return state.over
  }
  return { limits, state, after, isWatched: () => look !== null }
}

test('ten minutes without speech and without a call are the end', () => {
  assert.deepEqual(limited().after(590_000), [])
  assert.deepEqual(limited().after(610_000), ['idle'])
})

test('speech and a running call begin the idle time anew', () => {
  const { limits, state, after } = limited()
  after(500_000)
  limits.active()
  assert.deepEqual(after(500_000), [])
  state.isBusy = true
  assert.deepEqual(after(900_000), [])
  state.isBusy = false
  assert.deepEqual(after(580_000), [])
  assert.deepEqual(after(30_000), ['idle'])
})

test('an hour is the end whatever is said, and 0 switches a limit off', () => {
  const busy = limited()
  busy.state.isBusy = true
  assert.deepEqual(busy.after(3_590_000), [])
  assert.deepEqual(busy.after(20_000), ['duration'])
  assert.deepEqual(limited({ idleMs: 0 }).after(3_590_000), [])
  assert.equal(limited({ idleMs: 0, durationMs: 0 }).isWatched(), false)
})

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a session without a user ends with its reason, and the provider's connection with it`, async t => {
    const { start, model, logger, server } = await startFixture(t, {
      provider,
      rules: [on('hello', [say('Hello.')])],
      audio: { transcripts: [] },
      server: { limits: { idleMs: 200 }, metricsToken: TOKEN },
    })
    const client = await start()
    const atProvider = await model()
    // An open microphone is no speech.
    client.send(silence(100))
    const { cause, resumable } = await client.next('ended')
    assert.deepEqual([cause, resumable, (await client.closed).code], ['idle', true, 4003])
    await atProvider.closed
    const [line] = logger.lines.filter(({ message }) => message === 'session ended by a limit')
    assert.deepEqual([line.level, line.limit], ['info', 'idleMs'])
    const headers = { authorization: `Bearer ${TOKEN}` }
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers })).text()
    assert.match(metrics, /^toolgate_voice_idle_endings_total 1$/m)
    assert.match(metrics, /^toolgate_voice_duration_endings_total 0$/m)
  })
}

test('a session reaches its longest duration during a call, and is resumed under its token', async t => {
  const [started, over] = [latch(), latch()]
  const slow_read = async () => {
    started.open()
    await over.opened
    return { ok: true, data: {} }
  }
  const { start } = await startFixture(t, {
    rules: [on('read', [call('slow_read')], [say('found')])],
    handlers: { slow_read },
    server: { limits: { idleMs: 1000, durationMs: 2000 } },
  })
  const client = await start()
  client.say('read')
  await started.opened
  assert.equal((await client.next('ended')).cause, 'duration')
  over.open()
  const { sessionId, resumeToken } = client.started
  const again = await start({ sessionId, resumeToken })
  assert.equal(again.started.resumed, true)
})

test('limits are checked where they are given', () => {
  for (const limits of [
    5,
    null,
    { idle: 1 },
    { idleMs: -1 },
    { providerPingMs: 0 },
    { answerSilenceMs: '5' },
    { durationMs: 3e9 },
  ])
    assert.throws(() => checkedLimits(limits), TypeError, JSON.stringify(limits))
  assert.equal(checkedLimits({ idleMs: 0 }).idleMs, 0)
  const read = text => limitsOf({ TOOLGATE_VOICE_LIMITS: text })
  assert.deepEqual(read('idleMs=1000, providerPingMs = 5000'), { idleMs: 1000, providerPingMs: 5000 })
  assert.deepEqual([read(undefined), read('')], [undefined, undefined])
  for (const text of ['idle=5', 'idleMs', 'idleMs=', 'idleMs=soon', 'answerRetryMs=0'])
    assert.throws(() => read(text), /^TypeError: TOOLGATE_VOICE_LIMITS: /, text)
})
