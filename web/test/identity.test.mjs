// Who may use the app, and how much: `authenticate`, limits of clients, the address that it listens to.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { SignJWT } from 'jose'
import { createRegistry } from 'toolgate'
import { Browser } from './browser.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { STANDALONE_SERVER, WEB, startWeb } from './web-server.mjs'

const BOOK = callOnce({ name: 'book_room', args: { room: 'Harbour' } })
/** A host's module: users by the cookie of its own login. */
const AUTHENTICATE = `
const USERS = { ada: { principal: 'ada' }, bob: { principal: 'bob', limits: { requestsPerSecond: 1 } }, bad: { principal: '' } }
export function authenticate({ headers }) {
  const [, user] = /(?:^|; )login=([^;]+)/.exec(headers.cookie ?? '') ?? []
  return USERS[user] ?? null
}
`
const NEXT = join(WEB, 'node_modules/next/dist/bin/next')
const json = { 'content-type': 'application/json' }

/** A browser that is signed in at the host. */
class User extends Browser {
  #login
  constructor(url, name) {
    super(url)
    this.#login = `login=${name}`
  }
  fetch(path, { headers, ...init } = {}) {
    const cookie = [this.#login, this.cookie].filter(Boolean).join('; ')
    return super.fetch(path, { ...init, headers: { ...headers, cookie } })
  }
}

describe('identity', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let folder
  let env
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-identity-'))
    endings.unshift(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'authenticate.mjs'), AUTHENTICATE)
    const simulated = await simulate(context, BOOK)
    const tools = await buildTestTools(context)
    env = { ...simulated.env, TOOLGATE_ARTIFACT: tools, TOOLGATE_AUTHENTICATE: join(folder, 'authenticate.mjs') }
    web = await startWeb(context, { env })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  test('each route of users is 401 without an identity; the page and the probes are served', async () => {
    const routes = [
      ['POST', '/api/chat'],
      ['GET', '/api/confirmations'],
      ['POST', '/api/confirmations'],
      ['POST', '/api/confirmations/watch'],
      ['POST', '/api/tools/book_room'],
      ['POST', '/api/tools/webcam'],
      ['DELETE', '/api/tools/webcam?kind=screen'],
      ['GET', '/api/images/none'],
    ]
    for (const [method, path] of routes) {
      const response = await fetch(web.url + path, {
        method,
        headers: json,
        body: method === 'POST' ? '{}' : undefined,
      })
      assert.equal(response.status, 401, path)
      assert.deepEqual(response.headers.getSetCookie(), [], path)
    }
    for (const path of ['/', '/api/healthz', '/api/readyz'])
      assert.equal((await fetch(web.url + path)).status, 200, path)
  })

  test("a session is its user's, whatever cookie is sent with it", async () => {
    const ada = new User(web.url, 'ada')
    const { token } = (await ada.say('book')).ofType('data-confirmation')[0].data
    const thief = new User(web.url, 'bob')
    thief.cookie = ada.cookie
    const refused = await thief.confirm(token, 'approve')
    assert.deepEqual([refused.status, refused.body.error.type], [409, 'SESSION_INACTIVE'])
    const approved = await ada.confirm(token, 'approve')
    assert.deepEqual([approved.status, approved.body.response.data.room], [200, 'Harbour'])
  })

  test("a voice session's key is its owner's: under another login it answers nothing", async t => {
    const store = join(folder, 'voice.sqlite')
    const own = await startWeb(t, {
      env: { ...env, TOOLGATE_STORE: store, TOOLGATE_TEST_NOTES: join(folder, 'notes.log') },
    })
    const voice = { sessionId: 's'.repeat(22), resumeToken: 't'.repeat(43) }
    const registry = createRegistry({ artifact: env.TOOLGATE_ARTIFACT, store: { file: store }, audit: 'none' })
    t.after(() => registry.close())
    await registry.load()
    const { sessionId, resumeToken } = voice
    const session = await registry.createSession({ sessionId, resumeToken, principal: 'ada', mode: 'voice' })
    const asked = await session.execute({ id: 'call-of-the-voice-1', name: 'leave_note', args: { text: 'Buy tea' } })
    assert.equal(asked.error.type, 'CONFIRMATION_REQUIRED')
    const [{ token: confirmationToken }] = await session.listPending()
    const decide = async name => {
      const body = { confirmationToken, decision: 'approve', voice }
      const response = await new User(own.url, name).postJson('/api/confirmations', body)
      return { status: response.status, body: await response.json() }
    }
    const refused = await decide('bob')
    assert.deepEqual([refused.status, refused.body.error.type], [401, 'AUTH'])
    assert.equal((await session.listPending()).length, 1)
    const approved = await decide('ada')
    assert.deepEqual([approved.status, approved.body.response.data.by], [200, `process ${own.pid}`])
  })

  test("the README's `authenticate`: a valid JWT in the login's cookie is an identity, no other", async t => {
    const readme = await readFile(join(WEB, 'README.md'), 'utf8')
    const [, code] = /```js\n(\/\/ authenticate\.mjs\n[^`]*)```/.exec(readme)
    const file = join(folder, 'by-token.mjs')
    await symlink(join(WEB, '../node_modules'), join(folder, 'node_modules'))
    await writeFile(file, code)
    const LOGIN_KEY = 'a key of at least thirty-two bytes'
    const own = await startWeb(t, { env: { ...env, TOOLGATE_AUTHENTICATE: file, LOGIN_KEY } })
    const tokenBy = (key, audience) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('ada')
        .setAudience(audience)
        .sign(new TextEncoder().encode(key))
    const statusOf = async login => (await new User(own.url, login).fetch('/api/confirmations')).status
    assert.equal(await statusOf(await tokenBy(LOGIN_KEY, 'app')), 200)
    assert.equal(await statusOf(await tokenBy(LOGIN_KEY, 'other')), 401)
    assert.equal(await statusOf(await tokenBy('another key of at least thirty bytes', 'app')), 401)
  })

  test('an identity of another shape is 500, and logged', async () => {
    assert.equal((await new User(web.url, 'bad').fetch('/api/confirmations')).status, 500)
    assert.match(web.log(), /"reason":"`authenticate` failed: `principal` of `authenticate` must be/)
  })

  test('a principal has its own limit of requests, another one is not affected', async () => {
    const statusOf = async name => (await new User(web.url, name).fetch('/api/confirmations')).status
    const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf('bob')))
    assert.ok(statuses.includes(429), String(statuses))
    assert.equal(await statusOf('ada'), 200)
  })

  test('an address that a trusted proxy reports has its limits', async t => {
    const limits = 'sessionsPerMinute=2, longPolls=0, requestsPerSecond=4'
    const settings = {
      ...env,
      TOOLGATE_AUTHENTICATE: '',
      TOOLGATE_TRUSTED_PROXIES: 'loopback',
      TOOLGATE_ADDRESS_LIMITS: limits,
    }
    const limited = await startWeb(t, { env: settings })
    const say = async (address, browser = new Browser(limited.url)) => {
      const response = await browser.post('book', { headers: { ...json, 'x-forwarded-for': address } })
      await response.text()
      return { browser, status: response.status, retryAfter: response.headers.get('retry-after') }
    }
    const first = await say('192.0.2.7')
    assert.deepEqual([first.status, (await say('192.0.2.7')).status], [200, 200])
    const third = await say('192.0.2.7')
    assert.deepEqual([third.status, third.retryAfter], [429, '60'])
    assert.equal((await say('192.0.2.7', first.browser)).status, 200, 'the conversation goes on')
    assert.equal((await say('192.0.2.8')).status, 200)
    const get = () => fetch(`${limited.url}/api/confirmations`, { headers: { 'x-forwarded-for': '192.0.2.9' } })
    const statuses = (await Promise.all(Array.from({ length: 40 }, get))).map(({ status }) => status)
    assert.ok(statuses.includes(200) && statuses.includes(429), String(statuses))
  })

  test('a wrong setting ends the start and names itself', async t => {
    for (const [name, value, message] of [
      ['TOOLGATE_ADDRESS_LIMITS', 'x=1', /TOOLGATE_ADDRESS_LIMITS: `x` is no limit/],
      ['TOOLGATE_TRUSTED_PROXIES', 'nowhere', /`nowhere` must be an IP address/],
      ['TOOLGATE_AUTHENTICATE', join(folder, 'none.mjs'), /none\.mjs/],
      ['TOOLGATE_COOKIE_SECRET', 'short', /TOOLGATE_COOKIE_SECRET: must have at least 16 bytes/],
    ])
      await assert.rejects(startWeb(t, { env: { ...env, [name]: value } }), message)
  })

  test('on an address that other machines reach the app does not start for anybody', async t => {
    const anywhere = { ...env, HOSTNAME: '0.0.0.0', TOOLGATE_AUTHENTICATE: '' }
    await assert.rejects(startWeb(t, { env: anywhere }), /other machines can reach `0\.0\.0\.0`: give `authenticate`/)
    // Next may answer a probe before it lets the app look at requests.
    const command = port => [NEXT, 'start', WEB, '-H', '0.0.0.0', '-p', String(port)]
    const started = await startWeb(t, { env: anywhere, command }).catch(error => error)
    const hasEnded = started instanceof Error
    while (!hasEnded && (await fetch(started.url).catch(() => null)));
    assert.match(hasEnded ? started.message : started.log(), /other machines can reach `0\.0\.0\.0`/)
    await startWeb(t, { env: { ...anywhere, TOOLGATE_ALLOW_ANONYMOUS: '1' } })
    await startWeb(t, { env: { ...env, HOSTNAME: '0.0.0.0' } })
  })

  test('the app listens to this machine alone unless it is said', async t => {
    const { HOSTNAME: _, ...inherited } = process.env
    const child = spawn(process.execPath, [STANDALONE_SERVER], {
      env: { ...inherited, PORT: '0', TOOLGATE_AUDIT: 'none' },
    })
    t.after(() => child.kill('SIGKILL'))
    let log = ''
    child.stdout.on('data', chunk => (log += chunk))
    while (!/Ready/.test(log)) await once(child.stdout, 'data')
    assert.match(log, /http:\/\/127\.0\.0\.1:\d+/)
  })
})
