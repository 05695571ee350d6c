// `assistantMessage` has nothing that only the helpers of an SDK add: the services refuse it in the next request.
//
// What the services take is written by scripts/write-message-schemas.mjs, from the types of the SDKs.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import Anthropic from '@anthropic-ai/sdk'
import { Ajv } from 'ajv'
import OpenAI from 'openai'

const require = createRequire(import.meta.url)
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
const schemas = require('./fixtures/message-schemas.json')

const ajv = new Ajv({ strict: false })
const checks = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]))

/** Expects that a service takes what its next request repeats. @param {string} name @param {unknown} repeated */
function expectAccepted(name, repeated) {
  for (const message of [repeated].flat()) {
    checks[name](message)
    expect({ message, faults: checks[name].errors }).toEqual({ message, faults: null })
  }
}

const open = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(close => close()))
})

/** The options of a client whose server answers with the events, or the message. */
async function answering(answer) {
  const isStream = Array.isArray(answer)
  const text = isStream
    ? answer.map(e => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join('')
    : JSON.stringify(answer)
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(text)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise(resolve => server.close(resolve)))
  return { apiKey: 'any', baseURL: `http://127.0.0.1:${server.address().port}` }
}

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

const schema = {
  type: 'object',
  properties: { body: { type: 'string' } },
  required: ['body'],
  additionalProperties: false,
}

describe('helpers of the SDKs', () => {
  const tools = [{ type: 'function', function: { name: 'post_note', strict: true, parameters: schema } }]
  const response_format = { type: 'json_schema', json_schema: { name: 'note', strict: true, schema } }
  const request = { model: 'any', messages: [{ role: 'user', content: 'note a' }], tools, response_format }
  const call = { id: 'call_abcdefgh01', type: 'function', function: { name: 'post_note', arguments: TEXT } }
  const labels = { id: 'm1', model: 'any', created: 1 }

  test('chat.completions.parse and .stream', async () => {
    const message = { role: 'assistant', content: TEXT, refusal: null, annotations: [], tool_calls: [call] }
    const whole = {
      ...labels,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'tool_calls', message }],
    }
    const delta = { role: 'assistant', content: TEXT, refusal: null, tool_calls: [{ index: 0, ...call }] }
    const chunk = (choice, object = 'chat.completion.chunk') => ({
      ...labels,
      object,
      choices: [{ index: 0, ...choice }],
    })
    const chunks = [chunk({ delta, finish_reason: null }), chunk({ delta: {}, finish_reason: 'tool_calls' })]
    const parsing = new OpenAI(await answering(whole)).chat.completions.parse(request)
    const streaming = new OpenAI(await answering(chunks)).chat.completions.stream(request)
    for (const completion of [await parsing, await streaming.finalChatCompletion()]) {
      expect(completion.choices[0].message.tool_calls[0].function).toHaveProperty('parsed_arguments')
      const transport = new OpenAITransport()
      expect(transport.receiveToolCalls(completion)).toHaveLength(1)
      expectAccepted('chat', transport.assistantMessage)
    }
  })

  test('responses.parse and .stream', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAA=' }
    const text = { type: 'output_text', text: TEXT, annotations: [], logprobs: [] }
    const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }
    const called = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_abcdefgh01',
      name: 'post_note',
      arguments: TEXT,
      status: 'completed',
    }
    const response = { ...labels, object: 'response', status: 'completed', output: [reasoning, message, called] }
    const begun = { ...response, status: 'in_progress', output: [] }
    const events = [
      { type: 'response.created', response: begun },
      ...response.output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response },
    ]
    const format = { text: { format: { type: 'json_schema', name: 'note', schema, strict: true } } }
    const asked = {
      model: 'any',
      input: 'note a',
      ...format,
      tools: [{ type: 'function', name: 'post_note', strict: true, parameters: schema }],
    }
    const parsing = new OpenAI(await answering(response)).responses.parse(asked)
    const streaming = new OpenAI(await answering(events)).responses.stream(asked)
    for (const answer of [await parsing, await streaming.finalResponse()]) {
      expect(answer.output[2]).toHaveProperty('parsed_arguments')
      const transport = new OpenAITransport()
      expect(transport.receiveToolCalls(answer)).toHaveLength(1)
      expect(transport.assistantMessage).toHaveLength(3)
      expectAccepted('responses', transport.assistantMessage)
    }
  })

  test('messages.parse and .stream', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'AAA=' },
      { type: 'text', text: TEXT, citations: null },
      { type: 'tool_use', id: 'toolu_abcdefgh01', name: 'post_note', input: { body: 'a' } },
    ]
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { ...labels, type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage }
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...content.flatMap((content_block, index) => [
        { type: 'content_block_start', index, content_block },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
      { type: 'message_stop' },
    ]
    const output_config = { format: { type: 'json_schema', schema, parse: JSON.parse } }
    const asked = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: 'note a' }], output_config }
    const parsing = new Anthropic(await answering(message)).messages.parse(asked)
    const streaming = new Anthropic(await answering(events)).messages.stream(asked)
    for (const answer of [await parsing, await streaming.finalMessage()]) {
      expect(answer.content[1]).toHaveProperty('parsed_output')
      const transport = new AnthropicTransport()
      expect(transport.receiveToolCalls(answer)).toHaveLength(1)
      expect(transport.assistantMessage.content).toHaveLength(3)
      expectAccepted('anthropic', transport.assistantMessage)
    }
  })
})

test('what a helper adds does not fit: the schemas are closed', () => {
  const called = { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' }
  expectAccepted('responses', called)
  expect(checks.responses({ ...called, parsed_arguments: {} })).toBe(false)
  const text = { role: 'assistant', content: [{ type: 'text', text: 'a' }] }
  expectAccepted('anthropic', text)
  expect(checks.anthropic({ ...text, content: [{ ...text.content[0], parsed_output: {} }] })).toBe(false)
  expectAccepted('chat', { role: 'assistant', content: 'a' })
  expect(checks.chat({ role: 'assistant', content: 'a', parsed: {} })).toBe(false)
})
