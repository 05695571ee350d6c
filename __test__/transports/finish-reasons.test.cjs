'use strict'
// A finish reason ends a streamed message of Chat Completions only for what is whole: gateways put one on every chunk.
const { AnthropicTransport } = require('../../js/transports/anthropic-transport.js')
const { GeminiLiveTransport } = require('../../js/transports/gemini-live-transport.js')
const { OpenAILiveTransport } = require('../../js/transports/openai-live-transport.js')
const { OpenAIRealtimeTransport } = require('../../js/transports/openai-realtime-transport.js')
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
const { ToolTransport } = require('../../js/transports/transport.js')
const { found } = require('./support/answers.cjs')

const [ONE, TWO] = ['call_abcdefgh01', 'call_abcdefgh02']
const chunk = (delta, finish = null, id = 'm1') => ({ id, choices: [{ index: 0, delta, finish_reason: finish }] })
const begun = (index, id, name, args) => ({ index, id, type: 'function', function: { name, arguments: args } })
const more = (index, args) => ({ index, function: { arguments: args } })
const calling = (pieces, finish, id) => chunk({ tool_calls: pieces }, finish, id)

let transport
beforeEach(() => {
  transport = new OpenAITransport()
})

/** What each event gives: names with arguments, and the problem. */
const steps = (...events) =>
  events.map(event => {
    const calls = event === 'end()' ? transport.end() : transport.receiveToolCalls(event)
    const given = calls.map(({ name, args }) => `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`)
    return transport.problem === null ? given : [...given, transport.problem]
  })
const repeated = () => transport.assistantMessage.tool_calls.map(({ id }) => id)

test('a whole call is given at the first finish reason, and the next ones at theirs', () => {
  const events = [
    chunk({ role: 'assistant', content: 'I ' }, 'stop'),
    calling([begun(0, ONE, 'one', '{"a":1}')], 'stop'),
    calling([begun(1, TWO, 'two', '{"b":2}')], 'stop'),
    chunk({ content: 'do.' }, 'stop'),
  ]
  expect(steps(...events, '[DONE]')).toEqual([[], ['one {"a":1}'], ['two {"b":2}'], [], []])
  expect(transport.assistantMessage).toMatchObject({ role: 'assistant', content: 'I do.' })
  expect(repeated()).toEqual([ONE, TWO])
})

test('a call whose arguments are unfinished waits for more of its message', () => {
  const events = [
    calling([begun(0, ONE, 'one', '{"a"'), begun(1, TWO, 'two', '{"b":2}')], 'tool_calls'),
    calling([more(0, ':')], 'tool_calls'),
    calling([more(0, '1}')]),
  ]
  expect(steps(...events, '[DONE]')).toEqual([['two {"b":2}'], [], ['one {"a":1}'], []])
  expect(repeated()).toEqual([TWO, ONE])
})

test.each([
  ['another message', chunk({ role: 'assistant', content: '' }, null, 'm2')],
  ['a whole message', { id: 'm2', choices: [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] }],
  ['the end of the stream', '[DONE]'],
  ['the end of the loop', 'end()'],
  ['a response of the other API', { type: 'response.created', response: { id: 'r1' } }],
])('one that never ends is named at %s', (_what, event) => {
  const all = steps(calling([begun(0, ONE, 'one', '{"a"')], 'stop'), event, 'end()')
  expect(all).toEqual([[], ['`one` not run: the arguments did not end'], []])
})

const EMPTY = ['', '  ']
describe.each(EMPTY)('a call whose arguments are %j so far', none => {
  test.each([
    ['the rest of the message', chunk({ content: '' })],
    ['another call', calling([begun(1, TWO, 'two', '')])],
    ['the usage', { id: 'm1', choices: [], usage: { total_tokens: 1 } }],
    ['an event of no API', { type: 'keepalive' }],
    ['another message', chunk({ role: 'assistant', content: '' }, null, 'm2')],
    ['the end of the stream', '[DONE]'],
    ['the end of the loop', 'end()'],
  ])('in the chunk of the finish reason is given at %s', (_what, event) => {
    const given = expect.stringMatching(/^one /)
    expect(steps(calling([begun(0, ONE, 'one', none)], 'tool_calls'), event)).toEqual([[], [given]])
    expect(repeated()).toEqual([ONE])
  })

  test('gets the arguments that the next chunk brings', () => {
    const events = [calling([begun(0, ONE, 'one', none)], 'stop'), calling([more(0, '{"a":')], 'stop')]
    expect(steps(...events, calling([more(0, '1}')], 'stop'), '[DONE]')).toEqual([
      [],
      [],
      [expect.stringMatching(/^one +\{"a":1\}$/)],
      [],
    ])
  })

  test('is given at a finish reason in a chunk of its own', () => {
    expect(steps(calling([begun(0, ONE, 'one', none)]), chunk({}, 'tool_calls'))).toEqual([
      [],
      [expect.stringMatching(/^one /)],
    ])
  })

  test('is not given after a comment or a blank event, nor after a lost one', () => {
    const all = steps(calling([begun(0, ONE, 'one', none)], 'stop'), ': keepalive', '', '{"cut', 'end()')
    expect(all.slice(0, 3)).toEqual([[], [], []])
    expect(all[3]).toEqual([expect.stringMatching(/`one` not run: an event of the message could not be read/)])
    expect(all[4]).toEqual([])
  })

  test('is not given where the message then ends with another word', () => {
    const all = steps(calling([begun(0, ONE, 'one', none)], 'stop'), chunk({}, 'length'), 'end()')
    expect(all).toEqual([[], ['`one` not run: the message ended with `length`'], []])
  })
})

test('a message that is answered while it goes on repeats the answers of all its calls', () => {
  const [first] = transport.receiveToolCalls(calling([begun(0, ONE, 'one', '{"a":1}')], 'stop'))
  expect(repeated()).toEqual([ONE])
  transport.sendToolResult({ ...first, result: found() })
  transport.receiveToolCalls(calling([begun(1, TWO, 'two', '{"b":2}')], 'stop'))
  expect(repeated()).toEqual([ONE, TWO])
})

test('messages without ids: one that ended and lacks nothing is over', () => {
  const bare = (pieces, finish) => calling(pieces, finish, null)
  const all = steps(
    bare([begun(0, ONE, 'one', '{"a":1}')]),
    chunk({}, 'stop', null),
    bare([begun(0, TWO, 'one', '{"a":2}')]),
    chunk({}, 'stop', null),
  )
  expect(all).toEqual([[], ['one {"a":1}'], [], ['one {"a":2}']])
  expect(repeated()).toEqual([TWO])
})

test.each([
  ['the base class', new ToolTransport()],
  ['Chat Completions and Responses', new OpenAITransport()],
  ['Anthropic', new AnthropicTransport()],
  ['Realtime', new OpenAIRealtimeTransport({ send() {} })],
  ['GPT-Live', new OpenAILiveTransport({ send() {} })],
  ['Gemini Live', new GeminiLiveTransport({ sendToolResponse() {} })],
])('end() of a transport where nothing waits: %s', (_name, idle) => {
  expect([idle.end(), idle.end(), idle.problem]).toEqual([[], [], null])
})
