// Bad input of both sides: pages whose frames are out of order or too many, and services that answer with a page, hang up or are
// mute. Each gets a clear error, nothing runs, and other users are served.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { call, on, say, startFixture } from './support/fixture.js'
import { VoiceClient } from './support/voice-client.js'

const rules = [
  on('read it', [call('quick_read', {})], [say('Read.')]),
  on('save it', [call('note_save', { text: 'milk' })]),
]

/** The tools count what ran. */
function counted() {
  const ran = []
  const handler = name => async () => (ran.push(name), { ok: true, data: {} })
  return { ran, handlers: { quick_read: handler('quick_read'), note_save: handler('note_save') } }
}

/** Asks for a read and gets it. */
async function isServed(client) {
  client.say('read it')
  assert.equal((await client.next(({ type, name }) => type === 'toolResult' && name === 'quick_read')).ok, true)
  await client.next('turnComplete')
}

test('frames out of order run nothing, and each gets its error', async t => {
  const { ran, handlers } = counted()
  const { start, open } = await startFixture(t, { rules, handlers })
  const neighbour = await start()
  const early = await open()
  const before = [
    { type: 'text', text: 'read it' },
    { type: 'confirm', token: 'x' },
    { type: 'deny', token: 'x' },
    { type: 'dtmf', digit: '1' },
    { type: 'revoke', grant: 'x' },
    { type: 'played', ms: 5 },
    { type: 'audioEnd' },
  ]
  for (const frame of before) {
    early.send(frame)
    assert.equal((await early.next('error')).code, 'not_started', frame.type)
  }
  early.socket.send(Buffer.alloc(320))
  assert.equal((await early.next('error')).code, 'not_started')
  early.send({ type: 'start' })
  await early.next('started')
  early.send({ type: 'start' })
  assert.equal((await early.next('error')).code, 'already_started')
  // Answers to questions that were never asked, or that another user was asked.
  neighbour.say('save it')
  const { request } = await neighbour.next('confirmation')
  for (const token of ['x', '__proto__', request.token]) {
    early.send({ type: 'confirm', token })
    early.send({ type: 'confirm', token, args: { text: 'other' } })
  }
  early.send({ type: 'revoke', grant: 'x' })
  early.send({ type: 'dtmf', digit: '1' })
  assert.equal((await early.next(({ code }) => code === 'not_asked')).code, 'not_asked')
  await isServed(early)
  assert.deepEqual(ran, ['quick_read'])
  neighbour.send({ type: 'confirm', token: request.token })
  assert.equal((await neighbour.next(({ type, ok }) => type === 'toolResult' && ok)).name, 'note_save')
})

test('a flood of each frame ends its connection alone', async t => {
  const { ran, handlers } = counted()
  const { start, open } = await startFixture(t, { rules, handlers })
  const neighbour = await start()
  const floods = [
    ['{', open],
    [JSON.stringify({ type: 'start' }), open],
    [JSON.stringify({ type: 'confirm', token: 'x' }), start],
    [JSON.stringify({ type: 'picture', kind: 'screen', data: 'x'.repeat(4000) }), start],
    [Buffer.alloc(320), open],
  ]
  for (const [frame, begin] of floods) {
    const client = await begin()
    for (let sent = 0; sent < 400; sent += 1) client.socket.send(frame)
    assert.equal((await client.closed).code, 1008)
    assert.ok(client.ofType('error').some(({ code }) => code === 'rate_limited'))
    await isServed(neighbour)
  }
  assert.deepEqual([...new Set(ran)], ['quick_read'])
})

const PAGE = '<!doctype html><title>502 Bad Gateway</title>'
/** How a service of the test behaves: `http` answers the upgrade, `socket` an open connection. */
const SERVICES = {
  'answers the upgrade with a page': {
    http: socket =>
      socket.end(
        `HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\nConnection: close\r\n\r\n${PAGE}`,
      ),
  },
  'answers the upgrade with a page and 200': {
    http: socket =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`),
  },
  'hangs up on the upgrade': { http: socket => socket.destroy() },
  'never answers the upgrade': { http: () => {} },
  'sends a page as its frames': { socket: socket => socket.send(PAGE) },
  'sends a page as bytes': { socket: socket => socket.send(Buffer.from(PAGE)) },
  'closes at once': { socket: socket => socket.close(1000) },
  'ends the connection at once': { socket: socket => socket.terminate() },
  'is mute': { socket: () => {} },
  'sends frames that are no events': {
    socket: socket => ['null', '[]', '7', '"x"', '{}'].forEach(text => socket.send(text)),
  },
}

async function serviceThat(t, { http, socket: greet }) {
  const sockets = new Set()
  const server = createServer()
  const accepting = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (http !== undefined) http(socket)
    else accepting.handleUpgrade(request, socket, head, greet)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}`
}

for (const provider of ['gemini', 'openai', 'gptLive'])
  for (const [what, behaviour] of Object.entries(SERVICES))
    test(`${provider}: a service that ${what}: the model cannot be reached, and the server lives on`, async t => {
      const { ran, handlers } = counted()
      const url = await serviceThat(t, behaviour)
      const { server, logger } = await startFixture(t, {
        rules,
        handlers,
        provider,
        server: {
          [provider]: { apiKey: 'any', baseUrl: provider === 'gemini' ? url : `${url}/v1` },
          limits: { connectTimeoutMs: 300 },
        },
      })
      const client = await VoiceClient.open(server.url)
      client.send({ type: 'start', pendingRequest: 'read it' })
      assert.ok(['provider_unavailable', 'provider_lost'].includes((await client.next('error')).code))
      assert.equal((await client.next('ended')).cause, 'provider_lost')
      assert.equal((await client.closed).code, 1011)
      assert.ok(logger.lines.some(({ level }) => level === 'error'))
      assert.ok(!JSON.stringify(client.frames).includes('Bad Gateway'))
      assert.equal((await fetch(server.url.replace('ws:', 'http:').replace('/voice', '/healthz'))).status, 200)
      assert.deepEqual(ran, [])
    })
