// Links to confirmations: whoever has one decides about one confirmation.
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { createConfirmationRoute } from '../../js/web/index.js'
import { BASE, SECRET, pay, paying, sending, stateOf } from '../support/confirmation-links.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

test('a link is answered in a session that its user has left, and the audit says how', async () => {
  const { registry, session: open, asks, decide, runs, events, lines } = await paying()
  const session = await open({ sessionId: 'conversation', principal: 'ada', resumeToken: 'cookie' })
  const { event, link } = await asks('bob', session)
  await session.detach()
  expect(link).toMatch(/^https:\/\/app\.example\/confirm\?lang=en&confirmation=[\w-]+$/u)
  const { status, body } = await decide(link, 'confirm')
  expect([status, body, runs]).toEqual([200, { state: 'confirmed', ok: true }, ['bob']])
  expect(events[1]).toMatchObject({ type: 'confirmed', id: event.id, principal: 'ada', via: 'link' })
  await registry.close()
  expect(lines.find(line => line.event === 'confirmation_granted')).toMatchObject({ via: 'link', principal: 'ada' })
})

test('a link is denied with a reason for the model', async () => {
  const { session: open, asks, decide, runs, events } = await paying()
  const { link } = await asks('bob', await open())
  expect((await decide(link, 'deny', { reason: 'not today' })).body).toEqual({ state: 'denied' })
  expect([runs, events[1]]).toMatchObject([[], { type: 'denied', via: 'link', reason: 'not today' }])
  expect(stateOf(await decide(link, 'confirm'))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
  expect(runs).toEqual([])
})

test.each([
  ['denied', 0, (session, token) => session.deny(token)],
  ['confirmed', 1, (session, token) => session.confirm(token)],
  ['ended', 0, session => session.end('over')],
])('a link whose confirmation was %s since the link was read answers 410', async (_, ran, answer) => {
  let answered
  const {
    session: open,
    asks,
    decide,
    runs,
  } = await paying({}, { route: { session: async () => (await answered(), {}) } })
  for (const decision of ['confirm', 'deny']) {
    const session = await open()
    const { link } = await asks(decision, session)
    const [{ token }] = await session.listPending()
    answered = () => answer(session, token)
    expect(stateOf(await decide(link, decision))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect(runs.splice(0)).toEqual(Array(ran).fill(decision))
  }
})

test('a link shows neither session nor token nor principal', async () => {
  const { session: open, asks, send } = await paying()
  const session = await open({ sessionId: 'conversation', principal: 'ada' })
  const { link, event } = await asks('bob', session)
  const [{ token }] = await session.listPending()
  const bytes = Buffer.from(new URL(link).searchParams.get('confirmation'), 'base64url').toString('latin1')
  const { text } = await send(link)
  for (const hidden of ['conversation', token, 'ada', event.id]) expect(link + bytes).not.toContain(hidden)
  for (const hidden of ['conversation', token, 'ada', SECRET]) expect(text).not.toContain(hidden)
})

test('whoever looks at a link sees what is asked, and changes nothing', async () => {
  const { session: open, asks, send, runs } = await paying()
  const session = await open()
  const { link, event } = await asks('<b>bob\u202e & "co"', session)
  const { status, headers, body } = await send(link)
  expect([status, body]).toEqual([
    200,
    {
      state: 'pending',
      confirmation: {
        id: event.id,
        tool: 'pay',
        preview: event.preview,
        expires: event.expires,
        arguments: [
          expect.objectContaining({ name: 'to', value: '<b>bob\\u202e & "co"' }),
          expect.objectContaining({ name: 'pin', value: '***' }),
        ],
      },
    },
  ])
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'referrer-policy': 'same-origin',
    vary: 'accept',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
  })
  const page = await send(link, { headers: { accept: 'text/html,application/xhtml+xml' } })
  expect(page.text).toContain('&lt;b&gt;bob')
  expect(page.text).not.toMatch(/<b>|\u202e|<script|pin-4711/u)
  expect(page.text).toContain('<form method="post">')
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-.*form-action 'self'/u,
  )
  expect(page.headers.get('referrer-policy')).toBe('same-origin')
  const head = await send(link, { method: 'HEAD' })
  expect([head.status, head.text, runs, (await session.listPending()).length]).toEqual([200, '', [], 1])
})

test('the form of the page decides', async () => {
  const { session: open, asks, send, form, runs } = await paying()
  const { link } = await asks('bob', await open())
  const { method, body } = form({ decision: 'confirm' })
  const done = await send(link, { method, body, headers: { accept: 'text/html', origin: 'null' } })
  expect([done.status, done.text, runs]).toEqual([200, expect.stringContaining('<h1>Confirmed</h1>'), ['bob']])
  const again = await send(link, { method, body, headers: { accept: 'text/html' } })
  expect([again.status, again.text, runs]).toEqual([410, expect.stringContaining('does not run again'), ['bob']])
})

test('a page of another origin decides nothing, unless it is allowed', async () => {
  const origin = 'https://other.example'
  for (const [route, ran] of [
    [{}, []],
    [{ allowedOrigins: [origin] }, ['bob']],
  ]) {
    const { session: open, asks, send, form, runs } = await paying({}, { route })
    const { link } = await asks('bob', await open())
    const { method, body } = form({ decision: 'confirm' })
    const { status } = await send(link, { method, body, headers: { origin } })
    expect([status, runs]).toEqual([ran.length > 0 ? 200 : 403, ran])
  }
})

test('the model gets the result of the call that was confirmed in another process', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const asking = await paying({}, { registry: { store } })
  const runs = []
  const handlers = { pay: ({ args }) => (runs.push(args.to), { ok: true, data: { paid: args.to } }) }
  const other = await createRegistry({ artifact: asking.artifact, store, handlers }).load()
  afterTest(() => other.close())
  const session = await asking.session({ principal: 'ada' })
  const call = pay('bob')
  await session.execute(call)
  const [{ id, sessionId }] = asking.events
  const link = await asking.registry.confirmationLink(id, { sessionId, baseUrl: BASE })
  expect((await sending(other).decide(link, 'confirm')).body).toEqual({ state: 'confirmed', ok: true })
  expect(await session.listPending()).toEqual([])
  const again = await session.execute(pay('bob'))
  expect([again.data, again.meta._idempotent_cache_hit]).toEqual([{ paid: 'bob' }, true])
  expect([runs, asking.runs]).toEqual([['bob'], []])
})

test('what the call needs is given by the host, and a refusal leaves it pending', async () => {
  const seen = []
  let roles = []
  const route = {
    session: confirmation => {
      seen.push(confirmation)
      return { roles, principal: 'mallory', sessionId: 'other' }
    },
  }
  const { session: open, asks, decide, runs } = await paying({ requiredRoles: ['clerk'] }, { route })
  const session = await open({ sessionId: 'desk', principal: 'ada', roles: ['clerk'] })
  const { link, event } = await asks('bob', session)
  expect(stateOf(await decide(link, 'confirm'))).toEqual([401, 'refused', 'AUTH'])
  expect([runs, (await session.listPending()).length]).toEqual([[], 1])
  roles = ['clerk']
  expect((await decide(link, 'confirm')).status).toBe(200)
  expect(seen[0]).toEqual({ id: event.id, sessionId: 'desk', principal: 'ada', tool: 'pay', mode: 'text' })
  expect(runs).toEqual(['bob'])
})

test('a confirmed call that fails is decided', async () => {
  const execute = () => ({ ok: false, error: { type: 'PERMANENT', message: 'the account of ada is closed' } })
  const { session: open, asks, decide } = await paying({ execute })
  const { link } = await asks('bob', await open())
  expect(await decide(link, 'confirm')).toMatchObject({
    status: 200,
    // The words of the tool are the model's.
    body: {
      state: 'confirmed',
      ok: false,
      error: { type: 'PERMANENT', message: 'it was confirmed, and failed: the conversation has its answer' },
    },
  })
  expect((await decide(link, 'confirm')).status).toBe(410)
})

test('an error of the host is its own, or a 500 without details', async () => {
  const errors = []
  const session = () => {
    throw new Error('the directory is down')
  }
  const {
    session: open,
    asks,
    decide,
    runs,
  } = await paying({}, { route: { session, onError: e => void errors.push(e.message) } })
  const { link } = await asks('bob', await open())
  const { status, text } = await decide(link, 'confirm')
  expect([status, text.includes('directory'), errors, runs]).toEqual([500, false, ['the directory is down'], []])
})

test('what is no link is not made', async () => {
  const { session: open, asks, registry, decide } = await paying()
  const session = await open()
  const { event, link } = await asks('bob', session)
  const { sessionId } = event
  const make = (id, options) => registry.confirmationLink(id, { sessionId, baseUrl: BASE, ...options })
  for (const none of ['tgq_0123456789abcdef0123456789abcdef', '', (await session.listPending())[0].token])
    expect(await make(none)).toBe(null)
  expect(await make(event.id, { sessionId: 'other' })).toBe(null)
  await expect(make(event.id, { baseUrl: 'ftp://app.example' })).rejects.toThrow(/`baseUrl` must be the URL/)
  await expect(make(event.id, { baseUrl: undefined })).rejects.toThrow(/`baseUrl`/)
  await expect(make('tgq_other', { sessionId: undefined })).rejects.toThrow(/`sessionId` is missing/)
  expect(await make(event.id, { sessionId: undefined })).toMatch(/^https:/)
  await expect(make(event.id, { ttlMs: -1 })).rejects.toThrow(/`ttlMs`/)
  await expect(make(event.id, { ttl: 1 })).rejects.toThrow(/unknown confirmation link option `ttl`/)
  expect(() => createConfirmationRoute(registry, { secret: 'x' })).toThrow(/unknown confirmation route option `secret`/)
  await expect(open({ sessionId, confirmation: event.id })).rejects.toThrow(/unknown session option `confirmation`/)
  await decide(link, 'confirm')
  expect(await make(event.id)).toBe(null)
})

test('a session whose id is too long for a URL has no links', async () => {
  const { session: open, registry, events } = await paying()
  const sessionId = 's'.repeat(4000)
  await (await open({ sessionId })).execute(pay('bob'))
  await expect(registry.confirmationLink(events[0].id, { sessionId, baseUrl: BASE })).rejects.toThrow(
    /too long for a link/,
  )
})
