// `toolgate doctor`: the settings of the voice server and of the web app in the environment.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const require = createRequire(import.meta.url)
const { checkServers } = require('../../js/cli/doctor/servers.js')
const { checkAuditOf } = require('../../js/cli/doctor/state.js')

const lines = checks => checks.map(({ status, message }) => `${status}: ${message}`)

const VOICE = { TOOLGATE_SPOKEN_CONSENT: 'on', GEMINI_API_KEY: 'key-4711' }
const WEB = { TOOLGATE_OPENAI_MODEL: 'gpt-6.1-terra', OPENAI_API_KEY: 'key-4711' }

test.each([
  ['no setting of the servers', {}, []],
  ['a voice server', VOICE, ['ok: 1 setting of the servers can be read']],
  ['a web app', WEB, ['ok: 1 setting of the servers can be read']],
  ['an unknown setting', { TOOLGATE_AUDITS: 'x' }, ['warning: there is no setting TOOLGATE_AUDITS']],
  [
    'no key',
    { ...VOICE, GEMINI_API_KEY: '' },
    ['warning: the voice server has no GEMINI_API_KEY, so a simulator answers in place of a model'],
  ],
  [
    'no key in production',
    { TOOLGATE_VOICE_PROVIDER: 'gptLive', NODE_ENV: 'production' },
    ['problem: the voice server needs OPENAI_API_KEY'],
  ],
  ['no model of the web app', { ...WEB, OPENAI_API_KEY: '' }, ['warning: the web app has no model']],
  [
    'an unknown provider',
    { TOOLGATE_VOICE_PROVIDER: 'gemni' },
    ['problem: TOOLGATE_VOICE_PROVIDER `gemni` must be gemini, openai or gptLive'],
  ],
  [
    'Vertex AI without a project',
    { ...VOICE, GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: '', GOOGLE_CLOUD_LOCATION: '' },
    ['problem: `gemini.project` and `gemini.location` are missing (or `gemini.apiKey`, in express mode)'],
  ],
  [
    'work for a model that does its own',
    { ...VOICE, TOOLGATE_VOICE_DELEGATE: 'package.json' },
    ['problem: `delegate` needs the provider `gptLive`, not `gemini`'],
  ],
  [
    'an address for others without users',
    { ...VOICE, HOST: '0.0.0.0' },
    [expect.stringMatching(/^problem: other machines can reach `0\.0\.0\.0`: give `authenticate`/)],
  ],
  [
    'a module that is not there',
    { ...VOICE, TOOLGATE_AUTHENTICATE: 'gone.mjs' },
    ['problem: `gone.mjs` of TOOLGATE_AUTHENTICATE does not exist'],
  ],
  [
    'a limit that does not exist',
    { ...VOICE, TOOLGATE_VOICE_LIMITS: 'idle=1' },
    [expect.stringMatching(/^problem: TOOLGATE_VOICE_LIMITS: `idle` is no limit/)],
  ],
  [
    'no address of a socket',
    { ...WEB, TOOLGATE_VOICE_URL: 'http://voice.example/voice' },
    ['problem: TOOLGATE_VOICE_URL must be a URL that begins with `wss://` or `ws://`'],
  ],
  [
    'languages without phrases',
    { ...VOICE, TOOLGATE_SPOKEN_CONSENT: 'en,tlh' },
    [expect.stringMatching(/^problem: TOOLGATE_SPOKEN_CONSENT: .*unknown language `tlh`/)],
  ],
  [
    'a file that is no tool set',
    { ...VOICE, TOOLGATE_ARTIFACT: 'package.json' },
    [expect.stringMatching(/^problem: the file of TOOLGATE_ARTIFACT: /)],
  ],
  [
    'a file without records',
    { ...WEB, TOOLGATE_KNOWLEDGE_FILE: 'package.json' },
    [expect.stringMatching(/^problem: the file of TOOLGATE_KNOWLEDGE_FILE: /)],
  ],
  [
    'a folder in place of a file',
    { ...WEB, TOOLGATE_ARTIFACT: 'docs' },
    ['problem: `docs` of TOOLGATE_ARTIFACT is not a file'],
  ],
  [
    'pages that no browser has',
    { ...VOICE, ALLOWED_ORIGINS: 'localhost,https://*.example' },
    [
      'problem: ALLOWED_ORIGINS: `https://*.example` must be an origin without path, such as `https://app.example`, `localhost`, `no-origin`',
    ],
  ],
  [
    'pages of the web app that no browser has',
    { ...WEB, TOOLGATE_ALLOWED_ORIGINS: 'https://app.example/chat' },
    [
      'problem: TOOLGATE_ALLOWED_ORIGINS: `https://app.example/chat` must be an origin without path, such as `https://app.example`',
    ],
  ],
  [
    'hosts with a port',
    { ...WEB, TOOLGATE_ALLOWED_HOSTS: 'app.example:443', TOOLGATE_INSPECTOR_HOSTS: '*' },
    [
      'problem: TOOLGATE_INSPECTOR_HOSTS: `*` must be a host name without port, such as `app.example`',
      'problem: TOOLGATE_ALLOWED_HOSTS: `app.example:443` must be a host name without port, such as `app.example`',
    ],
  ],
  [
    'an endpoint of spans without a scheme',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    ['problem: OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL that begins with `https://` or `http://`'],
  ],
])('%s', async (_, env, expected) => expect(lines(await checkServers(env, tmpdir()))).toEqual(expected))

test('a module that a setting names is not run', async () => {
  const file = path.join(temporaryFolder(), 'authenticate.mjs')
  writeFileSync(file, "throw new Error('run')\n")
  const env = { ...VOICE, HOST: '0.0.0.0', TOOLGATE_AUTHENTICATE: file }
  expect(lines(await checkServers(env, tmpdir()))).toEqual(['ok: 2 settings of the servers can be read'])
})

test('no secret and no address is printed', async () => {
  const secrets = {
    OPENAI_API_KEY: 'key 4711',
    TOOLGATE_GEMINI_BASE_URL: 'https://ada:pass-4711@gemini.example',
    TOOLGATE_METRICS_TOKEN: 'token-4711',
    TOOLGATE_RESUME_SECRET: 'resume-4711',
    TOOLGATE_COOKIE_SECRET: 'cookie-4711',
    TOOLGATE_INSPECTOR_SECRET: 'inspect-4711',
    TOOLGATE_AUDIT_KEY: 'audit-4711',
    ALLOWED_ORIGINS: 'https://ada:pass-4711@app.example',
    TOOLGATE_ALLOWED_HOSTS: 'ada:pass-4711@app.example',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ada:pass-4711@[h',
    TOOLGATE_STORE: 'reddis://ada:pass-4711@127.0.0.1/0',
  }
  const { home } = project({ tools: { echo: {} } })
  const { code, stdout } = await toolgate(['doctor', '--json'], { cwd: home, env: secrets })
  expect(code).toBe(1)
  expect(stdout).not.toContain('4711')
  const problems = JSON.parse(stdout).checks.filter(({ status }) => status === 'problem')
  for (const name of Object.keys(secrets))
    expect([name, problems.some(({ message }) => message.includes(name))]).toEqual([name, true])
})

test('the key of an audit file', () => {
  const file = path.join(temporaryFolder(), 'audit.jsonl')
  const writable = `ok: \`${file}\` of TOOLGATE_AUDIT can be written`
  const of = more => lines(checkAuditOf({ TOOLGATE_AUDIT: file, ...more }))
  expect(of({})).toEqual([writable, `warning: nothing will verify \`${file}\`: no key outlives the process`])
  expect(of({ TOOLGATE_STORE: 'new.sqlite' })).toEqual([writable])
})
