// `assistantMessage` has nothing that only the helpers of an SDK add: the services refuse it in the next request.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
const { ADDED } = require('../../js/transports/sdk-members.js')

const root = new URL('../../node_modules/', import.meta.url)
const TYPES = [
  'openai/resources/chat/completions/completions.d.ts',
  'openai/resources/responses/responses.d.ts',
  '@anthropic-ai/sdk/lib/parser.d.ts',
]

test.each(TYPES)('what the helpers add by %s is known', file => {
  const source = readFileSync(new URL(file, root), 'utf8')
  const names = [...source.matchAll(/^\s+(parsed\w*)\??:/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter(name => !ADDED.has(name))).toEqual([])
})

const parsed = { body: 'a' }
const TEXT = '{"body":"a"}'

test('Chat Completions: of the message, its calls, and nothing of a server', () => {
  const transport = new OpenAITransport()
  const called = { name: 'post_note', arguments: TEXT, parsed_arguments: parsed, extra: 1 }
  const call = { id: 'call_abcdefgh01', type: 'function', function: called, extra_content: { google: 'sig' } }
  const message = { role: 'assistant', content: 'Hm', parsed, tool_calls: [call] }
  transport.receiveToolCalls({ id: 'm1', choices: [{ index: 0, finish_reason: 'tool_calls', message }] })
  const { parsed_arguments: _added, ...repeated } = called
  expect(transport.assistantMessage).toEqual({
    role: 'assistant',
    content: 'Hm',
    tool_calls: [{ ...call, function: repeated }],
  })
})

test('Responses: of the calls and of the texts', () => {
  const transport = new OpenAITransport()
  const text = { type: 'output_text', text: 'Hm', annotations: [] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_abcdefgh01', name: 'post_note', arguments: TEXT }
  const items = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [text] }, call]
  const output = [
    { ...items[0], content: [{ ...text, parsed }] },
    { ...call, parsed_arguments: parsed },
  ]
  transport.receiveToolCalls({ id: 'resp_1', object: 'response', status: 'completed', output })
  expect(transport.assistantMessage).toEqual(items)
})

test('Anthropic: of the texts', () => {
  const transport = new AnthropicTransport()
  const content = [
    { type: 'text', text: '{}' },
    { type: 'tool_use', id: 'toolu_abcdefgh01', name: 'post_note', input: { body: 'a' } },
  ]
  const given = [{ ...content[0], parsed_output: parsed }, content[1]]
  transport.receiveToolCalls({
    id: 'msg_1',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: given,
    parsed_output: parsed,
  })
  expect(transport.assistantMessage).toEqual({ role: 'assistant', content })
})
