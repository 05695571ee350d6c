// Who may connect: worked examples of `authenticate` with a JWT and with the cookie of a session.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SignJWT, jwtVerify } from 'jose'
import { eraseSessions, listSessions } from 'toolgate'
import { createVoiceServer } from '../server.js'
import { call, on, say, startFixture } from './support/fixture.js'
import { refusedStatus } from './support/voice-client.js'

const rules = [on('hello', [say('hi')])]
const KEY = new TextEncoder().encode('a key of at least thirty-two bytes')
const TOKENS = { issuer: 'https://login.example', audience: 'voice' }

const tokenFor = (user, { audience = TOKENS.audience, key = KEY, expires = '5m' } = {}) =>
  new SignJWT({ roles: ['staff'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setIssuer(TOKENS.issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key)

/** Reads a JWT; a bad one is no identity. */
async function byToken({ headers }) {
  const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  if (!token) return null
  const verified = await jwtVerify(token, KEY, { ...TOKENS, algorithms: ['HS256'] }).catch(() => null)
  return verified && { principal: verified.payload.sub, roles: verified.payload.roles, limits: { connections: 2 } }
}

const bearer = token => ({ headers: { authorization: `Bearer ${token}` } })

test('a JWT: a valid one connects, no other', async t => {
  const { server, start } = await startFixture(t, { rules, server: { authenticate: byToken } })
  const client = await start({}, bearer(await tokenFor('ada')))
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
  const wrong = [
    await tokenFor('ada', { audience: 'chat' }),
    await tokenFor('ada', { expires: '-1m' }),
    await tokenFor('ada', { key: new TextEncoder().encode('another key of thirty-two bytes or so') }),
    'no.token.atall',
  ]
  for (const token of wrong) assert.equal(await refusedStatus(server.url, bearer(token)), 401)
  assert.equal(await refusedStatus(server.url), 401)
})

test('the cookie of a session: a known one connects, no other', async t => {
  const sessions = new Map([['s1', { principal: 'ada' }]])
  const authenticate = ({ headers }) => {
    const [, id] = /(?:^|; )sid=([^;]+)/.exec(headers.cookie ?? '') ?? []
    return sessions.get(id) ?? null
  }
  const { server, start } = await startFixture(t, { rules, server: { authenticate } })
  await start({}, { headers: { cookie: 'theme=dark; sid=s1' } })
  assert.equal(await refusedStatus(server.url, { headers: { cookie: 'sid=s2' } }), 401)
})

test("another principal cannot resume a session with its owner's resume token", async t => {
  const { start, open } = await startFixture(t, { rules, server: { authenticate: byToken } })
  const { sessionId, resumeToken } = (await start({}, bearer(await tokenFor('ada')))).started
  const thief = await open(bearer(await tokenFor('bob')))
  thief.send({ type: 'start', sessionId, resumeToken })
  assert.equal((await thief.next('error')).code, 'resume_refused')
  const owner = await start({ sessionId, resumeToken }, bearer(await tokenFor('ada')))
  assert.equal(owner.started.sessionId, sessionId)
})

test("a user's sessions are found by the user's name and erased with all that was said, whatever the servers' secret is now", async t => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-erasure-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = { file: join(folder, 'sessions.sqlite') }
  const asking = [on('save', [call('note_save', { text: 'canary-4711' })], [say('It waits for you.')])]
  for (const resumeSecret of ['a secret of sixteen bytes', 'another one of sixteen bytes']) {
    const server = { authenticate: byToken, resumeSecret }
    const handlers = { note_save: () => ({ ok: true }) }
    const { start } = await startFixture(t, { rules: asking, handlers, store, server })
    for (const user of ['ada', 'bob']) {
      const client = await start({}, bearer(await tokenFor(user)))
      client.say('save')
      await client.next('confirmation')
    }
  }
  // By another process: closing the file in this one would give up the locks of its store.
  const everything = () => execFileSync('sh', ['-c', 'cat *'], { cwd: folder, encoding: 'latin1' })
  const questions = () => everything().split('canary-4711').length - 1
  const listed = async principal => (await listSessions(store, { principal })).sessions.length
  assert.deepEqual([await listed('ada'), await listed('bob')], [2, 2])
  const before = questions()
  assert.equal((await eraseSessions(store, { principal: 'ada' })).erased.questions, 2)
  assert.deepEqual([await listed('ada'), await listed('bob')], [0, 2])
  assert.ok(questions() < before)
  await eraseSessions(store, { principal: 'bob' })
  assert.equal(questions(), 0)
})

test('a principal has its limit of connections, another one its own', async t => {
  const { server, start } = await startFixture(t, { rules, server: { authenticate: byToken } })
  const ada = bearer(await tokenFor('ada'))
  await start({}, ada)
  await start({}, ada)
  assert.equal(await refusedStatus(server.url, ada), 429)
  await start({}, bearer(await tokenFor('bob')))
})

test('an `authenticate` that throws or returns another shape lets no client in, and is logged', async t => {
  const results = [() => assert.fail('down'), () => ({ principal: '' }), () => true]
  const authenticate = () => results.shift()()
  const { server, logger } = await startFixture(t, { rules, server: { authenticate } })
  for (const count of [1, 2, 3]) {
    assert.equal(await refusedStatus(server.url), 500)
    assert.equal(logger.lines.filter(({ message }) => message === '`authenticate` failed').length, count)
  }
})

test('on every address the server needs `authenticate` or `allowAnonymous`', async t => {
  for (const host of [undefined, 'localhost', '::1', '0.0.0.0'])
    for (const more of [{}, { allowAnonymous: false }, { allowAnonymous: 'yes' }])
      await assert.rejects(createVoiceServer({ host, gemini: { apiKey: 'none' }, ...more }), {
        name: 'TypeError',
        message: /^`authenticate` is missing: .*`allowAnonymous: true`/,
      })
  await startFixture(t, { rules, server: { host: '0.0.0.0', allowAnonymous: true } })
  await startFixture(t, { rules, server: { host: '0.0.0.0', authenticate: byToken } })
})
