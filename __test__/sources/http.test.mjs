// Sources with a URL: both generations, bounds of bodies and events, redirects, statuses, tokens.
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server'

import { eventually } from '../support/gate.mjs'
import { httpConfig, legacyServer, misbehaviours, modernServer } from './http-server.mjs'
import { TOOLS_SERVER, lockOf, outcome, program, sourceOf } from './support.mjs'

const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const text = value => ({ content: [{ type: 'text', text: String(value) }] })
const run = {
  add: ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }),
  greet: (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'who')
    if (answer !== undefined) return text(`hello ${answer.name}, ${mcpReq.requestState()}`)
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: name }) },
      requestState: 'kept',
    })
  },
}

const UNKNOWN = { type: 'TRANSIENT', retryable: false, partialSideEffects: true }

test('2026-07-28: a question is the answer of a call, which is made again with what was said', async () => {
  const { url } = await modernServer(run)
  const config = httpConfig(url)
  const locked = await lockOf(config)
  expect([locked.era, locked.protocolVersion]).toEqual(['modern', '2026-07-28'])
  const { call } = sourceOf(config, locked)
  expect((await call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 })
  const asked = await call('greet')
  expect(asked).toMatchObject({
    resultType: 'input_required',
    requestState: 'kept',
    inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
  })
  const round = {
    inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } },
    requestState: asked.requestState,
  }
  expect((await call('greet', {}, { round })).content).toEqual(text('hello Ada, kept').content)
})

test('2026-07-28 over stdio: the era of the lock is not probed for', async () => {
  const { config, pids } = program(TOOLS_SERVER)
  const locked = await lockOf(config, { era: 'auto' })
  expect([locked.era, locked.protocolVersion, pids()]).toEqual(['modern', '2026-07-28', [expect.any(Number)]])
  const { call } = sourceOf(config, locked)
  expect(await call('greet')).toMatchObject({ resultType: 'input_required' })
})

const legacy = async (behaviour, fields, options) => {
  const { url, requests } = await legacyServer(misbehaviours[behaviour])
  const config = httpConfig(url, fields)
  return { requests, config, url, ...sourceOf(config, await lockOf(config), options) }
}

test('a server that asks slowly and takes no answer is cut off', async () => {
  const { call } = await legacy('takes-no-answers', { limits: { unaskedPerSecond: 15 } })
  const { message, ...told } = await outcome(call('count'))
  expect(told).toEqual(UNKNOWN)
  expect(message).toMatch(/more than 15 unasked messages whose answers/)
})

test('2025-11-25: a session that ends when the connection is closed', async () => {
  const { call, source, requests } = await legacy('fine')
  expect(await outcome(call('count'))).toEqual({ text: 'done' })
  const calls = requests.filter(({ body }) => body?.method === 'tools/call')
  expect(calls.map(({ headers }) => headers['mcp-session-id'])).toEqual(['one-session'])
  const before = requests.filter(({ method }) => method === 'DELETE').length
  await source.close()
  expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(before + 1)
})

test.each([
  ['redirect', UNKNOWN, /redirects to another address/],
  ['redirect-elsewhere', UNKNOWN, /redirects to another address/],
  ['endless-body', UNKNOWN, /more than 4194304 bytes/],
  ['endless-event', UNKNOWN, /more than 4194304 bytes/],
  ['ping-flood', UNKNOWN, /more than 200 unasked messages/],
  ['deep-event', UNKNOWN, /nested more than 512/],
  ['ends-without-answer', UNKNOWN, /ends without an answer/],
  ['breaks-off', UNKNOWN],
  ['not-json', UNKNOWN, /content type/i],
  ['fails', UNKNOWN],
  ['unauthorized', { type: 'AUTH', retryable: false }, /HTTP 401/],
  ['forbidden', { type: 'AUTH', retryable: false }, /HTTP 403/],
  ['forgotten', { type: 'TRANSIENT', retryable: true }, /HTTP 404/],
  ['too-fast', { type: 'TRANSIENT', retryable: true }, /HTTP 429/],
  ['bad-request', { type: 'PERMANENT', retryable: false }, /HTTP 400/],
])('%s', async (behaviour, expected, message = undefined) => {
  const { call } = await legacy(behaviour)
  const { message: said, details, ...told } = await outcome(call('count'))
  expect(told).toEqual(expected)
  if (message !== undefined) expect(said).toMatch(message)
  if (told.type === 'AUTH') expect(details).toEqual({ source: 'probe' })
})

test('a stream may be longer than a message', async () => {
  const { call } = await legacy('many-events')
  expect(await outcome(call('count'))).toEqual({ text: 'done' })
})

test('the request of a call that was cancelled is ended', async () => {
  const { call, requests } = await legacy('silent')
  const caller = new AbortController()
  const pending = outcome(call('count', {}, { signal: caller.signal }))
  await eventually(() => requests.some(({ body }) => body?.method === 'tools/call'), 'the call')
  caller.abort()
  expect(await pending).toMatchObject(UNKNOWN)
  await eventually(() => requests.some(({ body }) => body?.method === 'notifications/cancelled'), 'the cancellation')
})

test('a session that the server forgot is begun again by the next call', async () => {
  let forgets = true
  const { url, requests } = await legacyServer(exchange => misbehaviours[forgets ? 'forgotten' : 'fine'](exchange))
  const config = httpConfig(url)
  const { call } = sourceOf(config, await lockOf(config))
  expect(await outcome(call('count'))).toMatchObject({ type: 'TRANSIENT', retryable: true })
  forgets = false
  expect(await outcome(call('count'))).toEqual({ text: 'done' })
  expect(requests.filter(({ body }) => body?.method === 'initialize')).toHaveLength(3)
})

test('a server that is not there: nothing was sent', async () => {
  const { url, config, call: _, ...rest } = await legacy('fine')
  const { call } = sourceOf(httpConfig('http://127.0.0.1:9/mcp'), await lockOf(config))
  expect(await outcome(call('count'))).toMatchObject({ type: 'TRANSIENT', retryable: true, retryAfterMs: 100 })
  expect([url, rest.source.state]).toEqual([config.transport.url, 'idle'])
})

test('a redirect of the first request is refused, and its headers reach no other server', async () => {
  const elsewhere = await legacyServer(misbehaviours.fine)
  const { url } = await legacyServer(misbehaviours.fine, {
    initialize: response => response.writeHead(307, { location: elsewhere.url }).end(),
  })
  const config = httpConfig(url, { headers: { authorization: 'Bearer ${SECRET}' } })
  const options = { env: { SECRET: 'hidden' } }
  const { call } = sourceOf(config, { era: 'legacy', tools: { count: { sha256: '' } } }, options)
  expect((await outcome(call('count'))).message).toMatch(/redirects to another address/)
  expect(elsewhere.requests).toEqual([])
})

test('each principal has a connection and a token of its own; without a token nothing is sent', async () => {
  const given = { ada: 'token-of-ada', bob: 'token-of-bob' }
  const asked = []
  const tokens = (source, principal) => {
    asked.push([source, principal])
    return given[principal]
  }
  const { call, requests } = await legacy('fine', { shared: true }, { tokens })
  const as = (principal, sessionId) => outcome(call('count', {}, { principal, sessionId }))
  for (const [principal, session] of [
    ['ada', '1'],
    ['ada', '2'],
    ['bob', '3'],
  ])
    expect(await as(principal, session)).toEqual({ text: 'done' })
  const refused = { type: 'AUTH', retryable: false, details: { source: 'probe' } }
  expect(await as('eve', '4')).toMatchObject(refused)
  expect(await as(undefined, '5')).toMatchObject(refused)
  given.ada = 'another'
  await as('ada', '1')
  const said = requests.filter(({ body }) => body?.method === 'tools/call').map(({ headers }) => headers.authorization)
  const bearers = ['token-of-ada', 'token-of-ada', 'token-of-bob', 'another'].map(token => `Bearer ${token}`)
  expect(said).toEqual(bearers)
  expect(requests.filter(({ body }) => body?.method === 'initialize')).toHaveLength(3)
  expect(asked.at(-1)).toEqual(['probe', 'ada'])
  delete given.ada
  expect(await as('ada', '1')).toMatchObject(refused)
})
