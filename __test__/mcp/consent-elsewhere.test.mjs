// Consent outside of the client: a call waits while its user is asked elsewhere, and the same call made again joins it.
import path from 'node:path'

import { InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

import { createMcpServer } from '../../js/mcp/index.js'
import { eventually, gateway, openGate } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { serving } from './http-support.mjs'
import { attached, connectClient, envelopeOf, modernClient, round } from './support.mjs'

const ORDER = {
  kind: 'write',
  requiresConfirmation: true,
  confirmation: { preview: 'Order {what}', grantable: 'args' },
  properties: { what: { type: 'string', minLength: 2 } },
}
const TEA = { name: 'order', arguments: { what: 'tea' } }
const PLACE = 'on the page Approvals'
/** Longer than any test waits. */
const LONG = { consent: 'elsewhere', consentWaitMs: 600_000, consentPlace: PLACE }
/** A call does not wait for its user at all. */
const SHORT = { ...LONG, consentWaitMs: 0 }

/** A gate whose tools write down what ran, the events of its questions, and a session that answers them. */
async function ordering(more = {}, tools = {}) {
  const ran = []
  const events = []
  const execute = ({ args }) => (ran.push(args.what), { ok: true, data: args.what })
  const gate = await openGate(
    {
      order: { ...ORDER, execute },
      outer: {
        execute: async ({ callTool }) => {
          const { ok, data, error } = await callTool('order', { what: 'tea' }, { confirmation: 'wait' })
          return { ok: true, data: ok ? data : error.type }
        },
      },
      ...tools,
    },
    { onConfirmation: event => events.push(event), ...more },
  )
  const asked = async (times = 1) => {
    const requested = () => events.filter(({ type }) => type === 'requested')
    await eventually(() => requested().length === times, `${times} questions`)
    return requested().at(-1)
  }
  /** As a page on the store answers it: `decide` gets the session and the token. */
  const answer = async (event, decide, registry = gate.registry) => {
    const { sessionId, principal } = event
    const session = await registry.createSession({ mode: 'text', sessionId, principal, exclusive: false })
    const { token } = (await session.listPending()).find(({ id }) => id === event.id)
    await decide(session, token)
    await session.detach()
  }
  return { ...gate, ran, events, asked, answer }
}

const confirm = options => (session, token) => session.confirm(token, { via: 'page', ...options })
const deny = (session, token) => session.deny(token, 'no', { via: 'page' })
const callsOf = user => (params, options) => user.client.callTool(params, options).then(envelopeOf)
const expectNoToken = ({ frames, sent }) => expect(JSON.stringify([frames, sent])).not.toMatch(/tgc_|"token"/)

describe('a connection', () => {
  test.each([
    ['confirmed', confirm(), { ok: true, data: 'tea' }, ['tea']],
    [
      'changed',
      confirm({ args: { what: 'gin' } }),
      { ok: true, data: 'gin', meta: { edited: [{ path: '/what', value: 'gin' }] } },
      ['gin'],
    ],
    ['denied', deny, { ok: false, error: { type: 'CANCELLED', details: { outcome: 'declined' } } }, []],
  ])('a call waits, and is answered once it is %s', async (_name, decide, result, runs) => {
    const gate = await ordering()
    const elicited = []
    const user = await attached(gate.registry, {
      options: LONG,
      elicit: asked => (elicited.push(asked), { action: 'accept' }),
    })
    const progress = []
    const answer = callsOf(user)(TEA, { onprogress: news => progress.push(news) })
    await gate.answer(await gate.asked(), decide)
    expect(await answer).toMatchObject(result)
    // It ran for this request, whatever began the run.
    expect((await answer).meta?._idempotent_cache_hit).toBeUndefined()
    expect([gate.ran, elicited]).toEqual([runs, []])
    expect(progress[0]).toMatchObject({ message: "waits for the user's confirmation" })
    expectNoToken(user)
  })

  test('a grant lets the next call run without a question', async () => {
    const gate = await ordering()
    const user = await attached(gate.registry, { options: { ...LONG, session: { mode: 'text' }, turnGapMs: 0 } })
    const answer = callsOf(user)(TEA)
    await gate.answer(await gate.asked(), confirm({ grant: { scope: 'args', calls: 2, ttlMs: 60_000 } }))
    expect((await answer).ok).toBe(true)
    // A turn later an equal call is an act of its own.
    for (const what of [1, 1]) await callsOf(user)({ name: 'order', arguments: { what } })
    expect(await callsOf(user)(TEA)).toMatchObject({ ok: true })
    expect([gate.ran, gate.events.filter(({ type }) => type === 'requested').length]).toEqual([['tea', 'tea'], 1])
  })

  test('after its time a call is answered that it is pending, and the same call gets the result of the one run', async () => {
    const gate = await ordering()
    const user = await attached(gate.registry, { options: { ...SHORT, turnGapMs: 0 } })
    const call = callsOf(user)
    const pending = await call(TEA)
    expect(pending).toMatchObject({ ok: false, error: { type: 'CONFIRMATION_REQUIRED', retryable: true } })
    expect(pending.error.suggestion).toContain(PLACE)
    expect(pending.error.suggestion).toContain('call again with the same arguments')
    expect(await call({ name: 'order', arguments: { what: 'tea' } })).toMatchObject({
      error: { type: 'CONFIRMATION_REQUIRED' },
    })
    const event = await gate.asked()
    await gate.answer(event, confirm())
    // Turns that have nothing to do with it do not make the call another one.
    for (const what of [1, 2, 3]) await call({ name: 'order', arguments: { what } })
    const done = await call(TEA)
    expect(done).toMatchObject({ ok: true, data: 'tea' })
    expect(done.meta?._idempotent_cache_hit).toBeUndefined()
    expect(gate.ran).toEqual(['tea'])
    // The client has the outcome: from here on an equal call is another act, and asked about.
    for (const what of [1, 2]) await call({ name: 'order', arguments: { what } })
    expect(await call(TEA)).toMatchObject({ error: { type: 'CONFIRMATION_REQUIRED' } })
    await gate.asked(2)
    expectNoToken(user)
  })

  test.each([
    ['denied', {}, deny, { type: 'CANCELLED', details: { outcome: 'declined' } }],
    ['expired', { confirmation: { ttlMs: 1000 } }, null, { type: 'CONFIRMATION_EXPIRED' }],
  ])(
    'what was %s when nobody waited is said to the next equal call, and nothing is asked again',
    async (_name, fields, decide, error) => {
      const gate = await ordering({}, { order: { ...ORDER, ...fields } })
      const call = callsOf(await attached(gate.registry, { options: SHORT }))
      await call(TEA)
      if (decide) await gate.answer(await gate.asked(), decide)
      else await eventually(() => gate.events.some(({ type }) => type === 'expired'), 'the question expires')
      expect(await call(TEA)).toMatchObject({ ok: false, error })
      expect(gate.events.filter(({ type }) => type === 'requested')).toHaveLength(1)
      expect((await call(TEA)).error.type).toBe('CONFIRMATION_REQUIRED')
      await gate.asked(2)
    },
  )

  test('two equal calls at once wait for one question, and one runs', async () => {
    const gate = await ordering()
    const call = callsOf(await attached(gate.registry, { options: LONG }))
    const both = [call(TEA), call(TEA)]
    await gate.answer(await gate.asked(), confirm())
    expect((await Promise.all(both)).map(({ data }) => data)).toEqual(['tea', 'tea'])
    expect([gate.ran, gate.events.filter(({ type }) => type === 'requested').length]).toEqual([['tea'], 1])
  })

  test('an equal call joins what was confirmed and still runs', async () => {
    const { open, passed } = gateway()
    const ran = []
    const execute = async ({ args }) => (ran.push(args.what), await passed, { ok: true, data: args.what })
    const gate = await ordering({}, { order: { ...ORDER, execute } })
    const call = callsOf(await attached(gate.registry, { options: SHORT }))
    await call(TEA)
    const confirmed = gate.answer(await gate.asked(), confirm())
    await eventually(() => ran.length === 1, 'it runs')
    expect(await call(TEA)).toMatchObject({ ok: false, error: { type: 'TRANSIENT', retryable: true } })
    open()
    await confirmed
    expect([await call(TEA), ran]).toMatchObject([{ ok: true, data: 'tea' }, ['tea']])
  })

  test("a handler's call waits for its user, and the same call gets what came of it", async () => {
    const gate = await ordering()
    const user = await attached(gate.registry, { options: { ...SHORT, consentWaitMs: 1 } })
    const call = callsOf(user)
    const pending = await call({ name: 'outer' })
    expect(pending).toMatchObject({ ok: false, error: { type: 'CONFIRMATION_REQUIRED', retryable: true } })
    expect(pending.error.suggestion).toContain(PLACE)
    await gate.answer(await gate.asked(), confirm({ args: { what: 'gin' } }))
    await eventually(() => gate.ran.length === 1, 'it runs')
    await eventually(async () => (await call({ name: 'outer' })).data === 'gin', 'the result')
    expect([gate.ran, gate.events.filter(({ type }) => type === 'requested').length]).toEqual([['gin'], 1])
    expectNoToken(user)
  })

  test('approvers decide, and the call waits for them', async () => {
    const execute = ({ args }) => ({ ok: true, data: args.what })
    const confirmation = { approvers: { roles: ['manager'], count: 2 } }
    const gate = await ordering({}, { order: { ...ORDER, confirmation, execute } })
    const options = { ...LONG, session: { mode: 'text', principal: 'ada' } }
    const answer = callsOf(await attached(gate.registry, { options }))(TEA)
    const event = await gate.asked()
    for (const principal of ['bob', 'eve'])
      await gate.answer(event, confirm({ approver: { principal, roles: ['manager'] } }))
    expect(await answer).toMatchObject({ ok: true, data: 'tea' })
  })

  test('a client with elicitation is asked by `client-or-elsewhere`, and no other one', async () => {
    const gate = await ordering()
    const options = { ...LONG, consent: 'client-or-elsewhere' }
    const able = await attached(gate.registry, {
      options,
      elicit: () => ({ action: 'accept', content: { what: 'gin' } }),
    })
    expect(await callsOf(able)(TEA)).toMatchObject({ ok: true, data: 'gin' })
    const unable = await attached(gate.registry, { options })
    const answer = callsOf(unable)(TEA)
    await gate.answer(await gate.asked(2), confirm())
    expect(await answer).toMatchObject({ ok: true, data: 'tea' })
  })

  test.each([
    ['accepts', { action: 'accept', content: {} }],
    ['declines', { action: 'decline' }],
    ['closes', { action: 'cancel' }],
  ])('what was confirmed on a page is the answer of a client whose user then %s its form', async (_what, form) => {
    const gate = await ordering()
    const options = { ...LONG, consent: 'client-or-elsewhere' }
    const elicit = async () => (await gate.answer(await gate.asked(), confirm({ args: { what: 'gin' } })), form)
    const user = await attached(gate.registry, { options, elicit })
    expect(await callsOf(user)(TEA)).toMatchObject({ ok: true, data: 'gin' })
    expect(gate.ran).toEqual(['gin'])
  })

  test('what was denied on a page is denied, whatever the form says', async () => {
    const gate = await ordering()
    const elicit = async () => (await gate.answer(await gate.asked(), deny), { action: 'accept', content: {} })
    const user = await attached(gate.registry, { options: { ...LONG, consent: 'client-or-elsewhere' }, elicit })
    expect((await callsOf(user)(TEA)).error).toMatchObject({ type: 'CANCELLED', details: { outcome: 'declined' } })
    expect(gate.ran).toEqual([])
  })

  test('a request that is cancelled leaves its question open, and what it asked for is joined', async () => {
    const gate = await ordering()
    const user = await attached(gate.registry, { options: LONG })
    const stop = new AbortController()
    const cancelled = user.client.callTool(TEA, { signal: stop.signal }).catch(error => error)
    const event = await gate.asked()
    stop.abort()
    expect(await cancelled).toBeInstanceOf(Error)
    const answer = callsOf(user)(TEA)
    await gate.answer(event, confirm())
    expect([(await answer).data, gate.ran]).toEqual(['tea', ['tea']])
  })

  test('the questions of a client that goes expire with its session', async () => {
    const gate = await ordering()
    const user = await attached(gate.registry, { options: SHORT })
    await callsOf(user)(TEA)
    await user.client.close()
    await eventually(() => gate.events.some(({ type }) => type === 'expired'), 'the question expires')
    expect(gate.events.at(-1)).toMatchObject({ type: 'expired', reason: 'session_ended' })
  })

  test("the next client of a host's session joins the question of the one that has gone", async () => {
    const gate = await ordering()
    const options = { ...SHORT, session: { mode: 'text', sessionId: 'desk-1', principal: 'ada' } }
    const first = await attached(gate.registry, { options })
    await callsOf(first)(TEA)
    await first.client.close()
    const answer = callsOf(await attached(gate.registry, { options: { ...options, consentWaitMs: 600_000 } }))(TEA)
    await gate.answer(await gate.asked(), confirm())
    expect(await answer).toMatchObject({ ok: true, data: 'tea' })
    expect([gate.ran, gate.events.filter(({ type }) => type === 'requested').length]).toEqual([['tea'], 1])
  })

  test('a client of 2026-07-28 that keeps a connection waits, too', async () => {
    const gate = await ordering()
    const [here, there] = InMemoryTransport.createLinkedPair()
    const server = serveStdio(() => createMcpServer(gate.registry, LONG), { transport: there })
    afterTest(() => server.close())
    const elicit = () => ({ action: 'accept', content: {} })
    const user = await connectClient(here, { ...modernClient, elicit })
    const answer = callsOf(user)(TEA)
    await gate.answer(await gate.asked(), deny)
    expect((await answer).error.details).toEqual({ outcome: 'declined' })
  })

  test('open questions are bounded: the oldest gives way, and its call is told', async () => {
    const gate = await ordering()
    const call = callsOf(await attached(gate.registry, { options: { ...SHORT, turnGapMs: 0 } }))
    for (let at = 0; at <= 20; at += 1) await call({ name: 'order', arguments: { what: `tea ${at}` } })
    expect((await call({ name: 'order', arguments: { what: 'tea 0' } })).error.type).toBe('CONFIRMATION_EXPIRED')
    expect((await call({ name: 'order', arguments: { what: 'tea 1' } })).error.type).toBe('CONFIRMATION_REQUIRED')
  })
})

test('arguments that are no text of Unicode are refused as ever', async () => {
  const gate = await ordering()
  const call = callsOf(await attached(gate.registry, { options: SHORT }))
  expect((await call({ name: 'order', arguments: { what: 'tea \ud800' } })).error.type).toBe('VALIDATION')
})

test('what is asked in one process is answered in another', async () => {
  const store = { file: path.join(temporaryFolder(), 'store.db') }
  const [here, there] = [await ordering({ store }), await ordering({ store })]
  const answer = callsOf(await attached(here.registry, { options: LONG }))(TEA)
  await there.answer(await here.asked(), confirm({ args: { what: 'gin' } }))
  expect(await answer).toMatchObject({ ok: true, data: 'gin', meta: { edited: [{ path: '/what', value: 'gin' }] } })
  expect([here.ran, there.ran]).toEqual([[], ['gin']])
})

describe('requests of 2026-07-28', () => {
  const result = async answer => envelopeOf((await answer).result)

  test.each([
    ['without a principal', {}],
    ['of a principal', { authenticate: () => ({ principal: 'ada' }) }],
  ])('%s wait, and join what is pending', async (_name, more) => {
    const gate = await ordering()
    const { url } = await serving(gate.registry, { ...LONG, consentWaitMs: 1, turnGapMs: 0, ...more })
    const send = (params = TEA) => result(round(url, params))
    expect(await send()).toMatchObject({ ok: false, error: { type: 'CONFIRMATION_REQUIRED', retryable: true } })
    expect(await send()).toMatchObject({ ok: false, error: { type: 'CONFIRMATION_REQUIRED' } })
    await gate.answer(await gate.asked(), confirm({ args: { what: 'gin' } }))
    for (const what of [1, 2, 3]) await send({ name: 'order', arguments: { what } })
    expect(await send()).toMatchObject({ ok: true, data: 'gin' })
    expect(gate.ran).toEqual(['gin'])
    expect(await send()).toMatchObject(more.authenticate ? {} : { error: { type: 'CONFIRMATION_REQUIRED' } })
  })

  test('a request waits until its user answers, and is asked nothing by its result', async () => {
    const gate = await ordering()
    const { url } = await serving(gate.registry, LONG)
    const answer = round(url, TEA)
    await gate.answer(await gate.asked(), deny)
    const { result: given } = await answer
    expect([given.resultType, envelopeOf(given).error.type]).toEqual(['complete', 'CANCELLED'])
  })

  test("a principal's call is not joined by another principal's", async () => {
    const gate = await ordering()
    const authenticate = ({ headers }) => ({ principal: headers['x-user'] })
    const { url } = await serving(gate.registry, { ...SHORT, authenticate })
    const as = user => result(round(url, TEA, { headers: { 'x-user': user } }))
    await as('ada')
    await gate.answer(await gate.asked(), confirm())
    expect((await as('bob')).error.type).toBe('CONFIRMATION_REQUIRED')
    await gate.asked(2)
    expect(await as('ada')).toMatchObject({ ok: true, data: 'tea' })
  })

  test('the question of one process is joined in another, and answered in a third', async () => {
    const store = { file: path.join(temporaryFolder(), 'store.db') }
    const gates = [await ordering({ store }), await ordering({ store }), await ordering({ store })]
    const authenticate = () => ({ principal: 'ada' })
    const [first, second] = [
      await serving(gates[0].registry, { ...SHORT, authenticate }),
      await serving(gates[1].registry, { ...LONG, authenticate }),
    ]
    expect((await result(round(first.url, TEA))).error.type).toBe('CONFIRMATION_REQUIRED')
    const event = await gates[0].asked()
    const answer = result(round(second.url, TEA))
    await gates[2].answer(event, confirm())
    expect([(await answer).data, gates.map(({ ran }) => ran)]).toEqual(['tea', [[], [], ['tea']]])
    expect((await result(round(first.url, TEA))).data).toBe('tea')
  })
})

test.each([
  [{ consent: 'page' }, '`consent` must be one of `client`, `elsewhere`, `client-or-elsewhere`'],
  [{ consentPlace: '' }, '`consentPlace` must be a text of 1 to 300 characters'],
  [{ consentWaitMs: -1 }, '`consentWaitMs`'],
])('an option that means nothing is refused: %j', async (options, message) => {
  const { registry } = await ordering()
  expect(() => createMcpServer(registry, options)).toThrow(message)
})
