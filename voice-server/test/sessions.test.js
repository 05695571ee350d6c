// Concurrent users, slow tools, and slow peers, on both providers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { call, latch, on, say, startFixture, silence } from './support/fixture.js'

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a tool that takes longer than its target is announced once, and at once where the session knows it`, async t => {
    const gates = { a: latch(), b: latch() }
    const quick_read = async ({ args }) => {
      await gates[args.what].opened
      return { ok: true, data: {} }
    }
    const { start } = await startFixture(t, {
      provider,
      handlers: { quick_read },
      rules: [
        on('go', [call('quick_read', { what: 'a' })], [say('done')]),
        on('more', [call('quick_read', { what: 'b' })], [say('done')]),
      ],
    })
    const client = await start()
    client.say('go')
    const { id } = await client.next('toolCall')
    assert.deepEqual(await client.next('filler'), {
      type: 'filler',
      id,
      name: 'quick_read',
      title: 'Quick read',
      expectedMs: null,
    })
    gates.a.open()
    const { durationMs } = await client.next('toolResult')
    await client.next('turnComplete')
    client.say('more')
    const filler = await client.next('filler')
    assert.equal(filler.expectedMs, durationMs)
    gates.b.open()
    await client.next('turnComplete')
    const order = client.frames
      .map(({ type }) => type)
      .filter(type => ['toolCall', 'filler', 'toolResult'].includes(type))
    assert.deepEqual(order, ['toolCall', 'filler', 'toolResult', 'toolCall', 'filler', 'toolResult'])
  })

  test(`${provider}: users at the same time have nothing of each other`, async t => {
    const notes = []
    const note_save = async ({ args, clientId }) => {
      notes.push([args.text, clientId])
      return { ok: true, data: { saved: args.text } }
    }
    const rules = [
      on(
        { regex: '^save (?<what>\\w+)' },
        [call('note_save', { text: '{{match.what}}' })],
        [say('{{result.error.details.readBack|ok}}')],
      ),
      on({ regex: 'text: (?<what>\\w+)\\. Shall I' }, [say('Note save: text: {{match.what}}. Shall I do that?')]),
      on({ contains: 'The user confirmed' }, [say('saved')]),
      on('stop', [say('stopped')]),
    ]
    const { start } = await startFixture(t, { provider, handlers: { note_save }, rules })
    const names = ['milk', 'bread', 'tea', 'rice', 'salt']
    const clients = await Promise.all(names.map(() => start()))
    assert.equal(new Set(clients.map(({ started }) => started.sessionId)).size, 5)
    const cards = await Promise.all(
      clients.map(async (client, index) => {
        client.say(`save ${names[index]}`)
        const { request } = await client.next('confirmation')
        assert.equal(await client.answer(), `Note save: text: ${names[index]}. Shall I do that?`)
        return request
      }),
    )
    assert.deepEqual(
      cards.map(({ args }) => args.text),
      names,
    )
    // Another user's token confirms nothing.
    clients[0].send({ type: 'confirm', token: cards[1].token })
    assert.equal((await clients[0].next('confirmationClosed')).outcome, 'expired')
    assert.deepEqual(notes, [])
    clients[2].send({ type: 'dtmf', digit: '1' })
    await clients[2].next(frame => frame.type === 'toolResult' && frame.ok)
    await clients[3].close()
    clients[4].say('stop')
    await clients[4].next(({ type, text }) => type === 'transcript' && text === 'stopped')
    assert.deepEqual(
      notes.map(([text]) => text),
      ['tea'],
    )
    assert.deepEqual(
      clients.map(client => client.ofType('confirmationClosed').length),
      [1, 0, 1, 0, 0],
    )
  })

  test(`${provider}: a client that does not read is cut off, and its session waits for it`, async t => {
    const { server, start, model } = await startFixture(t, {
      provider,
      settings: { toneMs: 2000, pieceChars: 1 },
      rules: [on('talk', [say('x'.repeat(120))])],
      server: { limits: { maxUnreadBytes: 1024 * 1024 } },
    })
    const client = await start()
    client.say('talk')
    client.socket._socket.pause()
    const { sent } = await model()
    const isOver = ({ type, serverContent }) => type === 'response.done' || serverContent?.turnComplete
    while (!sent.some(isOver)) await new Promise(resolve => setTimeout(resolve, 20))
    // The server has received the earlier messages before it handles this one.
    assert.ok((await fetch(server.url.replace('ws:', 'http:').replace('/voice', '/healthz'))).ok)
    await new Promise(resolve => setTimeout(resolve, 300))
    client.socket._socket.resume()
    assert.equal((await client.closed).code, 1013)
    const { sessionId, resumeToken } = client.started
    assert.equal((await start({ sessionId, resumeToken })).started.resumed, true)
  })
}

/** A provider that the test can stall. */
async function provide(t, onMessage) {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const sockets = new WebSocketServer({ server: http })
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate()
    http.close()
  })
  const connected = latch()
  sockets.on('connection', socket => {
    connected.open(socket)
    socket.on('message', data => onMessage(JSON.parse(data), frame => socket.send(JSON.stringify(frame))))
  })
  return { url: `http://127.0.0.1:${http.address().port}`, connected: connected.opened }
}

const OWN = {
  gemini: {
    server: url => ({ gemini: { apiKey: 'any', baseUrl: url } }),
    answer: (json, send) => json.setup && send({ setupComplete: {} }),
    soundOf: json => json.realtimeInput?.audio?.data,
  },
  openai: {
    server: url => ({ openai: { apiKey: 'any', baseUrl: `${url}/v1` } }),
    answer: (json, send) => json.type === 'session.update' && send({ type: 'session.updated', session: {} }),
    soundOf: json => (json.type === 'input_audio_buffer.append' ? json.audio : undefined),
  },
}

for (const [provider, { server, answer, soundOf }] of Object.entries(OWN)) {
  test(`${provider}: sound that the model's service does not take is dropped, the oldest first, and the log says how much`, async t => {
    let heardBytes = 0
    const service = await provide(t, (json, send) => {
      answer(json, send)
      heardBytes += Buffer.byteLength(soundOf(json) ?? '', 'base64')
    })
    service.connected.then(
      socket => provider === 'openai' && socket.send(JSON.stringify({ type: 'session.created', session: {} })),
    )
    const bound = { audioBytesPerSecond: 64 * 1024 * 1024, inputBacklogMs: 1000 }
    const { start, logger } = await startFixture(t, {
      provider,
      rules: [],
      server: { ...server(service.url), limits: bound },
    })
    const client = await start()
    const socket = await service.connected
    socket._socket.pause()
    const sent = 200
    for (let index = 0; index < sent; index += 1) client.send(silence(2000))
    client.send({ type: 'dtmf', digit: '1' })
    // Earlier messages have been handled when this one is answered.
    await client.next('error')
    socket._socket.resume()
    const droppedMs = () => logger.lines.reduce((sum, line) => sum + (line.droppedMs ?? 0), 0)
    const perMs = provider === 'openai' ? 48 : 32
    while (droppedMs() + heardBytes / perMs < sent * 2000) await new Promise(resolve => setTimeout(resolve, 20))
    assert.ok(droppedMs() > 0 && heardBytes > 0)
    assert.equal(droppedMs() + heardBytes / perMs, sent * 2000)
  })
}
