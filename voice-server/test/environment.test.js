// Environment variables, and the options for the provider's SDK.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { OAuth2Client } from 'google-auth-library'
import { loadHostWork, readEnvironment } from '../src/settings/environment.js'
import { clientOptions } from '../src/providers/gemini/gemini-connect.js'
import { chooseProvider } from '../src/providers/providers.js'
import { on, say, startFixture } from './support/fixture.js'

const chosenBy = env => readEnvironment(env).chosen

test('which provider answers', () => {
  const rows = [
    [{}, 'gemini', null],
    [{ GEMINI_API_KEY: 'g' }, 'gemini', { apiKey: 'g', baseUrl: undefined }],
    [{ GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o' }, 'gemini', { apiKey: 'g', baseUrl: undefined }],
    [
      { TOOLGATE_GEMINI_BASE_URL: 'http://sim', OPENAI_API_KEY: 'o' },
      'gemini',
      { apiKey: 'none', baseUrl: 'http://sim' },
    ],
    [{ OPENAI_API_KEY: 'o' }, 'openai', { apiKey: 'o', baseUrl: undefined }],
    [
      { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'https://gateway' },
      'openai',
      { apiKey: 'o', baseUrl: 'https://gateway' },
    ],
    // An OpenAI base URL alone is for the text page and does not select the voice provider.
    [{ TOOLGATE_OPENAI_BASE_URL: 'http://sim/v1' }, 'gemini', null],
    [
      { TOOLGATE_OPENAI_BASE_URL: 'http://sim/v1', TOOLGATE_VOICE_PROVIDER: 'openai' },
      'openai',
      { apiKey: 'none', baseUrl: 'http://sim/v1' },
    ],
    [
      {
        GEMINI_API_KEY: 'g',
        OPENAI_API_KEY: 'o',
        TOOLGATE_VOICE_PROVIDER: 'openai',
        TOOLGATE_OPENAI_REALTIME_MODEL: 'm',
      },
      'openai',
      { apiKey: 'o', baseUrl: undefined, model: 'm' },
    ],
    [{ TOOLGATE_VOICE_PROVIDER: 'openai' }, 'openai', null],
    [{ TOOLGATE_VOICE_PROVIDER: 'gptLive' }, 'gptLive', null],
    [
      { OPENAI_API_KEY: 'o', TOOLGATE_VOICE_PROVIDER: 'gptLive', TOOLGATE_GPT_LIVE_BACKEND_MODEL: 'b' },
      'gptLive',
      { apiKey: 'o', baseUrl: undefined, backendModel: 'b' },
    ],
    [
      { OPENAI_API_KEY: 'o', TOOLGATE_VOICE_PROVIDER: 'gptLive', TOOLGATE_GPT_LIVE_MODEL: 'm' },
      'gptLive',
      { apiKey: 'o', baseUrl: undefined, model: 'm' },
    ],
    [
      {
        GOOGLE_GENAI_USE_VERTEXAI: 'true',
        GOOGLE_CLOUD_PROJECT: 'p',
        GOOGLE_CLOUD_LOCATION: 'l',
        TOOLGATE_GEMINI_MODEL: 'm',
      },
      'gemini',
      { surface: 'vertex', project: 'p', location: 'l', baseUrl: undefined, model: 'm' },
    ],
  ]
  for (const [env, provider, settings] of rows)
    assert.deepEqual(chosenBy(env), { provider, settings }, JSON.stringify(env))
  assert.throws(() => chosenBy({ TOOLGATE_VOICE_PROVIDER: 'other' }), /must be gemini, openai or gptLive/)
})

test('the other variables', () => {
  const defaults = { port: 8788, audit: 'stdout', store: 'memory', allowAnonymous: false, spokenConsent: false }
  const { options } = readEnvironment({})
  const { clientLimits, ...plain } = options
  assert.deepEqual(Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)), defaults)
  assert.deepEqual(clientLimits, { perAddress: undefined, perPrincipal: undefined })
  const given = readEnvironment({
    PORT: '0',
    TOOLGATE_AUDIT: '/a.log',
    TOOLGATE_STORE: 'rediss://x',
    ALLOWED_ORIGINS: 'https://A.example:443/, no-origin,',
    TOOLGATE_ALLOWED_HOSTS: 'voice.example, ',
    TOOLGATE_SPOKEN_CONSENT: 'en, de',
    TOOLGATE_TRUSTED_PROXIES: '10.0.0.0/8, loopback',
    TOOLGATE_ADDRESS_LIMITS: 'connections=8',
    TOOLGATE_PRINCIPAL_LIMITS: 'longPolls=2',
  }).options
  assert.deepEqual(given.trustedProxies, ['10.0.0.0/8', 'loopback'])
  assert.deepEqual(given.clientLimits, { perAddress: { connections: 8 }, perPrincipal: { longPolls: 2 } })
  assert.throws(() => readEnvironment({ TOOLGATE_ADDRESS_LIMITS: 'x=1' }), /TOOLGATE_ADDRESS_LIMITS: `x` is no limit/)
  assert.deepEqual(
    [given.port, given.audit.file, given.store, given.allowedOrigins, given.allowedHosts, given.spokenConsent],
    [
      0,
      '/a.log',
      { redis: 'rediss://x' },
      ['https://a.example', 'no-origin'],
      ['voice.example'],
      { languages: ['en', 'de'] },
    ],
  )
  assert.equal(readEnvironment({ TOOLGATE_SPOKEN_CONSENT: '1' }).options.spokenConsent, true)
  assert.equal(readEnvironment({ TOOLGATE_SPOKEN_CONSENT: 'false' }).options.spokenConsent, false)
  assert.throws(() => readEnvironment({ PORT: 'x' }), /PORT `x` must be/)
  for (const name of ['TOOLGATE_METRICS_TOKEN', 'TOOLGATE_RESUME_SECRET', 'TOOLGATE_TRUSTED_PROXIES'])
    assert.throws(() => readEnvironment({ [name]: 'x' }), new RegExp(`^TypeError: ${name}: `))
})

test('a variable that would refuse every page, or every answer, is refused without what may be a password', () => {
  const rows = [
    ['TOOLGATE_SPOKEN_CONSENT', ['xx', 'en, xx', 'toString', ',']],
    ['ALLOWED_ORIGINS', ['*', 'https://*.example', 'app.example', 'https://ada:word-4711@app.example', 'null']],
    ['TOOLGATE_ALLOWED_HOSTS', ['*', 'https://voice.example', 'voice.example:8788', 'ada:word-4711@voice.example']],
  ]
  for (const [name, values] of rows)
    for (const value of values) {
      const refused = error => error.message.startsWith(`${name}: `) && !error.message.includes('4711')
      assert.throws(() => readEnvironment({ [name]: value }), refused, `${name}=${value}`)
    }
})

test('options that cannot work are refused, each with what would be right', () => {
  assert.throws(() => chooseProvider({}), /`gemini.apiKey` is missing/)
  assert.throws(() => chooseProvider({ openai: {} }), /`openai.apiKey` is missing/)
  assert.throws(
    () => chooseProvider({ provider: 'toString', gemini: { apiKey: 'a' } }),
    /`provider` must be gemini, openai or gptLive/,
  )
  assert.throws(() => chooseProvider({ gptLive: {} }), /`gptLive.apiKey` is missing/)
  const gptLive = { apiKey: 'a' }
  assert.throws(() => chooseProvider({ gptLive, delegate: 'x' }), /`delegate` must be a function/)
  assert.throws(() => chooseProvider({ gemini: { apiKey: 'a' }, delegate: () => '' }), /needs the provider `gptLive`/)
  assert.throws(() => chooseProvider({ gemini: { apiKey: 'a' }, readAloud: 'x' }), /`readAloud` must be a function/)
  assert.throws(() => chooseProvider({ gemini: { surface: 'vertex', project: 'p' } }), /`gemini.location` are missing/)
  assert.equal(
    chooseProvider({ gemini: { apiKey: 'a' }, openai: { apiKey: 'b' }, provider: 'openai' }).provider,
    'openai',
  )
})

test('the host works for the model by a module that a variable names', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
  t.after(() => rm(folder, { recursive: true }))
  const [good, bad] = [join(folder, 'good.mjs'), join(folder, 'bad.mjs')]
  await writeFile(good, 'export const delegate = () => "done"')
  await writeFile(bad, 'export const work = 7')
  assert.deepEqual(await loadHostWork({}), {})
  assert.equal((await loadHostWork({ TOOLGATE_VOICE_DELEGATE: good })).delegate(), 'done')
  await assert.rejects(loadHostWork({ TOOLGATE_VOICE_DELEGATE: bad }), /bad.mjs` must export the function `delegate`/)
})

test('what the SDK of Gemini is handed, for the Developer API and for Vertex AI', () => {
  const at = { httpOptions: { baseUrl: 'http://x' } }
  assert.deepEqual(clientOptions({ apiKey: 'k', model: 'm' }), { apiKey: 'k' })
  assert.deepEqual(clientOptions({ apiKey: 'k', baseUrl: 'http://x', model: 'm' }), { apiKey: 'k', ...at })
  const vertex = { surface: 'vertex', project: 'p', location: 'europe-west4', model: 'm' }
  assert.deepEqual(clientOptions(vertex), { vertexai: true, project: 'p', location: 'europe-west4' })
  const googleAuthOptions = { keyFilename: '/key.json' }
  assert.deepEqual(clientOptions({ ...vertex, googleAuthOptions, baseUrl: 'http://x' }), {
    vertexai: true,
    project: 'p',
    location: 'europe-west4',
    googleAuthOptions,
    ...at,
  })
  assert.deepEqual(clientOptions({ surface: 'vertex', apiKey: 'express', model: 'm' }), {
    vertexai: true,
    apiKey: 'express',
  })
})

test('a conversation over the path, the credentials and the model names of Vertex AI', async t => {
  const authClient = new OAuth2Client()
  authClient.setCredentials({ access_token: 'token-of-a-test', expiry_date: Date.now() + 3_600_000 })
  const { sim, start, server } = await startFixture(t, {
    rules: [on('hello', [say('hi')])],
    server: url => ({
      gemini: {
        surface: 'vertex',
        project: 'studio',
        location: 'europe-west4',
        googleAuthOptions: { authClient },
        baseUrl: url,
      },
    }),
  })
  const client = await start()
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
  assert.match(sim.received[0].path, /google\.cloud\.aiplatform\.\w+\.LlmBidiService\/BidiGenerateContent$/)
  const { setup } = await sim.live.whenConnected()
  assert.equal(setup.model, 'projects/studio/locations/europe-west4/publishers/google/models/gemini-3.8-live')
  assert.ok(server.port > 0)
})
