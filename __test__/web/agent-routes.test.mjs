// The routes of an agent's page beside its chat: whose they are, which session they get, questions, grants, tools, and what is refused.
import { createClientLimits } from '../../js/http/index.js'
import { buildTools } from '../../index.js'
import web from '../../js/web/index.js'
import { eventually, gateway } from '../support/gate.mjs'
import { writeTools } from '../support/tool-set.mjs'
import { HOST, TOOLS, call, openAgent, textOf, user } from '../support/agent.mjs'
import { cpuMsOf } from '../support/cpu-time.mjs'

const SEND = [call('call_send_0001')]
const WAITS = 'It waits for you.'
const USERS = { ada: { principal: 'ada', roles: ['boss'] }, bob: { principal: 'bob' } }
const authenticate = ({ headers }) => USERS[headers.cookie?.match(/login=(\w+)/)?.[1]] ?? null
const as = name => ({ cookie: `login=${name}` })

describe('without authentication', () => {
  test('a signed cookie is who somebody is, renewed at use, as long as an idle session is kept', async () => {
    const { page } = await openAgent(['Hello.'], { registry: { limits: { sessionIdleMs: 7_200_000 } } })
    const one = page()
    const response = await one.fetch('POST', 'chat', { messages: [user('hi')] })
    await response.text()
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(
      /^toolgate_session=[\w-]{22}\.[\w-]{22}\.[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict$/,
    )
    const again = await one.fetch('GET', 'conversation')
    expect(again.headers.getSetCookie()).toEqual([cookie])
    expect((await again.json()).messages.map(textOf)).toEqual(['hi', 'Hello.'])
  })

  test('a made-up, changed or absent cookie has nothing, and gets no session by looking', async () => {
    const { page } = await openAgent([SEND, WAITS])
    const one = page()
    await one.say('send it')
    const [id, secret] = one.cookie.split('.')
    for (const cookie of ['', `${one.cookie}x`, `${id}.${secret}.${'A'.repeat(43)}`, `${id}.${'A'.repeat(22)}`]) {
      const other = page()
      other.cookie = cookie
      const response = await other.fetch('GET', 'conversation')
      expect([await response.json(), response.headers.getSetCookie()]).toEqual([{ messages: [], pending: [] }, []])
      expect(await other.decide(one.cards[0], 'approve')).toMatchObject({ status: 401, error: { type: 'AUTH' } })
      expect((await other.fetch('POST', 'tools/find_note', { to: 'Ada' })).status).toBe(401)
    }
  })

  test('a secret of the host signs the cookie', async () => {
    const { page, registry } = await openAgent(['Hello.', 'Again.'], { cookieSecret: 'a secret of the tests' })
    const one = page()
    await one.say('hi')
    const others = web.createAgentRoutes(registry, { answer: () => {}, cookieSecret: 'another secret of it' })
    const request = new Request(`http://${HOST}/api/conversation`, { headers: { host: HOST, cookie: one.cookie } })
    expect((await (await others.GET(request)).json()).messages).toEqual([])
  })
})

describe('with authentication', () => {
  test('a chat is its user’s: the same id is another chat of another user, and there is no cookie', async () => {
    const { page, registry } = await openAgent([SEND, WAITS, 'Hello.'], { authenticate })
    const [ada, bob] = [page(as('ada')), page(as('bob'))]
    await ada.say('send it', { id: 'c1' })
    expect(ada.cookie).toBe('')
    expect((await ada.json('GET', 'conversation?id=c1')).pending).toHaveLength(1)
    expect(await bob.json('GET', 'conversation?id=c1')).toEqual({ status: 200, messages: [], pending: [] })
    await bob.say('hi', { id: 'c1' })
    const stolen = await bob.decide(ada.cards[0], 'approve', { id: 'c1' })
    expect(stolen.response.error.type).toBe('CONFIRMATION_EXPIRED')
    expect(await ada.decide(ada.cards[0], 'approve', { id: 'c1' })).toMatchObject({
      status: 200,
      response: { ok: true },
    })
    // No id that a page knows names a session.
    await expect(registry.createSession({ sessionId: 'c1', mode: 'text', resumeOnly: true })).rejects.toThrow()
  })

  test('nobody is refused, in each route', async () => {
    const { page } = await openAgent([], { authenticate })
    const nobody = page()
    for (const [method, path] of [
      ['POST', 'chat'],
      ['GET', 'conversation'],
      ['GET', 'conversations'],
      ['POST', 'confirmations'],
      ['POST', 'confirmations/watch'],
      ['GET', 'grants'],
      ['POST', 'tools/find_note'],
      ['POST', 'calls/cancel'],
    ])
      expect([path, (await nobody.fetch(method, path, method === 'POST' ? {} : undefined)).status]).toEqual([path, 401])
  })

  test('a failing `authenticate` is 500 without details', async () => {
    const errors = []
    const failing = () => Promise.reject(new Error('database on 10.0.0.1'))
    const { page } = await openAgent([], { authenticate: failing, onError: error => void errors.push(error.message) })
    const answer = await page().json('GET', 'conversation')
    expect([answer.status, JSON.stringify(answer)]).toEqual([500, expect.not.stringContaining('10.0.0.1')])
    expect(errors).toEqual([expect.stringContaining('10.0.0.1')])
  })
})

test('chats have their own conversations, and are listed, the newest first', async () => {
  const { page } = await openAgent(['One.', 'Two.', 'Three.'])
  const one = page()
  await one.say('first words')
  await one.say('second', { id: 'c2', messages: [user('second')] })
  expect((await one.json('GET', 'conversations')).conversations.map(({ id, title }) => [id, title])).toEqual([
    ['c2', 'second'],
    ['main', 'first words'],
  ])
  await new Promise(resolve => setTimeout(resolve, 5))
  await one.say('more', { messages: [user('first words'), user('more', 'u2')] })
  const { conversations } = await one.json('GET', 'conversations')
  expect(conversations.map(({ id }) => id)).toEqual(['main', 'c2'])
  expect((await one.json('GET', 'conversation?id=c2')).messages.map(textOf)).toEqual(['second', 'Two.'])
  expect((await page().json('GET', 'conversations')).conversations).toEqual([])
})

test('what was decided elsewhere is told to a page that watches, by its outcome', async () => {
  const rounds = [SEND, WAITS, [call('call_send_0002', 'send_note', 'Eve')], WAITS]
  const { page } = await openAgent(rounds)
  const one = page()
  await one.say('send it')
  await one.say('another')
  const known = one.cards.map(({ token }) => ({ token }))
  const watching = one.json('POST', 'confirmations/watch', { known })
  await one.decide(one.cards[0], 'approve')
  expect(await watching).toMatchObject({
    pending: [{ token: known[1].token }],
    closed: [{ token: known[0].token, outcome: 'done' }],
  })
  await one.decide(one.cards[1], 'deny')
  const { closed } = await one.json('POST', 'confirmations/watch', { known: [...known, { token: 'tgc_none' }] })
  expect(closed.map(({ outcome }) => outcome)).toEqual(['done', 'denied', 'unknown'])
})

test('a watch ends when the server does', async () => {
  const closing = new AbortController()
  const { page } = await openAgent(['Hello.'], { closing: closing.signal })
  const one = page()
  await one.say('hi')
  const watching = one.fetch('POST', 'confirmations/watch', { known: [] })
  closing.abort()
  expect((await watching).headers.get('connection')).toBe('close')
})

test('a bad change is refused, and the question stays; a denial of a stale card denies nothing', async () => {
  const { page } = await openAgent([SEND, WAITS])
  const one = page()
  await one.say('send it')
  const bad = await one.decide(one.cards[0], 'approve', { args: { to: 5 } })
  expect([bad.status, bad.response.error.type]).toEqual([400, 'VALIDATION'])
  expect((await one.json('GET', 'confirmations')).pending).toHaveLength(1)
  expect((await one.decide(one.cards[0], 'approve')).response.ok).toBe(true)
  expect((await one.decide(one.cards[0], 'deny')).denied).toBe(false)
})

test('a grant is listed, and ended', async () => {
  const send_note = { ...TOOLS.send_note, confirmation: { preview: 'Send', grantable: 'tool' } }
  const { page } = await openAgent([SEND, WAITS], { tools: { send_note } })
  const one = page()
  await one.say('send it')
  await one.decide(one.cards[0], 'approve', { grant: { scope: 'tool', calls: 3, ttlMs: 60_000 } })
  const { grants } = await one.json('GET', 'grants')
  expect(grants).toHaveLength(1)
  expect((await one.json('DELETE', 'grants', { revoke: grants[0].id })).grants).toEqual([])
})

test('a chat that has not begun has no grants: a page that asks, of whomever, is refused nothing', async () => {
  for (const [options, headers] of [
    [{}, {}],
    [{ authenticate }, as('ada')],
  ]) {
    const { page } = await openAgent([], options)
    const one = page(headers)
    for (const method of ['GET', 'POST'])
      expect([method, await one.json(method, 'grants', method === 'POST' ? { id: 'c7' } : undefined)]).toEqual([
        method,
        { status: 200, grants: [] },
      ])
    const ended = await one.json('POST', 'grants', { id: 'c7', revoke: 'grant_1' })
    expect(['AUTH', 'SESSION_INACTIVE']).toContain(ended.error.type)
    expect(one.cookie).toBe('')
  }
})

test('a tool of the page runs in the session of the chat', async () => {
  const { page } = await openAgent(['Hello.'])
  const one = page()
  await one.say('hi')
  expect(await one.json('POST', 'tools/find_note', { to: 'Ada' })).toMatchObject({
    status: 200,
    data: { found: 'Ada' },
  })
})

test('a running call is stopped by its id, by its own user only', async () => {
  const begun = gateway()
  const slow = {
    execute: ({ signal }) => new Promise((_, reject) => (begun.open(), signal.addEventListener('abort', reject))),
  }
  const rounds = ['Hi.', [{ id: 'call_slow_0001', name: 'slow', args: '{}' }], 'Stopped.']
  const { page } = await openAgent(rounds, { tools: { slow } })
  const [one, other] = [page(), page()]
  await other.say('hi')
  const response = await one.fetch('POST', 'chat', { messages: [user('do it')] })
  await begun.passed
  expect(await other.json('POST', 'calls/cancel', { callId: 'call_slow_0001' })).toMatchObject({ cancelled: false })
  expect(await one.json('GET', 'conversation')).toMatchObject({ running: true })
  expect(await one.json('POST', 'calls/cancel', { callId: 'call_slow_0001' })).toMatchObject({ cancelled: true })
  await response.text()
  await eventually(async () => !(await one.json('GET', 'conversation')).running, 'the answer ends')
  expect(await one.json('POST', 'calls/cancel', { callId: 'call_slow_0001' })).toMatchObject({ cancelled: false })
})

test('a voice call’s session needs its token and its user', async () => {
  const { page, registry } = await openAgent(['Hello.'], { authenticate })
  const voice = { sessionId: 's'.repeat(22), resumeToken: 't'.repeat(43) }
  const session = await registry.createSession({ ...voice, principal: 'ada', mode: 'voice' })
  await session.execute({ id: 'call_voice_0001', name: 'send_note', args: { to: 'Ada' } }).catch(() => null)
  const [ada, bob] = [page(as('ada')), page(as('bob'))]
  const watch = (who, more) =>
    who.json('POST', 'confirmations/watch', { known: [{ token: 'x' }], voice: { ...voice, ...more } })
  expect((await watch(ada, {})).status).toBe(200)
  expect((await watch(ada, { resumeToken: 'f'.repeat(43) })).status).toBe(401)
  expect((await watch(ada, { sessionId: 'n'.repeat(22) })).status).toBe(409)
  expect((await watch(bob, {})).status).toBe(401)
})

test('an app’s own route has the session of a chat', async () => {
  const { page, routes } = await openAgent(['Hello.'])
  const one = page()
  await one.say('hi')
  const request = headers => new Request(`http://${HOST}/api/webcam`, { headers: { host: HOST, ...headers } })
  const own = headers =>
    routes.respond(request(headers), ({ withSession }) => withSession(({ mode }) => Response.json({ mode })))
  expect(await (await own({ cookie: one.cookie })).json()).toEqual({ mode: 'text' })
  expect((await own({})).status).toBe(401)
  expect((await own({ cookie: one.cookie, origin: 'https://evil.example' })).status).toBe(403)
})

test('too many requests of a client are refused', async () => {
  const limits = createClientLimits({ perAddress: { requestsPerSecond: 1 } })
  const { page } = await openAgent([], { limits, addressOf: () => '192.0.2.1' })
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => (await page().fetch('GET', 'grants')).status),
  )
  expect(statuses).toContain(429)
})

describe('refused', () => {
  const part = (text = 'x') => ({ type: 'text', text })
  const withParts = (parts, role = 'user') => ({ messages: [{ id: 'm1', role, parts }] })
  test.each([
    ['no JSON', '{', 400, /JSON/],
    ['no messages', {}, 400, /\/messages/],
    ['a long id', { id: 'x'.repeat(129), messages: [user('a')] }, 400, /\/id/],
    ['an id that is a path', { id: '../x', messages: [user('a')] }, 400, /\/id/],
    ['a system message', withParts([part()], 'system'), 400, /\/messages\/0\/role/],
    ['a message without parts', { messages: [{ id: 'm1', role: 'user' }] }, 400, /\/messages\/0\/parts/],
    [
      'a file to be fetched',
      withParts([{ type: 'file', mediaType: 'a/b', url: 'http://127.0.0.1/' }]),
      400,
      /parts\/0/,
    ],
    ['a very long message', withParts([part('x'.repeat(16_001))]), 400, /16000/],
    ['too large a body', withParts([part('x'.repeat(5_000_000))]), 413, /larger than/],
    [
      'too many parts',
      { messages: [user('x'), { id: 'a', role: 'assistant', parts: Array(50_001).fill({ type: 'step-start' }) }] },
      413,
      /parts/,
    ],
    [
      'a short voice token',
      { messages: [user('a')], voice: { sessionId: 's'.repeat(22), resumeToken: 't' } },
      400,
      /\/voice/,
    ],
  ])('%s', async (_what, body, status, message) => {
    const { page, requests } = await openAgent(['never'])
    const one = page()
    const answer = await one.json('POST', 'chat', body)
    expect([answer.status, answer.error.message]).toEqual([status, expect.stringMatching(message)])
    expect([requests, one.cookie]).toEqual([[], ''])
  })

  test.each([
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['another host', { host: 'evil.example' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
  ])('%s', async (_what, headers, status) => {
    const { page } = await openAgent([])
    expect((await page().fetch('POST', 'chat', { messages: [user('a')] }, { headers })).status).toBe(status)
  })

  test.each([
    ['GET', 'chat', 405],
    ['PUT', 'none', 404],
    ['GET', 'constructor', 404],
    ['GET', 'tools/find_note', 405],
  ])('%s %s', async (method, path, status) => {
    const { routes } = await openAgent([])
    const request = new Request(`http://${HOST}/api/agent/${path}`, { method, headers: { host: HOST } })
    expect((await routes.GET(request)).status).toBe(status)
  })
})

test('2,000 approval parts are answered, and leave time to others', async () => {
  const { page, requests } = await openAgent(['Hello.'])
  const state = 'approval-responded'
  const parts = Array.from({ length: 1_900 }, (_, at) => ({ type: 'tool-send_note', toolCallId: `c${at}`, state }))
  const messages = [user('x'), { id: 'a', role: 'assistant', parts }, user('y')]
  expect(await cpuMsOf(async () => expect(await page().say('', { messages })).toBe('Hello.'))).toBeLessThan(8000)
  expect(requests[0].messages.filter(({ role }) => role === 'tool').length).toBeLessThanOrEqual(200)
})

test.each(['development', 'production'])(
  'in %s, a chat goes on with tools that have changed, in its own session',
  async environment => {
    const registryOptions = { environment, store: 'memory' }
    const { page, requests, registry, folder } = await openAgent([SEND, WAITS, 'Hello.'], { registry: registryOptions })
    const one = page()
    await one.say('send it')
    writeTools(folder, { find_note: { ...TOOLS.find_note, description: 'A changed tool of the tests.' } })
    expect(await buildTools({ toolsDir: folder })).toMatchObject({ ok: true })
    await registry.reload()
    expect(await one.say('hi')).toBe('Hello.')
    const declared = requests.map(({ tools }) => tools.find(tool => tool.function.name === 'find_note').function)
    expect(declared[2].description).toContain('A changed tool')
    expect((await one.json('GET', 'conversation')).messages.map(textOf)).toEqual(['send it', WAITS, 'hi', 'Hello.'])
    // Its question is that of a tool that has not changed.
    expect(await one.decide(one.cards[0], 'approve')).toMatchObject({ response: { ok: true } })
  },
)

test.each([
  [undefined, /`answer` is missing/],
  [{ answer: () => {}, stream: 1 }, /stream/],
])('options %j are refused', (options, message) => {
  expect(() => web.createAgentRoutes(() => {}, options ?? {})).toThrow(message)
})
