'use strict'
// A call without arguments beside one of the same id and name that has some: it is not given, and named.
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { OpenAILiveTransport } = require('../../js/transports/openai-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')

const [ID, NAME] = ['call_abcdefgh01', 'delete_notes']
const FULL = '{"folder":"old"}'
const client = { send() {} }

const item = (args, at, id = ID) => ({
  type: 'function_call',
  id: `fc_${at}`,
  call_id: id,
  name: NAME,
  arguments: args,
  status: 'completed',
})
const response = calls => ({ id: 'resp_1', object: 'response', status: 'completed', output: calls })
const toolCalls = texts =>
  texts.map((args, index) => ({ index, id: ID, type: 'function', function: { name: NAME, arguments: args } }))
const input = args => (args === '' ? {} : JSON.parse(args))
const chunk = (delta, finish = null) => ({ id: 'm1', choices: [{ index: 0, delta, finish_reason: finish }] })
const functionCall = args => ({ id: ID, name: NAME, args: input(args) })
const toolUse = args => ({ type: 'tool_use', id: ID, name: NAME, input: input(args) })

const FORMS = {
  'chat, whole': [
    () => new OpenAITransport(),
    texts => [
      { id: 'm1', choices: [{ index: 0, finish_reason: 'tool_calls', message: { tool_calls: toolCalls(texts) } }] },
    ],
  ],
  'chat, streamed': [
    () => new OpenAITransport(),
    texts => [
      chunk({ role: 'assistant' }),
      ...toolCalls(texts).map(call => chunk({ tool_calls: [call] })),
      chunk({}, 'stop'),
    ],
  ],
  responses: [() => new OpenAITransport(), texts => [response(texts.map((args, at) => item(args, at)))]],
  anthropic: [
    () => new AnthropicTransport(),
    texts => [{ id: 'msg_1', role: 'assistant', stop_reason: 'tool_use', content: texts.map(toolUse) }],
  ],
  'realtime, listed': [
    () => new OpenAIRealtimeTransport(client),
    texts => [{ type: 'response.done', response: response(texts.map((args, at) => item(args, at))) }],
  ],
  'GPT-Live': [
    () => new OpenAILiveTransport(client),
    texts => [
      {
        type: 'response.event',
        delegation_id: 'dlg_1',
        event: { type: 'response.completed', response: response(texts.map((args, at) => item(args, at))) },
      },
    ],
  ],
  gemini: [
    () => new GeminiLiveTransport({ sendToolResponse() {} }),
    texts => [{ toolCall: { functionCalls: texts.map(functionCall) } }],
  ],
}
/** Protocols that give a call before they know the next one. */
const IN_ORDER = {
  'realtime, item by item': [
    () => new OpenAIRealtimeTransport(client),
    texts => [
      { type: 'response.created', response: { id: 'resp_1' } },
      ...texts.map((args, at) => ({ type: 'response.output_item.done', response_id: 'resp_1', item: item(args, at) })),
    ],
  ],
  'gemini, in content': [
    () => new GeminiLiveTransport({ sendToolResponse() {} }),
    texts => texts.map(args => ({ serverContent: { modelTurn: { parts: [{ functionCall: functionCall(args) }] } } })),
  ],
}

function read([make, events], texts) {
  const transport = make()
  const problems = []
  const calls = events(texts).flatMap(event => {
    const given = transport.receiveToolCalls(event)
    if (transport.problem !== null) problems.push(transport.problem)
    return given
  })
  const args = calls.map(call => (typeof call.args === 'string' ? input(call.args) : call.args))
  return { args, problems, transport }
}

const EMPTY = ['', '{}', ' { } ']
const inOrder = Object.entries({ ...FORMS, ...IN_ORDER }).flatMap(([form, parts]) =>
  EMPTY.map(empty => [form, [FULL, empty], parts]),
)
/** In a stream an empty call may be the beginning of the other one: then none of them is given. */
const canBeOne = (form, empty) => form === 'chat, streamed' && empty !== '{}'
const reversed = Object.entries(FORMS).flatMap(([form, parts]) =>
  EMPTY.filter(empty => !canBeOne(form, empty)).map(empty => [form, [empty, FULL], parts]),
)

test.each([...inOrder, ...reversed])('%s: %j', (_form, texts, parts) => {
  const { args, problems, transport } = read(parts, texts)
  expect(args).toEqual([{ folder: 'old' }])
  expect(problems).toEqual([expect.stringContaining(`\`${NAME}\` not run: it has no arguments`)])
  // What the next request repeats has one call for the one answer.
  const text = JSON.stringify(transport.assistantMessage ?? null)
  expect(text.split(NAME).length - 1).toBe(text === 'null' ? 0 : 1)
})

test.each(Object.entries(FORMS))('%s: a call without arguments is given beside one of another id', (_form, parts) => {
  const [make, events] = parts
  const other = value => JSON.parse(JSON.stringify(value).replace(ID, 'call_abcdefgh02'))
  const { args, problems } = read([make, texts => other(events(texts))], [FULL, '{}'])
  expect(problems).toEqual([])
  expect(args).toEqual([{ folder: 'old' }, {}])
})
