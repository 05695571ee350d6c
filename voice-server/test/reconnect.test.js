// What the user says while the model's connection is restored is heard, and an open microphone does not hold off a renewal.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { DeliveryQueue } from '../src/delivery/delivery-queue.js'
import { InputAudioBuffer } from '../src/audio/input-audio-buffer.js'
import { ConversationMemory } from '../src/providers/conversation-memory.js'
import { GptLiveLink } from '../src/providers/gpt-live/gpt-live-link.js'
import { ProviderLink } from '../src/providers/provider-link.js'
import { Renewal } from '../src/conversation/renewal.js'
import { latch, on, recordingLogger, say, silence, startFixture, voice } from './support/fixture.js'

/** A way to the simulator whose connections after the first wait until the test opens it. */
async function slowWay(t) {
  const [opened, second] = [latch(), latch()]
  const way = { target: '', sockets: [], open: opened.open, second: second.opened }
  const server = createServer(async socket => {
    way.sockets.push(socket.on('error', () => {}))
    if (way.sockets.length > 1) {
      second.open()
      await opened.opened
    }
    const there = connect(Number(new URL(way.target).port), '127.0.0.1').on('error', () => socket.destroy())
    socket.pipe(there).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of way.sockets) socket.destroy()
    server.close()
  })
  return Object.assign(way, { url: `http://127.0.0.1:${server.address().port}` })
}

/** Resolves once the server has read all frames that the client has sent. */
async function read(client) {
  client.send('{}')
  await client.next(({ code }) => code === 'bad_frame')
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: speech during a reconnect reaches the new connection`, async t => {
    const way = await slowWay(t)
    const { start, model, logger } = await startFixture(t, {
      provider,
      rules: [on('hello there', [say('hi')])],
      audio: { transcripts: ['hello there'] },
      server: url => {
        way.target = url
        return { [provider]: { apiKey: 'any', baseUrl: provider === 'openai' ? `${way.url}/v1` : way.url } }
      },
    })
    const client = await start()
    ;(await model()).disconnect({ code: 1011, reason: 'internal error' })
    await way.second
    for (const pcm of [voice(400), silence(800)]) client.send(pcm)
    client.send({ type: 'audioEnd' })
    await read(client)
    way.open()
    await client.next(({ type, text }) => type === 'transcript' && text === 'hello there')
    await client.next(({ type, text }) => type === 'transcript' && text === 'hi')
    assert.deepEqual(
      logger.lines.filter(({ message }) => message.startsWith('audio of the user was dropped')),
      [],
    )
  })
}

test('gemini: an open microphone does not hold off the renewal', async t => {
  const { start, model, sim } = await startFixture(t, { rules: [on('hello', [say('hi')])] })
  const client = await start()
  client.say('hello')
  await client.answer()
  client.send(silence(100))
  await read(client)
  ;(await model()).send({ goAway: { timeLeft: '50s' } })
  await client.next(({ type, provider }) => type === 'state' && provider === 'reconnected')
  assert.equal(sim.live.connections.length, 2)
})

/** A link without a connection, until the test connects it. */
function disconnected() {
  const link = { connection: null, unsentBytes: 0, sent: [] }
  link.sendAudio = pcm => link.sent.push(pcm[0])
  link.sendAudioEnd = () => link.sent.push('end')
  return link
}

test('as much as the limit allows is kept, in order, and the end of the audio follows it', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [link, dropped] = [disconnected(), []]
  const options = { link, backlogMs: 200, reconnectBacklogMs: 500, onDropped: ms => dropped.push(ms) }
  const inputAudio = new InputAudioBuffer(options)
  for (let at = 1; at <= 7; at += 1) inputAudio.push(Buffer.alloc(100 * 32, at))
  inputAudio.end()
  t.mock.timers.tick(200)
  assert.deepEqual(link.sent, [])
  link.connection = {}
  t.mock.timers.tick(50)
  assert.deepEqual([link.sent, dropped], [[3, 4, 5, 6, 7, 'end'], [200]])
  inputAudio.push(Buffer.alloc(100 * 32, 8))
  inputAudio.end()
  assert.deepEqual(link.sent.slice(6), [8, 'end'])
  // A congestion later has the smaller limit.
  link.unsentBytes = 1_000_000
  for (let at = 1; at <= 4; at += 1) inputAudio.push(Buffer.alloc(100 * 32, at))
  inputAudio.stop()
  assert.deepEqual(dropped, [200, 200])
})

/** A renewal with a clock that the test moves on by `after`. */
function renewal() {
  let [now, look] = [0, () => {}]
  const state = { isAtRest: true, renewedAt: [] }
  const subject = new Renewal({
    renew: () => state.renewedAt.push(now),
    isAtRest: () => state.isAtRest,
    now: () => now,
    every: act => void (look = act),
  })
  const heard = more =>
    subject.heard({ resumable: false, goAwayMs: null, modelSpoke: false, userStopped: false, ...more })
  const after = ms => {
    for (const end = now + ms; now < end;) {
      now += 200
      look()
    }
  }
  return { state, heard, after }
}

test('the renewal waits for rest and a handle that includes all, but not beyond the announced end', () => {
  const calm = renewal()
  calm.heard({ resumable: true })
  calm.heard({ goAwayMs: 50_000 })
  assert.deepEqual(calm.state.renewedAt, [0])

  const busy = renewal()
  busy.heard({ resumable: true })
  busy.state.isAtRest = false
  busy.heard({ goAwayMs: 50_000 })
  busy.after(10_000)
  assert.deepEqual(busy.state.renewedAt, [])
  busy.state.isAtRest = true
  busy.after(200)
  assert.deepEqual(busy.state.renewedAt, [10_200])
  busy.after(60_000)
  assert.equal(busy.state.renewedAt.length, 1)

  const behind = renewal()
  behind.heard({ resumable: true })
  behind.heard({ modelSpoke: true })
  behind.heard({ goAwayMs: 50_000 })
  behind.after(10_000)
  assert.deepEqual(behind.state.renewedAt, [])
  behind.heard({ resumable: true })
  assert.deepEqual(behind.state.renewedAt, [10_000])

  const late = renewal()
  late.state.isAtRest = false
  late.heard({ goAwayMs: 50_000 })
  late.after(50_000)
  assert.deepEqual(late.state.renewedAt, [47_000])
})

test('a first connection that fails takes nothing of what the link remembers of the conversation', async () => {
  class SeededLink extends ProviderLink {
    attempts = 0
    async connect() {
      this.attempts += 1
      if (this.attempts === 1) throw new Error('not reached')
      return {}
    }
    makeTransport() {
      return {}
    }
  }
  const memory = new ConversationMemory()
  const link = new SeededLink({ handle: memory, logger: recordingLogger() })
  await link.open()
  assert.deepEqual([link.attempts, link.handle], [2, memory])
})

test('a lost connection: whether the model owes words about what it was sent', () => {
  for (const isSpoken of [true, false]) {
    const queue = new DeliveryQueue()
    queue.sent([{ text: 'a note', isSpoken }], { receipts: ['not acknowledged'] })
    assert.equal(queue.reconnected(), isSpoken)
    assert.deepEqual([queue.reconnected(), queue.waiting.length], [false, 1])
  }
})

test('gpt-live: a link that is closed while it connects waits for no expiry', async t => {
  const service = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(service, 'listening')
  t.after(() => service.close())
  const asked = once(service, 'connection').then(async ([socket]) => (await once(socket, 'message'), socket))
  const baseUrl = `http://127.0.0.1:${service.address().port}/v1`
  const settings = { apiKey: 'any', baseUrl, model: 'any' }
  const link = new GptLiveLink({
    settings,
    config: {},
    connectTimeoutMs: 5000,
    pingMs: 5000,
    logger: recordingLogger(),
  })
  const timers = t.mock.method(globalThis, 'setTimeout').mock
  const opening = link.open()
  const socket = await asked
  link.close()
  const closed = once(socket, 'close')
  socket.send(JSON.stringify({ type: 'session.started', session: { expires_at: Date.now() / 1000 + 3600 } }))
  await Promise.all([opening, closed])
  const delays = timers.calls.map(({ arguments: [, delay] }) => delay)
  assert.deepEqual(
    delays.filter(delay => delay > 60_000),
    [],
  )
})
