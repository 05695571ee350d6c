// Conversations that need three of 500 tools, with the tool search of OpenAI and of Anthropic: their SDKs and transports over
// scripted providers.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

import { THREE_NEEDS } from '../../bench/search/many-tools.mjs'
import { AnthropicTransport } from '../../js/transports/anthropic-transport.js'
import { OpenAITransport } from '../../js/transports/openai-transport.js'
import { openManyTools } from './many-tools-gate.mjs'
import { untilSaid } from './play.mjs'
import { searchingMessages, searchingResponses } from './searching-providers.mjs'

const EXPECTED_CALLS = THREE_NEEDS.map(({ name, args }) => ({ name, args }))
const DONE = 'All three are done.'
let many
beforeAll(async () => {
  many = await openManyTools({ always: ['ticket_create'] })
})
afterAll(() => many.close())

async function open() {
  const calls = []
  const onToolCall = ({ name, args }) => calls.push({ name, args: JSON.parse(args) })
  const session = await many.registry.createSession({ mode: 'text', toolSearch: 'provider', onToolCall })
  return { session, calls, history: [{ role: 'user', content: 'Three things, please.' }] }
}

test('OpenAI Responses', async () => {
  const { session, calls, history } = await open()
  const { fetch, requests } = searchingResponses()
  const openai = new OpenAI({ apiKey: 'any', baseURL: 'http://scripted.invalid/v1', maxRetries: 0, fetch })
  const tools = session.declared('openaiResponses')
  const said = await untilSaid({
    session,
    history,
    transport: new OpenAITransport(),
    request: input => openai.responses.create({ model: 'any', input, tools }),
    saidIn: ({ output_text: text }) => text,
  })
  expect(said).toBe(DONE)
  expect(calls).toEqual(EXPECTED_CALLS)
  expect(requests).toHaveLength(4)
  const results = requests[3].input.filter(({ type }) => type === 'function_call_output')
  expect(results.map(({ output }) => JSON.parse(output).data)).toEqual(THREE_NEEDS.map(({ args }) => args))
})

test('Anthropic Messages', async () => {
  const { session, calls, history } = await open()
  const { fetch, requests } = searchingMessages()
  const anthropic = new Anthropic({ apiKey: 'any', baseURL: 'http://scripted.invalid', maxRetries: 0, fetch })
  const tools = session.declared('anthropic')
  const said = await untilSaid({
    session,
    history,
    transport: new AnthropicTransport(),
    request: messages => anthropic.messages.create({ model: 'any', max_tokens: 999, messages, tools }),
    saidIn: ({ content }) => content[0].text,
  })
  expect(said).toBe(DONE)
  expect(calls).toEqual(EXPECTED_CALLS)
  expect(requests).toHaveLength(4)
  const results = requests[3].messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')
  expect(results.map(({ content }) => JSON.parse(content).data)).toEqual(THREE_NEEDS.map(({ args }) => args))
})

describe("a stream with the provider's search gives only the call", () => {
  test('of OpenAI Responses', () => {
    const transport = new OpenAITransport()
    const item = {
      id: 'tsc_1',
      type: 'tool_search_call',
      execution: 'server',
      call_id: null,
      arguments: { paths: ['x'] },
    }
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'x', arguments: '{}' }
    const found = {
      id: 'tso_1',
      type: 'tool_search_output',
      execution: 'server',
      call_id: null,
      tools: [{ name: 'x' }],
    }
    const events = [item, found, call].flatMap((one, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...one, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item: { ...one, status: 'completed' } },
    ])
    const output = [item, found, call].map(one => ({ ...one, status: 'completed' }))
    events.push({ type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } })
    const calls = events.flatMap(event => transport.receiveToolCalls(event))
    expect(calls).toEqual([{ id: 'call_a', name: 'x', args: {} }])
    expect(transport.problem).toBeNull()
  })

  test('of Anthropic Messages, whose blocks are all repeated', () => {
    const transport = new AnthropicTransport()
    const found = {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'x' }],
      },
    }
    const started = (index, content_block) => ({ type: 'content_block_start', index, content_block })
    const piece = (index, partial_json) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    })
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25' }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'x' }
    const events = [
      { type: 'message_start', message: { id: 'msg_1', content: [] } },
      started(0, { ...search, input: {} }),
      piece(0, '{"query":"trac'),
      piece(0, 'k"}'),
      { type: 'content_block_stop', index: 0 },
      started(1, found),
      { type: 'content_block_stop', index: 1 },
      started(2, { ...use, input: {} }),
      piece(2, '{"number":"S-7"}'),
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ]
    const calls = events.flatMap(event => transport.receiveToolCalls(event))
    expect(calls).toEqual([{ id: 'toolu_1', name: 'x', args: { number: 'S-7' } }])
    expect(transport.assistantMessage).toEqual({
      role: 'assistant',
      content: [{ ...search, input: { query: 'track' } }, found, { ...use, input: { number: 'S-7' } }],
    })
  })
})
