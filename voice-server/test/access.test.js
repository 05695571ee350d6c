// Access control, and validation of client frames.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { on, say, startFixture } from './support/fixture.js'
import { refusedStatus } from './support/voice-client.js'

const rules = [on('hello', [say('hi')])]

/** The HTTP status of a GET under a host name. */
async function httpStatus(port, path, host, more) {
  const [response] = await once(get({ port, path, host: '127.0.0.1', headers: { host, ...more } }), 'response')
  response.resume()
  return response.statusCode
}

test('a page of another origin is refused, a local one and a client that is no browser are not', async t => {
  const { server, start, logger } = await startFixture(t, { rules })
  assert.equal(await refusedStatus(server.url, { origin: 'https://evil.example' }), 403)
  assert.equal(await refusedStatus(server.url, { origin: 'http://localhost.evil.example' }), 403)
  assert.equal(await refusedStatus(server.url, { origin: 'null' }), 403)
  assert.ok(
    logger.lines.some(({ message, origin }) => message === 'origin refused' && origin === 'https://evil.example'),
  )
  await start({}, { origin: 'http://localhost:3000' })
  await start()
})

test('origins that are allowed are the only ones', async t => {
  const { server, start } = await startFixture(t, { rules, server: { allowedOrigins: ['https://app.example'] } })
  await start({}, { origin: 'https://app.example' })
  assert.equal(await refusedStatus(server.url, { origin: 'http://localhost:3000' }), 403)
  assert.equal(await refusedStatus(server.url), 403)
})

test('a host name that the server does not have is refused, for clients and for metrics; probes are answered', async t => {
  const server = { allowedHosts: ['voice.example'], allowedOrigins: ['https://app.example', 'localhost', 'no-origin'] }
  const { server: running, start, logger } = await startFixture(t, { rules, server })
  const { port } = running
  const rebound = { headers: { host: `evil.example:${port}` }, origin: `http://localhost:${port}` }
  assert.equal(await refusedStatus(running.url, rebound), 403)
  assert.ok(logger.lines.some(({ message, host }) => message === 'host refused' && host === `evil.example:${port}`))
  for (const host of ['voice.example', 'APP.example:443', '192.0.2.7', '[::1]', `tools.localhost:${port}`]) {
    await start({}, { headers: { host } })
    assert.equal(await httpStatus(port, '/metrics', host), 200, host)
  }
  const paths = ['/metrics', '/none', '/healthz', '/readyz']
  const statuses = await Promise.all(paths.map(path => httpStatus(port, path, 'evil.example')))
  assert.deepEqual(statuses, [403, 404, 200, 200])
})

test('metrics: direct requests of this machine; with a token, who sends it', async t => {
  const { server: open } = await startFixture(t, { rules })
  const direct = more => httpStatus(open.port, '/metrics', 'localhost', more)
  assert.deepEqual([await direct(), await direct({ 'x-forwarded-for': '203.0.113.9' })], [200, 401])
  const { server } = await startFixture(t, { rules, server: { metricsToken: '0123456789abcdef' } })
  const asked = ['Bearer 0123456789abcdef', 'Bearer 0123456789abcdeg', '']
  const statuses = asked.map(authorization => httpStatus(server.port, '/metrics', 'localhost', { authorization }))
  assert.deepEqual(await Promise.all(statuses), [200, 401, 401])
  const refused = await fetch(`http://127.0.0.1:${server.port}/metrics`)
  assert.match((await refused.json()).error, /^metrics need the bearer token of this server/)
})

test('a connection that sends no request is closed', async t => {
  const { server } = await startFixture(t, { rules })
  const silent = connect(server.port, '127.0.0.1')
  silent.resume()
  await once(silent, 'close')
})

test('the wrong token, an unknown session and half of the credentials are refused alike', async t => {
  const { start, open } = await startFixture(t, { rules })
  const { sessionId, resumeToken } = (await start()).started
  const other = (await start()).started
  const attempts = [
    { sessionId, resumeToken: other.resumeToken },
    { sessionId, resumeToken: `${resumeToken.slice(0, -1)}${resumeToken.endsWith('A') ? 'B' : 'A'}` },
    { sessionId },
    { resumeToken },
    { sessionId: 'AAAAAAAAAAAAAAAAAAAAAA', resumeToken },
    { sessionId: '../../etc/passwd', resumeToken },
  ]
  const answers = []
  for (const attempt of attempts) {
    const client = await open()
    client.send({ type: 'start', ...attempt })
    const { code, message } = await client.next('error')
    answers.push(`${code}: ${message}`)
    assert.equal((await client.closed).code, 1008)
  }
  assert.equal(new Set(answers).size, 1)
  assert.match(answers[0], /^resume_refused/)
})

test('the newer connection of a session takes it over', async t => {
  const { start } = await startFixture(t, { rules })
  const first = await start()
  const { sessionId, resumeToken } = first.started
  const second = await start({ sessionId, resumeToken })
  assert.equal((await first.next('ended')).cause, 'superseded')
  assert.equal((await first.closed).code, 4001)
  second.say('hello')
  assert.equal(await second.answer(), 'hi')
})

test('bad frames get an answer, and the connection lives on', async t => {
  const { start } = await startFixture(t, { rules })
  const client = await start()
  const bad = [
    'not json',
    '[]',
    'null',
    '7',
    '"text"',
    '{}',
    '{"type":"fly"}',
    '{"type":"__proto__"}',
    '{"type":"toString"}',
    '{"type":["text"]}',
    '{"type":"text"}',
    '{"type":"text","text":""}',
    '{"type":"text","text":7}',
    '{"type":"confirm"}',
    '{"type":"dtmf"}',
    '{"type":"dtmf","digit":"11"}',
    '{"type":"dtmf","digit":"x"}',
    '{"type":"dtmf","digit":1}',
    '{"type":"played"}',
    '{"type":"played","ms":"1"}',
    '{"type":"played","ms":-1}',
    '{"type":"played","ms":1e999}',
    `{"type":"text","text":"${'x'.repeat(8001)}"}`,
  ]
  for (const frame of bad) {
    client.send(frame)
    const { code } = await client.next('error')
    assert.equal(code, 'bad_frame', frame)
  }
  client.send(Buffer.alloc(3))
  assert.equal((await client.next('error')).code, 'bad_frame')
  client.send({ type: 'start' })
  assert.equal((await client.next('error')).code, 'already_started')
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
})

test('nothing but start is taken before the start', async t => {
  const { open } = await startFixture(t, { rules })
  const client = await open()
  for (const frame of [{ type: 'text', text: 'hello' }, { type: 'end' }, Buffer.alloc(320)]) {
    client.send(frame)
    assert.equal((await client.next('error')).code, 'not_started')
  }
})

test('a frame that is too large ends the connection', async t => {
  const { start } = await startFixture(t, { rules, server: { limits: { maxFrameBytes: 1024 } } })
  const client = await start()
  client.send(Buffer.alloc(1025))
  assert.equal((await client.closed).code, 1009)
})

test('frames over the bound are dropped, and a client that goes on is cut off', async t => {
  const { start } = await startFixture(t, { rules, server: { limits: { framesPerSecond: 1 } } })
  const client = await start()
  for (let index = 0; index < 300; index += 1) client.send({ type: 'audioEnd' })
  assert.equal((await client.next('error')).code, 'rate_limited')
  assert.equal((await client.closed).code, 1008)
})

test('more sound than anybody speaks is dropped', async t => {
  const { sim, start } = await startFixture(t, { rules, server: { limits: { audioBytesPerSecond: 400 } } })
  const client = await start()
  client.send(Buffer.alloc(3200))
  client.send(Buffer.alloc(3200))
  assert.equal((await client.next('error')).code, 'rate_limited')
  client.say('hello')
  await client.answer()
  assert.equal(sim.received.filter(({ json }) => json?.realtimeInput?.audio).length, 1)
})

test('a client that never starts is sent away', async t => {
  const { open } = await startFixture(t, { rules, server: { limits: { startTimeoutMs: 20 } } })
  const client = await open()
  assert.equal((await client.next('error')).code, 'start_expected')
  assert.equal((await client.closed).code, 1008)
})

test('a full server says so', async t => {
  const { server, start } = await startFixture(t, { rules, server: { limits: { maxConnections: 1 } } })
  const client = await start()
  assert.equal(await refusedStatus(server.url), 503)
  await client.close()
})

test('other paths are not found, and /healthz tells how things stand', async t => {
  const { server, start, registry } = await startFixture(t, { rules })
  assert.equal(await refusedStatus(server.url.replace('/voice', '/other')), 404)
  const base = server.url.replace('ws:', 'http:').replace('/voice', '')
  assert.equal((await fetch(`${base}/`)).status, 404)
  await start()
  const health = await (await fetch(`${base}/healthz?now`)).json()
  assert.deepEqual(health, {
    ok: true,
    version: '0.1.0',
    toolsVersion: registry.getVersion(),
    details: {
      sessions: 1,
      provider: 'gemini',
      model: 'gemini-3.8-live',
      simulator: true,
    },
  })
  const ready = { ok: true, draining: false, registry: true, store: true, audit: true, auditLinesLost: 0 }
  assert.deepEqual(await (await fetch(`${base}/readyz`)).json(), ready)
})

test('/metrics counts connections and calls, for Prometheus', async t => {
  const { server, start } = await startFixture(t, { rules })
  await start()
  const answer = await fetch(server.url.replace('ws:', 'http:').replace('/voice', '/metrics'))
  assert.match(answer.headers.get('content-type'), /^application\/openmetrics-text; version=1\.0\.0/)
  const text = await answer.text()
  assert.match(text, /^toolgate_voice_connections 1$/m)
  assert.match(text, /^# TYPE toolgate_calls counter$/m)
  assert.match(text, /\n# EOF\n$/)
})

test('a resume token is in no log and no audit line', async t => {
  const { start, logger, audit } = await startFixture(t, { rules })
  const client = await start()
  client.say('hello')
  await client.answer()
  const { sessionId, resumeToken } = client.started
  await client.close()
  await start({ sessionId, resumeToken })
  assert.ok(!JSON.stringify([logger.lines, audit]).includes(resumeToken))
})

test('a refused upgrade ends although its client keeps its side open', async t => {
  const { server } = await startFixture(t, { rules })
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.resume()
  socket.write('GET /none HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n')
  await once(socket, 'end')
  // What is sent to a socket that the server has destroyed is answered with a reset.
  const failed = once(socket, 'error')
  const sending = setInterval(() => socket.write('x'), 10)
  const [error] = await failed
  clearInterval(sending)
  assert.match(error.code, /EPIPE|ECONNRESET/)
})

test('many refusals are few log lines, and a long origin is a short one', async t => {
  const { server, logger } = await startFixture(t, { rules })
  const origin = `https://evil.example/${'x'.repeat(4000)}`
  const statuses = []
  for (let count = 0; count < 30; count += 1) statuses.push(await refusedStatus(server.url, { origin }))
  assert.deepEqual([...new Set(statuses)], [403])
  const lines = logger.lines.filter(({ message }) => message === 'origin refused')
  assert.ok(lines.length < 10, `${lines.length} lines`)
  assert.equal(lines[0].origin, origin.slice(0, 200))
  await new Promise(resolve => setTimeout(resolve, 1100))
  await refusedStatus(server.url, { origin })
  const counted = logger.lines.filter(({ message }) => message === 'origin refused')
  assert.equal(counted.length + counted.reduce((sum, { more = 0 }) => sum + more, 0), 31)
})
