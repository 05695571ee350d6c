// Requests of MCP clients that sources answer: whose token they have, how they end, and what their servers ask meanwhile.
import { createRequire } from 'node:module'

import { inputRequired } from '@modelcontextprotocol/server'

import { eventually, gateway } from '../support/gate.mjs'
import { CROSSED, clientOf, failure, fault, gateOver, offering, shelf, text } from './offering.mjs'

const { askableResult } = createRequire(import.meta.url)('../../js/sources/forwarded-question.js')
const FILE = { 'doc://1': 'one' }
const said = value => ({ messages: [{ role: 'user', content: text(value) }] })
const wanted = { message: 'For whom?', requestedSchema: { type: 'object', properties: { who: { type: 'string' } } } }

const secret = { message: 'To go on:', requestedSchema: { type: 'object', properties: { apiKey: { type: 'string' } } } }

/** A prompt whose server asks its user first, in either generation. */
const asks = (era, question = wanted) => ({
  ...shelf({}, { letter: '' }),
  'prompts/get': async (_, { mcpReq }) => {
    if (era === 'legacy')
      return said(JSON.stringify(await mcpReq.send({ method: 'elicitation/create', params: question })))
    const answer = mcpReq.inputResponses?.asked
    return answer === undefined
      ? inputRequired({ inputRequests: { asked: inputRequired.elicit(question) } })
      : said(JSON.stringify(answer))
  },
})

describe.each(CROSSED)('a client of the generation %s, a server of %s', (generation, era) => {
  test('a request has the token of its principal, and never that of another', async () => {
    const server = await offering(era, shelf(FILE, { ask: 'asks' }))
    const authenticate = ({ headers }) => ({ principal: headers['x-user'] })
    const { url } = await gateOver(
      { a: { server } },
      {
        mcp: { authenticate },
        options: { tokens: (_, principal) => (principal === 'eve' ? null : `of-${principal}`) },
      },
    )
    for (const user of ['ada', 'bob', 'ada']) {
      const before = server.received.length
      const { client } = await clientOf(generation, url, { headers: { 'x-user': user } })
      await client.listResources()
      await client.readResource({ uri: 'a+doc://1' })
      await client.getPrompt({ name: 'a_ask' })
      const tokens = server.received.slice(before).map(({ token }) => token)
      expect(tokens.length).toBeGreaterThan(2)
      expect(new Set(tokens)).toEqual(new Set([`Bearer of-${user}`]))
    }
    const before = server.received.length
    const { client } = await clientOf(generation, url, { headers: { 'x-user': 'eve' } })
    expect((await failure(client.readResource({ uri: 'a+doc://1' }))).message).toMatch(/no access/)
    expect(server.received.length).toBe(before)
  })

  test('secrets are hidden in the errors of servers', async () => {
    const server = await offering(era, {
      ...shelf(FILE),
      'resources/read': (_, { http }) => {
        const [key, token] = ['x-key', 'authorization'].map(name => http.req.headers.get(name))
        fault(`${key} may not, nor ${token}`, -32602, { uri: 'doc://1', headers: [{ key }, { token }] })
      },
    })
    process.env.FORWARDED_KEY = 'key-of-the-team'
    const transport = { headers: { 'x-key': '${FORWARDED_KEY}' } }
    const { url } = await gateOver(
      { a: { server, transport } },
      { mcp: { session: { principal: 'ada' } }, options: { tokens: () => 'token-of-ada' } },
    )
    const { client } = await clientOf(generation, url)
    const error = await failure(client.readResource({ uri: 'a+doc://1' }))
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('*** may not, nor Bearer ***') })
    expect(error.data).toEqual({ uri: 'a+doc://1', headers: [{ key: '***' }, { token: 'Bearer ***' }] })
  })

  test('a cancellation reaches the server', async () => {
    const [begun, ended] = [gateway(), gateway()]
    const server = await offering(era, {
      ...shelf(FILE),
      'resources/read': (_, { mcpReq }) => {
        mcpReq.signal.addEventListener('abort', ended.open)
        begun.open()
        return new Promise(() => {})
      },
    })
    const { url } = await gateOver({ a: { server } })
    const { client } = await clientOf(generation, url)
    const stop = new AbortController()
    const read = failure(client.readResource({ uri: 'a+doc://1' }, { signal: stop.signal }))
    await begun.passed
    stop.abort()
    await read
    await ended.passed
  })

  test('a server asks the user about a prompt', async () => {
    const { url } = await gateOver({ a: { server: await offering(era, asks(era)) } })
    const seen = []
    const elicit = params => {
      seen.push(params.message)
      return { action: 'accept', content: { who: 'Ada' } }
    }
    const { client } = await clientOf(generation, url, { answers: { 'elicitation/create': elicit } })
    const answerOf = async of => JSON.parse((await of.getPrompt({ name: 'a_letter' })).messages[0].content.text)
    // A client of 2026-07-28 takes no question while its request runs.
    const isAsked = era === 'modern'
    const accepted = { action: 'accept', content: { who: 'Ada' } }
    expect(await answerOf(client)).toMatchObject(isAsked ? accepted : { action: 'decline' })
    expect(seen).toEqual(isAsked ? ['a asks: For whom?'] : [])
    const silent = await clientOf(generation, url)
    if (!isAsked) expect(await answerOf(silent.client)).toEqual({ action: 'decline' })
    else expect((await failure(answerOf(silent.client))).message).toMatch(/elicitation|does not offer/)
  })

  test('is asked about a prompt for no secret', async () => {
    const { url } = await gateOver({ a: { server: await offering(era, asks(era, secret)) } })
    const { client } = await clientOf(generation, url, {
      answers: { 'elicitation/create': () => ({ action: 'accept', content: { apiKey: 'x' } }) },
    })
    const got = await client.getPrompt({ name: 'a_letter' }).catch(error => error.message)
    expect(JSON.stringify(got)).toMatch(era === 'modern' ? /asks for a secret/ : /decline/)
  })

  test.each([
    ['resources/list', { resources: 'none' }, client => client.listResources(), /not a list|invalid|match/i],
    ['prompts/list', { prompts: [{ title: 'no name' }] }, client => client.listPrompts(), /no `name`|invalid|match/i],
    ['resources/read', { contents: 'none' }, client => client.readResource({ uri: 'a+doc://1' }), /./],
    ['prompts/get', { messages: [7] }, client => client.getPrompt({ name: 'a_ask' }), /./],
  ])('an answer of the wrong shape to %s is an error of that request', async (method, answer, request, reason) => {
    const server = await offering(era, { ...shelf(FILE, { ask: 'asks' }), [method]: () => answer })
    const { url } = await gateOver({ a: { server } })
    const { client } = await clientOf(generation, url)
    expect((await failure(request(client))).message).toMatch(reason)
    expect((await client.callTool({ name: 'a_look', arguments: {} })).isError).not.toBe(true)
  })
})

test.each(['roots/list', 'sampling/createMessage'])(
  'a server that asks for %s without leave fails the request',
  method => {
    const asked = { resultType: 'input_required', inputRequests: { it: { method, params: {} } } }
    expect(() => askableResult(asked, 'a', { elicitation: { form: {} } })).toThrow('`a` asked for what its client')
    expect(askableResult(asked, 'a', { [method.split('/')[0]]: {} })).toEqual(asked)
  },
)

test('what runs no more is not waited for', async () => {
  const server = await offering('modern', { ...shelf(FILE), 'resources/read': () => new Promise(() => {}) })
  const { url, registry } = await gateOver({ a: { server } })
  const { client } = await clientOf('modern', url)
  const read = failure(client.readResource({ uri: 'a+doc://1' }))
  await eventually(() => server.of('resources/read').length === 1, 'the request')
  await registry.close()
  expect((await read).code).toBeDefined()
})
