// The transports over what the providers' own packages give, from a server on this machine that sends what was recorded or is
// documented.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { WebSocketServer } from 'ws'
import { AnthropicTransport } from '../../voice-server/providers/anthropic-transport.js'
import { OpenAIRealtimeTransport } from '../../voice-server/providers/openai-realtime-transport.js'
import { OpenAITransport } from '../../voice-server/providers/openai-transport.js'

const result = { ok: true, data: { found: 1 }, intents: [], meta: {} }
const ARGS = '{"city":"Paris","days":2}'
const CALL = { id: 'call_1', name: 'get_weather', args: JSON.parse(ARGS) }

const open = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(close => close()))
})

/** A server whose n-th answer is the n-th list of events, as server-sent events; gives its address and what was asked. */
async function serve(...answers) {
  const asked = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    asked.push(JSON.parse(text))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      answers
        .shift()
        .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise(resolve => server.close(resolve)))
  return { baseURL: `http://127.0.0.1:${server.address().port}`, asked }
}

async function receiveAll(transport, stream) {
  const calls = []
  for await (const event of stream) calls.push(...transport.receiveToolCalls(event))
  return calls
}

test('@anthropic-ai/sdk: a streamed message runs its calls once, and its next request takes the results in one user message', async () => {
  const block = (index, id) => [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'get_weather', input: {} } },
    ...ARGS.match(/.{1,7}/g).map(partial_json => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index },
  ]
  const usage = { input_tokens: 1, output_tokens: 1 }
  const begin = { id: 'msg_1', type: 'message', role: 'assistant', model: 'any', content: [], stop_reason: null, usage }
  const end = stop_reason => [
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  const first = [
    { type: 'message_start', message: begin },
    ...block(0, 'toolu_a'),
    ...block(1, 'toolu_b'),
    ...end('tool_use'),
  ]
  const { baseURL, asked } = await serve(first, [{ type: 'message_start', message: begin }, ...end('end_turn')])
  const client = new Anthropic({ apiKey: 'any', baseURL })
  const transport = new AnthropicTransport()
  const messages = [{ role: 'user', content: 'weather?' }]
  const stream = client.messages.stream({ model: 'any', max_tokens: 100, messages })
  const calls = await receiveAll(transport, stream)
  expect(calls).toEqual([
    { ...CALL, id: 'toolu_a' },
    { ...CALL, id: 'toolu_b' },
  ])
  const whole = await stream.finalMessage()
  expect(transport.receiveToolCalls(whole)).toEqual([])
  const [answer] = transport.sendToolResults(calls.map(call => ({ ...call, result })))
  const next = [...messages, { role: 'assistant', content: whole.content }, answer]
  await client.messages.stream({ model: 'any', max_tokens: 100, messages: next }).finalMessage()
  expect(asked[1].messages.slice(1).map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
    ['assistant', ['tool_use', 'tool_use']],
    ['user', ['tool_result', 'tool_result']],
  ])
})

test('openai: a streamed response runs its call once, and the next request takes its function_call_output', async () => {
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'get_weather',
    arguments: ARGS,
    status: 'completed',
  }
  const response = (status, output) => ({ id: 'resp_1', object: 'response', status, output })
  const events = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta: ARGS },
    { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: ARGS },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response('completed', [item]) },
  ]
  const { baseURL, asked } = await serve(events, [
    events[0],
    { type: 'response.completed', response: response('completed', []) },
  ])
  const client = new OpenAI({ apiKey: 'any', baseURL })
  const transport = new OpenAITransport(client)
  const stream = client.responses.stream({ model: 'any', input: 'weather?' })
  const calls = await receiveAll(transport, stream)
  expect(calls).toEqual([CALL])
  expect(transport.receiveToolCalls(await stream.finalResponse())).toEqual([])
  const input = transport.sendToolResults(calls.map(call => ({ ...call, result })))
  await client.responses.stream({ model: 'any', previous_response_id: 'resp_1', input }).finalResponse()
  expect(asked[1].input).toEqual([{ type: 'function_call_output', call_id: 'call_1', output: JSON.stringify(result) }])
})

test('openai: its Realtime socket, from the event of a call to one response.create after the output', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-realtime-'))
  open.push(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-days', '2', ...files, ...name], { stdio: 'ignore' })
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) })
  const sockets = new WebSocketServer({ server })
  await new Promise(resolve => server.listen(0, 'localhost', resolve))
  const item = {
    id: 'item_1',
    type: 'function_call',
    status: 'completed',
    call_id: 'call_1',
    name: 'get_weather',
    arguments: ARGS,
  }
  const received = []
  const heardAll = new Promise(resolve => {
    sockets.on('connection', socket => {
      socket.on('message', data => received.push(JSON.parse(data)) === 2 && resolve())
      for (const event of [
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
        {
          type: 'response.function_call_arguments.done',
          response_id: 'resp_1',
          item_id: 'item_1',
          call_id: 'call_1',
          arguments: ARGS,
        },
        { type: 'response.output_item.done', response_id: 'resp_1', output_index: 0, item },
        { type: 'response.done', response: { id: 'resp_1', status: 'completed', output: [item] } },
      ])
        socket.send(JSON.stringify(event))
    })
  })
  const client = new OpenAI({ apiKey: 'any', baseURL: `https://localhost:${server.address().port}/v1` })
  const realtime = new OpenAIRealtimeWS({ model: 'any', options: { ca: readFileSync(cert) } }, client)
  open.push(
    () =>
      new Promise(resolve => {
        realtime.close()
        sockets.close()
        server.close(resolve)
      }),
  )
  const transport = new OpenAIRealtimeTransport(realtime)
  // The same connection, as events of the package and as bytes of the socket.
  const raw = new OpenAIRealtimeTransport({ send: () => {} })
  const fromBytes = []
  realtime.socket.on('message', data => fromBytes.push(...raw.receiveToolCalls(data)))
  const calls = []
  realtime.on('event', event => {
    for (const call of transport.receiveToolCalls(event)) {
      calls.push(call)
      transport.sendToolResult({ ...call, result })
    }
  })
  await heardAll
  expect(calls).toEqual([CALL])
  expect(fromBytes).toEqual([CALL])
  expect(received).toEqual([
    {
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify(result) },
    },
    { type: 'response.create', event_id: 'toolgate_1' },
  ])
})
