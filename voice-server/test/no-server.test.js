// `createVoiceServer({ noServer: true })`: the calls of a server that the host owns.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import WebSocket from 'ws'
import { createVoiceServer } from '../server.js'
import { call, on, recordingLogger, say, startFixture } from './support/fixture.js'
import { hostServer } from './support/host-server.js'
import { VoiceClient, refusedStatus } from './support/voice-client.js'

const TEXT = { text: 'buy milk' }
const rules = [on('save it', [call('note_save', TEXT)], [say('Saved.')]), on('hello', [say('hi')])]
const users = { 'login=ada': 'ada', 'login=bob': 'bob' }
const authenticate = ({ headers }) => (users[headers.cookie] ? { principal: users[headers.cookie] } : null)
const origin = 'https://shop.example'
const ADA = { origin, headers: { cookie: 'login=ada' } }
const BOB = { origin, headers: { cookie: 'login=bob' } }

/** A host with users, and what was saved. */
async function startHost(t, more = {}) {
  const saved = []
  const note_save = async ({ args }) => {
    saved.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const server = { noServer: true, authenticate, allowedOrigins: [origin], ...more.server }
  return { ...(await startFixture(t, { rules, handlers: { note_save }, ...more, server })), saved }
}

for (const provider of ['gemini', 'openai', 'gptLive'])
  test(`${provider}: behind the host's server a call asks, the page confirms, and it runs once`, async t => {
    const { start, saved, answers } = await startHost(t, { provider })
    const client = await start({}, ADA)
    client.say('save it')
    const { request } = await client.next('confirmation')
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next(({ type, ok }) => type === 'toolResult' && ok)).name, 'note_save')
    assert.deepEqual(saved, ['buy milk'])
    assert.equal(answers().length >= 1, true)
  })

test("the host's own pages and sockets are beside it, and so is what monitoring asks", async t => {
  const { host } = await startHost(t)
  const get = async path => fetch(`${host.http}${path}`)
  assert.equal(await (await get('/hello')).text(), 'own page')
  assert.equal((await get('/else')).status, 404)
  assert.equal((await (await get('/healthz')).json()).details.provider, 'gemini')
  assert.equal((await get('/readyz')).status, 200)
  assert.match(await (await get('/metrics')).text(), /toolgate_voice_connections 0/)
  const socket = new WebSocket(host.echo)
  await once(socket, 'open')
  socket.send('x')
  const [heard] = await once(socket, 'message')
  assert.equal(String(heard), 'echo x')
})

test('who may connect is the same behind any server', async t => {
  const { host, start } = await startHost(t)
  assert.equal(await refusedStatus(host.url, { ...ADA, origin: 'https://evil.example' }), 403)
  assert.equal(await refusedStatus(host.url, { ...ADA, headers: { ...ADA.headers, host: 'evil.example' } }), 403)
  assert.equal(await refusedStatus(host.url, { origin }), 401)
  const { sessionId, resumeToken } = (await start({}, ADA)).started
  const bob = await VoiceClient.open(host.url, BOB)
  bob.send({ type: 'start', sessionId, resumeToken })
  assert.equal((await bob.next('error')).code, 'resume_refused')
})

test('the address of a listener lets no one in: without `authenticate` an option says so', async t => {
  const { registry } = await startHost(t)
  const options = { noServer: true, registry, gemini: { apiKey: 'any' }, logger: recordingLogger() }
  for (const more of [{}, { allowAnonymous: false }, { authenticate: null }, { host: '127.0.0.1' }])
    await assert.rejects(createVoiceServer({ ...options, ...more }), TypeError)
  const voice = await createVoiceServer({ ...options, allowAnonymous: true })
  await voice.close()
})

test('`close` ends the calls, refuses others, and leaves the host its server and its registry', async t => {
  const { host, server, registry, start } = await startHost(t)
  const client = await start({}, ADA)
  await server.close()
  assert.equal((await client.closed).code, 1001)
  assert.equal(await refusedStatus(host.url, ADA), 503)
  assert.equal(await (await fetch(`${host.http}/hello`)).text(), 'own page')
  assert.equal((await registry.health()).ok, true)
})

test('after `close` another one on the same registry resumes the sessions', async t => {
  const resumeSecret = 'a secret of this host'
  const server = { resumeSecret }
  const fixture = await startHost(t, { server })
  const { started } = await fixture.start({}, ADA)
  await fixture.server.close()
  const voice = await createVoiceServer({
    noServer: true,
    registry: async () => fixture.registry,
    gemini: { apiKey: 'any', baseUrl: fixture.sim.url },
    authenticate,
    allowedOrigins: [origin],
    resumeSecret,
    logger: recordingLogger(),
  })
  const host = await hostServer(voice)
  t.after(async () => {
    await voice.close()
    await host.close()
  })
  const { sessionId, resumeToken } = started
  const again = await VoiceClient.start(host.url, { sessionId, resumeToken }, ADA)
  assert.equal(again.started.resumed, true)
})

test('`say` has the model of a call say a text', async t => {
  const { server, start, written } = await startHost(t)
  const client = await start({}, ADA)
  assert.equal(server.say(client.started.sessionId, 'The train leaves at nine.'), true)
  await client.next('turnComplete')
  assert.ok(written().some(text => text.includes('The train leaves at nine.')))
  assert.equal(server.say('another-session', 'hello'), false)
})

test('a registry in which an error of one tool ends all calls is warned about, once', async t => {
  const warnings = async strayErrors => {
    const { logger } = await startHost(t, { registry: { strayErrors } })
    return logger.lines.filter(({ message }) => message.includes('strayErrors')).length
  }
  assert.equal(await warnings(undefined), 1)
  assert.equal(await warnings('crash'), 1)
  assert.equal(await warnings('report'), 0)
})
