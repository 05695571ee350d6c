// Every request over HTTP is answered, or its stream ends: ids that are used twice, cancelled requests, clients that go.
import { request as httpRequest } from 'node:http'

import { eventually, gateway } from '../support/gate.mjs'
import { ACCEPT, INITIALIZE, LIST, posted, served } from './http-support.mjs'
import { envelopeOf } from './support.mjs'

const DATA = /^data: (.*)$/gm

/** A session that has begun over tools whose handlers wait: `open` lets them go. */
async function begun() {
  const { open, passed } = gateway()
  const told = { runs: [] }
  const execute = async ({ args }) => {
    told.runs.push(args.text)
    await passed
    return { ok: true, data: args.text }
  }
  const properties = { text: { type: 'string' } }
  const tools = { note: { kind: 'write', properties, execute }, look: { kind: 'read', properties, execute } }
  const gate = await served({}, tools)
  const { headers } = await posted(gate.url, {})
  const session = { 'mcp-session-id': headers['mcp-session-id'], 'mcp-protocol-version': '2025-03-26' }
  /** Posts a message, and resolves with the status and the messages of its answer once its stream has ended. */
  const send = async body => {
    const { status, text } = await posted(gate.url, session, { body })
    const messages = [...text.matchAll(DATA)].map(([, data]) => JSON.parse(data))
    return { status, messages }
  }
  return { ...gate, told, open, session, send }
}

const call = (id, name, text) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text } } })
const cancel = requestId => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
/** The id, and the data or what was wrong, of the only message of an answer. */
const answerOf = ({ messages }) => {
  expect(messages).toHaveLength(1)
  const [{ id, result, error }] = messages
  if (error !== undefined) return [id, error.code]
  const { ok, data, error: failure } = envelopeOf(result)
  return [id, ok ? data : (failure.details?.reason ?? failure.type)]
}

describe('one id twice', () => {
  test.each(['note', 'look'])('%s: the same request is one run, and both are answered', async name => {
    const { send, told, open } = await begun()
    const both = [send(call(7, name, 'tea')), send(call(7, name, 'tea'))]
    await eventually(() => told.runs.length === 1, 'a start')
    both.push(send(call(7, name, 'tea')))
    open()
    const answers = (await Promise.all(both)).map(answerOf)
    expect({ answers, runs: told.runs }).toEqual({ answers: Array(3).fill([7, 'tea']), runs: ['tea'] })
  })

  test('another request with the id of one that runs is refused, and the first is answered', async () => {
    const { send, told, open } = await begun()
    const first = send(call(7, 'note', 'tea'))
    await eventually(() => told.runs.length === 1, 'a start')
    expect(answerOf(await send(call(7, 'note', 'gin')))).toEqual([7, 'call_id_reused'])
    open()
    expect([answerOf(await first), told.runs]).toEqual([[7, 'tea'], ['tea']])
  })

  test('requests without a call use the id of a running call as well', async () => {
    const { send, told, open } = await begun()
    const first = send(call('a', 'look', 'x'))
    await eventually(() => told.runs.length === 1, 'a start')
    const ping = { jsonrpc: '2.0', id: 'a', method: 'ping' }
    const [{ messages }, unknown] = await Promise.all([send(ping), send({ ...ping, method: 'no/such' })])
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 'a', result: {} }])
    expect(answerOf(unknown)).toEqual(['a', -32601])
    open()
    expect(answerOf(await first)).toEqual(['a', 'x'])
  })

  test('a number and its text are two ids', async () => {
    const { send, told, open } = await begun()
    const both = Promise.all([send(call(7, 'look', 'tea')), send(call('7', 'look', 'gin'))])
    await eventually(() => told.runs.length === 2, 'two starts')
    open()
    expect((await both).map(answerOf)).toEqual([
      [7, 'tea'],
      ['7', 'gin'],
    ])
  })

  test('a batch with an id twice is refused whole: nothing of it runs', async () => {
    const { send, told, open } = await begun()
    const { messages } = await send([call(7, 'note', 'tea'), call(8, 'note', 'ale'), call(7, 'note', 'tea')])
    open()
    expect(messages.map(({ id, error }) => [id, error?.code])).toEqual([
      [7, -32600],
      [8, -32600],
    ])
    expect(messages[0].error.message).toContain('the same `id`')
    expect(answerOf(await send(call(9, 'note', 'gin')))).toEqual([9, 'gin'])
    expect(told.runs).toEqual(['gin'])
  })

  test('a batch with distinct ids is answered whole, also beside another request with one of them', async () => {
    const { send, told, open } = await begun()
    const batch = send([call(1, 'note', 'tea'), call(2, 'look', 'x')])
    const beside = send(call(2, 'look', 'x'))
    await eventually(() => told.runs.length === 2, 'two starts')
    open()
    expect((await batch).messages.map(message => answerOf({ messages: [message] })).sort()).toEqual([
      [1, 'tea'],
      [2, 'x'],
    ])
    expect(answerOf(await beside)).toEqual([2, 'x'])
  })

  test('a session begins once', async () => {
    const { send } = await begun()
    expect(answerOf(await send(INITIALIZE))).toEqual([1, -32600])
  })
})

describe('what is not answered ends', () => {
  test('the stream of a cancelled request, of each that has its id', async () => {
    const { send, told, open, lines } = await begun()
    const both = [send(call(7, 'look', 'x')), send(call(7, 'look', 'x'))]
    await eventually(() => told.runs.length === 1, 'a start')
    expect((await send(cancel(7))).status).toBe(202)
    expect((await Promise.all(both)).map(({ messages }) => messages)).toEqual([[], []])
    await eventually(() => lines.some(({ event }) => event === 'tool_cancelled'), 'an audit line')
    open()
  })

  test('a cancelled part of a batch does not keep its stream open', async () => {
    const { send, told, open } = await begun()
    const batch = send([call(1, 'note', 'tea'), call(2, 'look', 'x')])
    await eventually(() => told.runs.length === 2, 'two starts')
    await send(cancel(2))
    open()
    expect(answerOf(await batch)).toEqual([1, 'tea'])
  })

  test('a cancellation of an id that is not there, or of its text, is nothing', async () => {
    const { send, told, open } = await begun()
    const first = send(call(7, 'look', 'x'))
    await eventually(() => told.runs.length === 1, 'a start')
    for (const id of [8, '7', null, {}, undefined]) expect((await send(cancel(id))).status).toBeLessThan(500)
    open()
    expect(answerOf(await first)).toEqual([7, 'x'])
  })

  test('an id that was cancelled and is used again is answered', async () => {
    const { send, told, open } = await begun()
    const first = send(call(7, 'look', 'x'))
    await eventually(() => told.runs.length === 1, 'a start')
    await send(cancel(7))
    expect((await first).messages).toEqual([])
    const again = send(call(7, 'look', 'x'))
    open()
    expect((await again).messages).toHaveLength(1)
  })

  test('a client that hangs up and asks again with the same id gets the answer of the one run', async () => {
    const { url, session, send, told, open } = await begun()
    const request = httpRequest(url, { method: 'POST', headers: { ...ACCEPT, ...session } }).on('error', () => {})
    request.end(JSON.stringify(call(7, 'note', 'tea')))
    await eventually(() => told.runs.length === 1, 'a start')
    request.destroy()
    const again = send(call(7, 'note', 'tea'))
    open()
    expect([answerOf(await again), told.runs]).toEqual([[7, 'tea'], ['tea']])
    expect(answerOf(await send(call(7, 'note', 'tea')))).toEqual([7, 'tea'])
  })

  test('the streams of a session that ends', async () => {
    const { url, session, send, told, open } = await begun()
    const running = send(call(7, 'look', 'x'))
    await eventually(() => told.runs.length === 1, 'a start')
    expect((await posted(url, session, { method: 'DELETE' })).status).toBe(200)
    expect((await running).messages).toEqual([])
    open()
  })
})

describe('the body of a request', () => {
  const MIB = 1024 * 1024
  const ofSize = bytes => JSON.stringify({ ...LIST, params: { _meta: { note: 'x'.repeat(bytes) } } })
  const inParts = text =>
    new ReadableStream({
      start(stream) {
        for (let at = 0; at < text.length; at += MIB) stream.enqueue(new TextEncoder().encode(text.slice(at, at + MIB)))
        stream.close()
      },
    })

  test.each([
    ['an older client', {}],
    ['a client of 2026-07-28', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }],
  ])('of %s has at most 4 MiB, and is JSON; others are served', async (_, headers) => {
    const { url } = await served({}, { look: { kind: 'read' } })
    const send = (body, more) => fetch(url, { method: 'POST', headers: { ...ACCEPT, ...headers }, body, ...more })
    expect((await send(ofSize(4 * MIB))).status).toBe(413)
    expect((await send(inParts(ofSize(5 * MIB)), { duplex: 'half' })).status).toBe(413)
    expect((await send('{"jsonrpc":')).status).toBe(400)
    expect((await send('{}', { headers: { ...ACCEPT, ...headers, 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await posted(url, {})).status).toBe(200)
  })
})
