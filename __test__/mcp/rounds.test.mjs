// Clients of the revision 2026-07-28 over HTTP: each request stands alone, and a question is a result that the client answers by
// sending the call again.
import path from 'node:path'

import { eventually, gateway } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { ACCEPT, connected, served } from './http-support.mjs'
import { ROUNDS, asking, envelopeOf, modernClient, round } from './support.mjs'

const YES = { action: 'accept', content: {} }
const NO = { action: 'decline' }

/** Tools that ask first; `ran` has the arguments of each run, whatever process ran it. */
function orders(ran = []) {
  const properties = { what: { type: 'string', minLength: 2 } }
  const execute = ({ args }) => (ran.push(args.what), { ok: true, data: args })
  const order = {
    kind: 'write',
    requiresConfirmation: true,
    properties,
    confirmation: { preview: 'Order {what}' },
    execute,
  }
  return { ran, tools: { order, other: { ...order }, look: { kind: 'read', properties: { at: { type: 'integer' } } } } }
}

/** Two processes on one store. */
async function two(options, more = {}) {
  const { ran, tools } = orders()
  const store = { file: path.join(temporaryFolder(), 'store.db') }
  const all = { ...tools, ...more }
  return { ran, a: await served(options, all, { store }), b: await served(options, all, { store }) }
}
const order = (url, more = {}, args = { what: 'tea' }, options = {}) =>
  round(url, { name: 'order', arguments: args, ...more }, options)
const answered = (asked, form) => ({ requestState: asked.result.requestState, inputResponses: { confirmation: form } })
const INVALID = { code: -32602, data: { reason: 'invalid_request_state' } }

test('a client lists and calls, and its user confirms with a change', async () => {
  const { ran, tools } = orders()
  const { url } = await served({}, tools)
  const questions = []
  const elicit = question => (questions.push(question), { action: 'accept', content: { what: 'gin' } })
  const user = await connected(url, { elicit, ...modernClient })
  expect((await user.client.listTools()).tools.map(({ name }) => name)).toEqual(['look', 'order', 'other'])
  const result = envelopeOf(await user.client.callTool({ name: 'order', arguments: { what: 'tea' } }))
  expect(result).toMatchObject({ ok: true, data: { what: 'gin' }, meta: { edited: [{ path: '/what', value: 'gin' }] } })
  expect(questions).toEqual([
    {
      mode: 'form',
      message: 'Order tea\n\nwhat: tea',
      requestedSchema: { type: 'object', properties: { what: { type: 'string', minLength: 2, default: 'tea' } } },
    },
  ])
  expect([ran, user.transport.sessionId]).toEqual([['gin'], undefined])
  expect(JSON.stringify([user.frames, user.sent])).not.toMatch(/tgc_|"token"/)
})

test('what is asked in one process is answered in another, and runs once', async () => {
  const { ran, a, b } = await two()
  const asked = await order(a.url)
  expect(asked.result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { confirmation: { params: { message: 'Order tea\n\nwhat: tea' } } },
  })
  const done = await order(b.url, answered(asked, YES))
  expect(envelopeOf(done.result)).toMatchObject({ ok: true, data: { what: 'tea' } })
  // The same answer again, here and there, and another one.
  for (const [url, form] of [
    [a.url, YES],
    [b.url, YES],
    [a.url, NO],
    [b.url, { action: 'cancel' }],
  ])
    expect([form, envelopeOf((await order(url, answered(asked, form))).result).data]).toEqual([form, { what: 'tea' }])
  expect(ran).toEqual(['tea'])
})

test('equal calls at once whose users both say yes are one run, and both get its result', async () => {
  const { ran, tools } = orders()
  const { url } = await served({ session: { principal: 'ada' } }, tools)
  const [one, other] = [await order(url), await order(url)]
  for (const asked of [one, other]) {
    const done = await order(url, answered(asked, YES))
    expect(envelopeOf(done.result)).toMatchObject({ ok: true, data: { what: 'tea' } })
  }
  expect(ran).toEqual(['tea'])
})

test('equal calls are one run also while it goes on', async () => {
  const [begun, ended] = [gateway(), gateway()]
  const { ran, tools } = orders()
  const slow = {
    ...tools.order,
    execute: async ({ args }) => (ran.push(args.what), begun.open(), await ended.passed, { ok: true, data: args.what }),
  }
  const { url } = await served({ session: { principal: 'ada' } }, { order: slow })
  const asked = [await order(url), await order(url)]
  const one = order(url, answered(asked[0], YES))
  await begun.passed
  const other = order(url, answered(asked[1], YES))
  ended.open()
  expect((await Promise.all([one, other])).map(({ result }) => envelopeOf(result).data)).toEqual(['tea', 'tea'])
  expect(ran).toEqual(['tea'])
})

test.each([0, 1])('the handler of equal calls asks whoever has said yes (%s)', async which => {
  const { ran, tools } = orders()
  const outer = {
    ...tools.order,
    execute: async ({ callTool }) => ({
      ok: true,
      data: await callTool('order', { what: 'cake' }, { confirmation: 'wait' }),
    }),
  }
  const { url } = await served({ session: { principal: 'ada' } }, { ...tools, outer })
  const call = more => round(url, { name: 'outer', arguments: { what: 'tea' }, ...more })
  const asked = [await call({}), await call({})]
  const nested = await call(answered(asked[which], YES))
  expect(nested.result.inputRequests?.confirmation.params.message).toContain('Order cake')
  const done = await call(answered(nested, YES))
  expect(envelopeOf(done.result)).toMatchObject({ ok: true, data: { ok: true } })
  expect(ran).toEqual(['cake'])
})

test('one answer at two processes at once is one run', async () => {
  const { ran, a, b } = await two()
  for (let time = 1; time <= 10; time += 1) {
    const what = `tea ${time}`
    const asked = await order(a.url, {}, { what })
    const both = await Promise.all([a, b].map(({ url }) => order(url, answered(asked, YES), { what })))
    expect(both.map(({ result }) => envelopeOf(result))).toMatchObject([{ data: { what } }, { data: { what } }])
    expect(ran).toHaveLength(time)
  }
})

test('a no is final: a yes with the same state runs nothing', async () => {
  const { ran, a, b } = await two()
  const asked = await order(a.url)
  for (const { url } of [b, a])
    expect(envelopeOf((await order(url, answered(asked, NO))).result).error).toMatchObject({
      type: 'CANCELLED',
      details: { outcome: 'declined' },
    })
  const { result } = await order(a.url, answered(asked, YES))
  expect([result.isError, ran]).toEqual([true, []])
})

describe('a `requestState` that is not of this call', () => {
  const USERS = { 'Bearer a': { principal: 'ada' }, 'Bearer b': { principal: 'bob' } }
  const authenticate = ({ headers }) => USERS[headers.authorization] ?? null
  const as = name => ({ headers: { authorization: `Bearer ${name}` } })

  test('is refused, and nothing runs', async () => {
    const { ran, a, b } = await two({ authenticate })
    const call = (url, params, name = 'a') =>
      round(url, { name: 'order', arguments: { what: 'tea' }, ...params }, as(name))
    const asked = await call(a.url, {})
    const { requestState, inputResponses } = answered(asked, YES)
    const link = new URL(
      await a.registry.confirmationLink((await pendingOf(a)).id, {
        baseUrl: 'https://app.example',
        sessionId: (await pendingOf(a)).sessionId,
      }),
    ).searchParams.get('confirmation')
    for (const [name, params, caller] of [
      ['changed', { requestState: `${requestState.slice(0, -4)}AAAA` }],
      ['cut', { requestState: requestState.slice(4) }],
      ['none', { requestState: '' }],
      ['a link', { requestState: link }],
      ['of other arguments', { requestState, arguments: { what: 'gin' } }],
      ['of another tool', { requestState, name: 'other' }],
      ["of another's", { requestState }, 'b'],
    ]) {
      const { error } = await call(b.url, { inputResponses, ...params }, caller)
      expect([name, error]).toMatchObject([name, INVALID])
    }
    expect(ran).toEqual([])
    expect(envelopeOf((await call(b.url, { requestState, inputResponses })).result).ok).toBe(true)
  })

  /** The only confirmation that was requested, from the audit. */
  async function pendingOf({ events }) {
    await eventually(() => events.length > 0, 'a question')
    return events[0]
  }
})

test('an answer after its time is refused', async () => {
  const { ran, tools } = orders()
  tools.order.confirmation = { preview: 'Order {what}', ttlMs: 1000 }
  const { url } = await served({}, tools)
  const asked = await order(url)
  await new Promise(resolve => setTimeout(resolve, 1100))
  expect((await order(url, answered(asked, YES))).error).toMatchObject(INVALID)
  expect(ran).toEqual([])
})

test('a change that the gate refuses is asked again with the reason, three times', async () => {
  const { ran, tools } = orders()
  const { url } = await served({}, tools)
  let asked = await order(url)
  for (let time = 0; time < 2; time += 1) {
    asked = await order(url, answered(asked, { action: 'accept', content: { what: '' } }))
    expect(asking(asked).message).toMatch(/^Your changes can't be used: .*what/)
  }
  const { result } = await order(url, answered(asked, { action: 'accept', content: { what: '' } }))
  expect(envelopeOf(result).error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(/^the user's changes were refused/),
  })
  expect(envelopeOf((await order(url, answered(asked, YES))).result)).toMatchObject({ ok: true })
  expect(ran).toEqual(['tea'])
})

test('a question without its answer is asked again; a dismissed one is told to the model', async () => {
  const { ran, tools } = orders()
  const { url } = await served({}, tools)
  const asked = await order(url)
  const again = await order(url, { requestState: asked.result.requestState })
  expect(asking(again)).toEqual(asking(asked))
  const { result } = await order(url, answered(again, { action: 'cancel' }))
  expect(envelopeOf(result).error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(/closed the question/),
  })
  expect(ran).toEqual([])
})

test.each([[{}], [{ elicitation: { url: {} } }]])('a client that can not ask is told so: %j', async capabilities => {
  const { ran, tools } = orders()
  const { url } = await served({}, tools)
  const { result } = await round(url, { name: 'order', arguments: { what: 'tea' } }, { capabilities })
  expect(envelopeOf(result).error).toMatchObject({
    type: 'CONFIRMATION_REQUIRED',
    suggestion: expect.stringMatching(/can't be confirmed here/),
  })
  expect(ran).toEqual([])
})

describe("a handler's call that asks", () => {
  const outer = {
    execute: async ({ callTool }) => {
      const answers = []
      for (const what of ['tea', 'gin']) answers.push(await callTool('order', { what }, { confirmation: 'wait' }))
      return { ok: true, data: answers.map(({ ok, data, error }) => (ok ? data.what : error.type)) }
    },
  }
  const call = (url, more = {}) => round(url, { name: 'outer', arguments: {}, ...more })

  test('is a round of the one call, each answered in its turn', async () => {
    const { ran, tools } = orders()
    const { url } = await served({}, { ...tools, outer })
    const first = await call(url)
    const second = await call(url, answered(first, { action: 'accept', content: { what: 'ale' } }))
    expect([first, second].map(asked => asking(asked).message)).toEqual([
      'Order tea\n\nwhat: tea',
      'Order gin\n\nwhat: gin',
    ])
    const { result } = await call(url, answered(second, NO))
    expect([envelopeOf(result).data, ran]).toEqual([['ale', 'CANCELLED'], ['ale']])
  })

  test('is answered by another process, which joins the call', async () => {
    const one = {
      execute: async ({ callTool }) => ({
        ok: true,
        data: (await callTool('order', { what: 'tea' }, { confirmation: 'wait' })).data,
      }),
    }
    const { ran, a, b } = await two({}, { outer: one })
    const { result } = await call(b.url, answered(await call(a.url), YES))
    expect([envelopeOf(result).data, ran]).toEqual([{ what: 'tea' }, ['tea']])
  })

  test('keeps no handler waiting if the client can not ask', async () => {
    const { ran, tools } = orders()
    const { url } = await served({}, { ...tools, outer })
    const { result } = await round(url, { name: 'outer', arguments: {} }, { capabilities: {} })
    expect([envelopeOf(result).data, ran]).toEqual([['CONFIRMATION_REQUIRED', 'CONFIRMATION_REQUIRED'], []])
  })
})

describe('sessions', () => {
  const authenticate = ({ headers }) => ({ principal: headers.authorization })
  const look = (url, at, name) => round(url, { name: 'look', arguments: { at } }, { headers: { authorization: name } })

  test('a principal has one, with its budgets', async () => {
    const { url, lines } = await served({ authenticate }, orders().tools)
    for (let at = 0; at < 5; at += 1) expect(envelopeOf((await look(url, at, 'ada')).result).ok).toBe(true)
    expect(envelopeOf((await look(url, 5, 'ada')).result).error.type).toBe('BUDGET_EXCEEDED')
    expect(envelopeOf((await look(url, 5, 'bob')).result).ok).toBe(true)
    expect(lines.filter(({ event }) => event === 'session_started')).toHaveLength(2)
  })

  test('a request without a principal has its own, which ends with it', async () => {
    const { url, lines } = await served({}, orders().tools)
    for (let at = 0; at < 6; at += 1)
      expect(envelopeOf((await round(url, { name: 'look', arguments: { at } })).result).ok).toBe(true)
    await eventually(() => lines.filter(({ event }) => event === 'session_ended').length === 6, 'six ends')
  })
})

test('a request whose headers say something else is refused by its generation, and begins no session', async () => {
  const { url, lines } = await served({}, orders().tools)
  for (const headers of [
    { 'mcp-name': 'look' },
    { 'mcp-method': 'tools/list' },
    { 'mcp-protocol-version': '2025-11-25' },
  ])
    expect((await order(url, {}, { what: 'tea' }, { headers })).error.code).toBe(-32020)
  expect(lines.some(({ event }) => event === 'session_started')).toBe(false)
})

test('a client that hangs up cancels its call', async () => {
  const [begun, stopped] = [gateway(), gateway()]
  const look = {
    kind: 'read',
    execute: async ({ signal }) => {
      signal.addEventListener('abort', stopped.open)
      begun.open()
      await stopped.passed
      return { ok: true }
    },
  }
  const { url } = await served({}, { look })
  const gone = new AbortController()
  const call = round(url, { name: 'look', arguments: {} }, { signal: gone.signal })
  await begun.passed
  gone.abort()
  await expect(call).rejects.toThrow()
  await stopped.passed
})

test('a method that does not exist is 404', async () => {
  const { url } = await served({}, orders().tools)
  const statusOf = async method => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': ROUNDS,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'a-client', version: '1.0.0' },
    }
    const headers = { ...ACCEPT, 'mcp-protocol-version': ROUNDS, 'mcp-method': method }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { _meta: envelope } })
    const answer = await fetch(url, { method: 'POST', headers, body })
    const { id, error } = await answer.json()
    return [answer.status, id, error?.code]
  }
  for (const method of ['no/such', 'tools/such', 'prompts/list', 'ping'])
    expect([method, ...(await statusOf(method))]).toEqual([method, 404, 7, -32601])
  expect(await statusOf('tools/list')).toEqual([200, 7, undefined])
})

test('an unknown tool is an error of the protocol, arguments that do not fit are told to the model', async () => {
  const { url } = await served({}, orders().tools)
  expect((await round(url, { name: 'ordre', arguments: {} })).error).toMatchObject({
    code: -32602,
    data: { suggestion: expect.stringContaining('order') },
  })
  for (const args of [{ what: 7 }, ['tea'], 'tea'])
    expect(envelopeOf((await order(url, {}, args)).result).error.type).toBe('VALIDATION')
})
