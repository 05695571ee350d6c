// Links to confirmations: whoever has one decides about one confirmation, once; everybody else, and everything else, does nothing.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { createConfirmationRoute } from '../../js/web/index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { eventually, openGate } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

const BASE = 'https://app.example/confirm?lang=en'
const WEB = new URL('../../js/web/index.js', import.meta.url).href
const SECRET = 'pin-4711'
const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
  required: ['to'],
}

let made = 0
const pay = to => ({ id: `call_pay_${String(++made).padStart(6, '0')}`, name: 'pay', args: { to, pin: SECRET } })

/** A gate, its route, and what a browser or a messenger sends to it. */
async function paying(fields = {}, { registry: registryOptions = {}, route: routeOptions = {} } = {}) {
  const runs = []
  const events = []
  const execute = ({ args }) => {
    runs.push(args.to)
    return { ok: true, data: { paid: args.to } }
  }
  const options = { onConfirmation: event => events.push(event), ...registryOptions }
  const gate = await openGate({ pay: { ...PAY, execute, ...fields } }, options)
  const asks = async (to, session) => {
    await session.execute(pay(to))
    const event = events.findLast(({ type }) => type === 'requested')
    return {
      event,
      link: await gate.registry.confirmationLink(event.id, { sessionId: event.sessionId, baseUrl: BASE }),
    }
  }
  return { ...gate, runs, events, asks, ...sending(gate.registry, routeOptions) }
}

function sending(registry, options) {
  const route = createConfirmationRoute(registry, options)
  const send = async (url, init) => {
    const response = await route(new Request(url, { duplex: 'half', ...init }))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    }
  }
  const json = body => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const form = fields => ({ method: 'POST', body: new URLSearchParams(fields) })
  return { send, json, decide: (url, decision, more) => send(url, json({ decision, ...more })), form }
}

const stateOf = ({ status, body }) => [status, body.state, body.error?.type]

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
    'referrer-policy': 'no-referrer',
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
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
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

/** The link with another text in it. */
function withText(link, change) {
  const url = new URL(link)
  url.searchParams.set('confirmation', change(url.searchParams.get('confirmation')))
  return url.href
}
const swapped = (text, at) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

describe('an attack runs nothing', () => {
  test.each([
    ['no link', () => BASE, 403],
    ['an empty one', link => withText(link, () => ''), 403],
    ['a made-up one', link => withText(link, () => Buffer.alloc(120, 7).toString('base64url')), 403],
    ['a changed signature', link => withText(link, text => swapped(text, 3)), 403],
    ['changed content', link => withText(link, text => swapped(text, text.length - 4)), 403],
    ['a cut one', link => withText(link, text => text.slice(0, -4)), 403],
    ['a longer one', link => withText(link, text => `${text}AAAA`), 403],
    ['another spelling of it', link => withText(link, text => `${text}=`), 403],
    ['a huge one', link => withText(link, text => text.repeat(100)), 403],
    ['two of them', link => `${link}&confirmation=${new URL(link).searchParams.get('confirmation')}`, 403],
    ['the id as a link', (link, event) => withText(link, () => event.id), 403],
  ])('%s', async (_what, attack, status) => {
    const { session: open, asks, decide, send, runs } = await paying()
    const session = await open()
    const { link, event } = await asks('bob', session)
    const url = attack(link, event)
    for (const answer of [await decide(url, 'confirm'), await decide(url, 'deny'), await send(url)])
      expect(stateOf(answer)).toEqual([status, 'refused', 'AUTH'])
    expect([runs, (await session.listPending()).length]).toEqual([[], 1])
  })

  const BIG = 'x'.repeat(9000)
  const JSON_TYPE = { 'content-type': 'application/json' }
  test.each([
    ['another method', { method: 'PUT', body: 'decision=confirm' }, 405],
    ['no decision', { method: 'POST', body: new URLSearchParams() }, 400],
    ['another decision', { method: 'POST', body: new URLSearchParams({ decision: 'yes' }) }, 400],
    ['two decisions', { method: 'POST', body: new URLSearchParams('decision=deny&decision=confirm') }, 400],
    ['a decision in the URL', { method: 'POST', body: new URLSearchParams(), query: '&decision=confirm' }, 400],
    ['a huge body', { method: 'POST', body: new URLSearchParams({ decision: 'confirm', reason: BIG }) }, 413],
    ['no JSON', { method: 'POST', body: '{"decision":', headers: JSON_TYPE }, 400],
    ['JSON null', { method: 'POST', body: 'null', headers: JSON_TYPE }, 400],
    ['a list', { method: 'POST', body: '[["decision","confirm"]]', headers: JSON_TYPE }, 400],
    ['plain text', { method: 'POST', body: 'decision=confirm', headers: { 'content-type': 'text/plain' } }, 415],
    ['no content type', { method: 'POST', body: new Uint8Array([100]) }, 415],
  ])('%s', async (_what, { query = '', ...init }, status) => {
    const { session: open, asks, send, runs } = await paying()
    const session = await open()
    const { link } = await asks('bob', session)
    const answer = await send(link + query, init)
    expect(stateOf(answer)).toEqual([status, 'refused', 'VALIDATION'])
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, POST' : null)
    expect([runs, (await session.listPending()).length]).toEqual([[], 1])
  })

  test('a link decides no other confirmation', async () => {
    const { session: open, asks, decide, runs } = await paying()
    const session = await open()
    const [first, second] = [await asks('bob', session), await asks('cyd', session)]
    const [a, b] = [first, second].map(({ link }) =>
      Buffer.from(new URL(link).searchParams.get('confirmation'), 'base64url'),
    )
    const mixed = Buffer.concat([a.subarray(0, 32), b.subarray(32)]).toString('base64url')
    expect(
      (
        await decide(
          withText(first.link, () => mixed),
          'confirm',
        )
      ).status,
    ).toBe(403)
    await decide(first.link, 'confirm')
    expect((await session.listPending()).map(({ id }) => id)).toEqual([second.event.id])
    expect(runs).toEqual(['bob'])
  })

  test('doubled, it runs once, and the second answer says so', async () => {
    const { session: open, asks, decide, runs } = await paying()
    const { link } = await asks('bob', await open())
    const answers = await Promise.all([1, 2, 3, 4].map(() => decide(link, 'confirm')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
    expect(stateOf(await decide(link, 'deny'))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect(runs).toEqual(['bob'])
  })

  test('late, it says so', async () => {
    const { session: open, asks, decide, send, runs, events } = await paying({ confirmation: { ttlMs: 3000 } })
    const { link } = await asks('bob', await open())
    await eventually(() => events.some(({ type }) => type === 'expired'), 'the confirmation expires')
    for (const answer of [await decide(link, 'confirm'), await decide(link, 'deny'), await send(link)])
      expect(stateOf(answer)).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect(runs).toEqual([])
  })

  test('of a link that ends before the confirmation, it leaves that pending', async () => {
    const { session: open, asks, send, decide, runs, registry } = await paying()
    const session = await open()
    const { event } = await asks('bob', session)
    const short = await registry.confirmationLink(event.id, { sessionId: event.sessionId, baseUrl: BASE, ttlMs: 1 })
    await eventually(async () => (await send(short)).status === 410, 'the link expires')
    expect(stateOf(await decide(short, 'confirm'))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect([(await session.listPending()).length, runs]).toEqual([1, []])
  })

  test('of another installation it is not valid', async () => {
    const theirs = await paying()
    const ours = await paying()
    const { link } = await theirs.asks('bob', await theirs.session({ sessionId: 'same' }))
    await ours.asks('bob', await ours.session({ sessionId: 'same' }))
    expect((await ours.decide(link, 'confirm')).status).toBe(403)
    expect([theirs.runs, ours.runs]).toEqual([[], []])
  })

  test('after the end of its session it is closed', async () => {
    const { session: open, asks, decide, runs } = await paying()
    const session = await open()
    const { link } = await asks('bob', session)
    await session.end()
    expect(stateOf(await decide(link, 'confirm'))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect(runs).toEqual([])
  })
})

test('two processes on a file are answered at once: one runs it', async () => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const ran = path.join(temporaryFolder(), 'runs')
  appendFileSync(ran, '')
  const tools = {
    pay: {
      ...PAY,
      source: `
    import { appendFileSync } from 'node:fs'
    export const execute = ({ args }) => (appendFileSync(${JSON.stringify(ran)}, args.to + '\\n'), { ok: true })`,
    },
  }
  const events = []
  const {
    session: open,
    registry,
    artifact,
  } = await openGate(tools, { store, onConfirmation: event => events.push(event) })
  const session = await open({ principal: 'ada' })
  await session.execute(pay('bob'))
  const [{ id, sessionId }] = events
  const link = await registry.confirmationLink(id, { sessionId, baseUrl: BASE })
  const source = `
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    import { createConfirmationRoute } from ${JSON.stringify(WEB)}
    const registry = await createRegistry({ artifact: ${JSON.stringify(artifact)}, store: ${JSON.stringify(store)} }).load()
    const route = createConfirmationRoute(registry)
    console.log('ready')
    await new Promise(resolve => process.stdin.once('data', resolve))
    const body = new URLSearchParams({ decision: 'confirm' })
    const answers = [1, 2, 3].map(() => route(new Request(${JSON.stringify(link)}, { method: 'POST', body })))
    console.log((await Promise.all(answers)).map(({ status }) => status).join(' '))
    await registry.close()
    process.exit()`
  const ready = []
  const onLine = (line, child) => {
    if (line === 'ready' && ready.push(child) === 2) ready.forEach(waiting => waiting.stdin.write('go\n'))
  }
  const ended = await Promise.all([1, 2].map(() => runModule(source, { onLine })))
  expect(ended.map(({ stderr }) => stderr)).toEqual(['', ''])
  const statuses = ended.flatMap(({ stdout }) => stdout.trim().split('\n').at(-1).split(' ')).sort()
  expect([statuses, readFileSync(ran, 'utf8')]).toEqual([['200', '410', '410', '410', '410', '410'], 'bob\n'])
})

describe('the key', () => {
  const both = async (first, second) => {
    const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
    const asking = await paying({}, { registry: { store, ...first } })
    const runs = []
    const other = createRegistry({
      artifact: asking.artifact,
      store,
      handlers: { pay: ({ args }) => (runs.push(args.to), { ok: true }) },
      ...second,
    })
    await other.load()
    afterTest(() => other.close())
    const { link } = await asking.asks('bob', await asking.session({ principal: 'ada' }))
    const { decide } = sending(other)
    return [(await decide(link, 'confirm')).status, runs]
  }
  const [ours, theirs] = ['0123456789abcdef', 'fedcba9876543210'].map(linkSecret => ({ linkSecret }))

  test('of the store is that of its processes', async () => expect(await both({}, {})).toEqual([200, ['bob']]))
  test('that is given to both', async () => expect(await both(ours, ours)).toEqual([200, ['bob']]))
  test('that is another one', async () => expect(await both(ours, theirs)).toEqual([403, []]))
  test('that is not that of the store', async () => expect(await both({}, ours)).toEqual([403, []]))
})

test.each([
  ['by a link', async ({ decide, link }) => (await decide(link, 'deny')).status === 410],
  ['by token', async ({ session, token }) => !(await session.deny(token))],
])('an answer that comes too late %s reports the expiry that its own process could not', async (_, answer) => {
  const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
  const asking = await paying({ confirmation: { ttlMs: 3000 } }, { registry: { store } })
  const first = await asking.session({ sessionId: 'conversation' })
  const { link, event } = await asking.asks('bob', first)
  const [{ token }] = await first.listPending()
  await asking.registry.close()
  const events = []
  const onConfirmation = event => events.push(event)
  const handlers = { pay: () => ({ ok: true }) }
  const other = await createRegistry({ artifact: asking.artifact, store, handlers, onConfirmation }).load()
  afterTest(() => other.close())
  const session = await other.createSession({ mode: 'text', sessionId: 'conversation' })
  await eventually(async () => (await session.listPending()).length === 0, 'the time is over')
  for (const _ of [1, 2]) expect(await answer({ ...sending(other), link, session, token })).toBe(true)
  await eventually(() => events.length > 0, 'the expiry is reported')
  expect(events).toMatchObject([{ type: 'expired', id: event.id, sessionId: 'conversation' }])
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
