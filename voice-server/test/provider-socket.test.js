// The address and the headers of the provider's socket, as the host sets them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { createVoiceServer } from '../server.js'
import { recordingLogger, startFixture } from './support/fixture.js'

/** A service that refuses each call, and what it was asked. */
async function service(t) {
  const requests = []
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket, { url, headers }) => {
    requests.push({ url, headers })
    socket.close(1011, 'closed for today')
  })
  await once(server, 'listening')
  t.after(() => server.close())
  return { requests, at: `127.0.0.1:${server.address().port}` }
}

/** The first request of a call with these settings. */
async function askedWith(t, provider, settings) {
  const { requests, at } = await service(t)
  const { open } = await startFixture(t, { provider, rules: [], handlers: {}, server: { [provider]: settings(at) } })
  const client = await open()
  client.send({ type: 'start' })
  assert.equal((await client.next('error')).code, 'provider_unavailable')
  return requests[0]
}

const PATHS = {
  gemini: /BidiGenerateContent\?key=secret$/,
  openai: /^\/v1\/realtime\?model=/,
  gptLive: /^\/v1\/live\/sessions$/,
}

for (const provider of ['gemini', 'openai', 'gptLive']) {
  test(`${provider}: headers are sent beside those of the provider, and replace them whatever their case`, async t => {
    const headers = {
      'X-Team': 'voice',
      'User-Agent': 'own',
      ...(provider === 'gemini' ? {} : { Authorization: 'Own key' }),
    }
    const baseUrl = at => `http://${at}${provider === 'gemini' ? '' : '/v1'}`
    const asked = await askedWith(t, provider, at => ({ apiKey: 'secret', baseUrl: baseUrl(at), headers }))
    assert.match(asked.url, PATHS[provider])
    assert.deepEqual([asked.headers['x-team'], asked.headers['user-agent']], ['voice', 'own'])
    if (provider !== 'gemini') assert.equal(asked.headers.authorization, 'Own key')
  })

  for (const scheme of ['ws', 'http'])
    test(`${provider}: the whole address (${scheme}:) takes the place of the provider's, without its key`, async t => {
      const asked = await askedWith(t, provider, at => ({
        url: `${scheme}://${at}/deployment/one?api-version=2`,
        headers: { 'api-key': 'mine' },
      }))
      assert.equal(asked.url, '/deployment/one?api-version=2')
      assert.deepEqual([asked.headers['api-key'], asked.headers.authorization], ['mine', undefined])
    })
}

test('an address that is none, and a provider without a key, are refused at the start', async () => {
  const options = { allowAnonymous: true, logger: recordingLogger() }
  for (const provider of ['gemini', 'openai', 'gptLive']) {
    for (const url of ['', 'live', 'ftp://x', 5])
      await assert.rejects(createVoiceServer({ ...options, [provider]: { apiKey: 'any', url } }), {
        name: 'TypeError',
        message: new RegExp(`^\`${provider}\\.url\` must be`),
      })
    await assert.rejects(createVoiceServer({ ...options, [provider]: {} }), /apiKey` is missing/)
  }
})
