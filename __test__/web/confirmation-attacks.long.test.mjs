// Links to confirmations decide once, in time, and only where they were made: any other use runs nothing.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { createRegistry } from '../../index.js'
import { PACKAGE, runModule } from '../support/child-process.mjs'
import { BASE, PAY, WEB, pay, paying, sending, stateOf } from '../support/confirmation-links.mjs'
import { eventually, openGate } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

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

  const BIG = 'x'.repeat(70_000)
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

describe('where approvers decide, a link alone decides nothing', () => {
  const confirmation = { preview: 'Pay {to}', approvers: { roles: ['manager'], count: 2 } }
  const PEOPLE = {
    ada: { principal: 'ada', roles: ['manager'] },
    cyd: { principal: 'cyd', roles: ['manager'] },
    dan: { principal: 'dan', roles: ['manager', 'clerk'] },
    eve: { principal: 'eve', roles: ['clerk'] },
  }
  const approver = (_confirmation, request) => PEOPLE[request.headers.get('cookie')]

  async function linked(route) {
    const gate = await paying({ confirmation }, { route })
    const session = await gate.session({ sessionId: 'conversation', principal: 'ada' })
    const { link } = await gate.asks('bob', session)
    const as = (cookie, decision, { headers = {}, ...more } = {}) => {
      const { headers: own, ...init } = gate.json({ decision, ...more })
      return gate.send(link, { ...init, headers: { ...own, cookie, ...headers } })
    }
    return { ...gate, live: session, link, as }
  }

  test.each([
    ['a route without people', {}, 'cyd', {}, 403],
    ['a visitor', { approver }, '', {}, 403],
    ['who asks', { approver }, 'ada', {}, 401],
    ['a person without the role', { approver }, 'eve', {}, 401],
    ['roles in the body', { approver }, 'eve', { roles: ['manager'], approver: PEOPLE.cyd, principal: 'cyd' }, 401],
    ['a page of another site', { approver }, 'cyd', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a page of a neighbour', { approver }, 'cyd', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    // As browsers send it without TLS.
    ['a page that only its origin names', { approver }, 'cyd', { headers: { origin: 'http://evil.example' } }, 403],
    ['a page that hides its origin', { approver }, 'cyd', { headers: { origin: 'null' } }, 403],
  ])('%s', async (_who, route, cookie, more, status) => {
    const { as, live, runs } = await linked(route)
    for (const decision of ['confirm', 'deny'])
      expect(stateOf(await as(cookie, decision, more))).toEqual([status, 'refused', 'AUTH'])
    expect([runs, await live.listPending()]).toMatchObject([[], [{ confirmations: 0 }]])
  })

  test('as many people as must decide there, each once', async () => {
    const { as, send, link, runs, events } = await linked({ approver })
    const counted = { state: 'counted', confirmations: 1, count: 2 }
    const same = { headers: { 'sec-fetch-site': 'same-origin' } }
    expect((await as('cyd', 'confirm', same)).body).toEqual(counted)
    expect((await as('cyd', 'confirm')).body).toEqual(counted)
    for (const own of [{}, { host: 'inner:3000', 'x-forwarded-host': 'app.example' }])
      expect((await as('cyd', 'confirm', { headers: { origin: 'https://app.example', ...own } })).body).toEqual(counted)
    expect((await send(link)).body.confirmation).toMatchObject({ confirmations: 1, approvers: { count: 2 } })
    const page = await as('cyd', 'confirm', { headers: { accept: 'text/html' } })
    expect(page.text).toContain('1 of 2 have confirmed')
    expect(runs).toEqual([])
    expect((await as('dan', 'confirm')).body).toEqual({ state: 'confirmed', ok: true })
    expect(stateOf(await as('cyd', 'confirm'))).toEqual([410, 'refused', 'CONFIRMATION_EXPIRED'])
    expect(runs).toEqual(['bob'])
    expect(events[1]).toMatchObject({ type: 'confirmed', principal: 'ada', approver: 'dan', via: 'link' })
  })

  test('one person denies', async () => {
    const { as, runs, events } = await linked({ approver })
    await as('cyd', 'confirm')
    expect((await as('dan', 'deny', { reason: 'no' })).body).toEqual({ state: 'denied' })
    expect([runs, events[1]]).toMatchObject([[], { type: 'denied', approver: 'dan', reason: 'no' }])
  })
})
