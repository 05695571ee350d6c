'use strict'
// Answers to calls that the host read itself are sent. What is not sent is said in `problem` and on the diagnostics channel.
const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { OpenAILiveTransport } = require('../../js/transports/openai-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
const { found } = require('./support/answers.cjs')

const ID = 'call_abcdefgh01'
const answer = (id = ID) => ({ id, name: 'kb_search', result: found() })

let sent
let told
const listener = message => told.push(message)
beforeEach(() => {
  sent = []
  told = []
  subscribe('toolgate:answer', listener)
})
afterEach(() => unsubscribe('toolgate:answer', listener))

const push = event => sent.push(event)

test('Gemini: by the id, or by the name', () => {
  const transport = new GeminiLiveTransport({
    sendToolResponse: ({ functionResponses }) => sent.push(...functionResponses),
  })
  transport.sendToolResult(answer())
  transport.sendToolResult(answer(null))
  transport.sendToolResult({ name: 'kb_get', result: found() })
  expect(sent.map(({ id, name }) => [id, name])).toEqual([
    [ID, 'kb_search'],
    [undefined, 'kb_search'],
    [undefined, 'kb_get'],
  ])
  expect([transport.problem, told]).toEqual([null, []])
})

test('Realtime: the model is asked once for the answers that are sent together', () => {
  const transport = new OpenAIRealtimeTransport({ send: push })
  transport.sendToolResults([answer(), answer('call_abcdefgh02')])
  expect(sent.map(({ type, item }) => item?.call_id ?? type)).toEqual([ID, 'call_abcdefgh02', 'response.create'])
})

test('GPT-Live: an item, and the backend continues', () => {
  const transport = new OpenAILiveTransport({ send: push })
  transport.sendToolResult(answer())
  expect(sent.map(({ type, item }) => item?.call_id ?? type)).toEqual([ID, 'response.create'])
})

test('Anthropic, Chat Completions and Responses: the message, of the API that is read', () => {
  expect(new AnthropicTransport().sendToolResult(answer()).content).toMatchObject([{ tool_use_id: ID }])
  const transport = new OpenAITransport()
  expect(transport.sendToolResult(answer())).toMatchObject({ role: 'tool', tool_call_id: ID })
  transport.receiveToolCalls({ type: 'response.created', response: { id: 'resp_1' } })
  expect(transport.sendToolResult(answer())).toMatchObject({ type: 'function_call_output', call_id: ID })
  transport.receiveToolCalls({ role: 'assistant', content: 'x' })
  expect(transport.sendToolResult(answer())).toMatchObject({ role: 'tool', tool_call_id: ID })
})

const item = { type: 'function_call', id: 'fc_1', call_id: ID, name: 'kb_search', arguments: '{}', status: 'completed' }
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item] }
const ANSWERED = {
  Gemini: [
    () => new GeminiLiveTransport({ sendToolResponse: push }),
    { toolCall: { functionCalls: [{ id: ID, name: 'kb_search' }] } },
  ],
  Realtime: [() => new OpenAIRealtimeTransport({ send: push }), { type: 'response.done', response }],
  'GPT-Live': [
    () => new OpenAILiveTransport({ send: push }),
    { type: 'response.event', delegation_id: 'd1', event: { type: 'response.completed', response } },
  ],
  Anthropic: [
    () => new AnthropicTransport(),
    {
      id: 'm1',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: ID, name: 'kb_search', input: {} }],
    },
  ],
}

test.each(Object.entries(ANSWERED))('%s: a second answer is not sent, and that is said', (_name, [make, event]) => {
  const transport = make()
  const [call] = transport.receiveToolCalls(event)
  transport.sendToolResult({ ...call, result: found() })
  const count = sent.length
  transport.sendToolResult({ ...call, result: found() })
  const problem = 'the answer to `kb_search` is not sent: the call was answered before'
  expect([sent.length, transport.problem]).toEqual([count, problem])
  expect(told).toEqual([{ transport: transport.constructor.name, callId: ID, toolId: 'kb_search', problem }])
})
