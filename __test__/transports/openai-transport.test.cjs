'use strict'
// Chat Completions: whole messages, streamed chunks, and the messages that answer them.
const { OpenAITransport } = require('./support/gate-view.cjs')
const { ToolTransport } = require('../../js/transports/transport.js')
const { found, needsConfirmation } = require('./support/answers.cjs')
const { framesOf } = require('./support/hostile-values.cjs')

const call = (id, name, args) => ({ id, type: 'function', function: { name, arguments: args } })
const completion = (toolCalls, finish_reason = 'tool_calls') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: toolCalls }, finish_reason }],
})
const chunk = (delta, finish_reason = null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const pieces = (...tool_calls) => chunk({ tool_calls })

let transport
beforeEach(() => {
  transport = new OpenAITransport({ chat: {} }, 'conversation-1')
})
const receiveAll = (...events) => events.flatMap(event => transport.receiveToolCalls(event))

test('is a ToolTransport that keeps its client and conversation for the host', () => {
  expect(transport).toBeInstanceOf(ToolTransport)
  expect(transport.client).toEqual({ chat: {} })
  expect(transport.conversationId).toBe('conversation-1')
  expect(transport.receiveCancellations(completion([]))).toEqual([])
})

describe('whole messages', () => {
  const expected = [{ id: 'call_abcdefghi', name: 'kb_search', args: '{"query":"rust"}' }]
  const toolCalls = [call('call_abcdefghi', 'kb_search', '{"query":"rust"}')]

  test('a completion gives its calls, arguments as text', () => {
    expect(receiveAll(completion(toolCalls))).toEqual(expected)
  })

  test('a message alone gives its calls', () => {
    expect(receiveAll({ role: 'assistant', content: null, tool_calls: toolCalls })).toEqual(expected)
  })

  test('text that is no JSON, or is cut, goes on as it is', () => {
    const broken = ['{"query":"ru', 'not json', '[]', '']
    const calls = receiveAll(
      completion(
        broken.map((text, index) => call(`call_abcdefghi${index}`, 'kb_search', text)),
        'stop',
      ),
    )
    expect(calls.map(({ args }) => args)).toEqual(broken)
  })

  test.each(['length', 'content_filter', 'max_tokens', 'error', 'a_reason_of_tomorrow'])(
    'that ended with %s give no call, and name them',
    reason => {
      const calls = [call('call_abcdefgh1', 'end_all', '{"a":1}'), call('call_abcdefgh2', 'delete_all', '')]
      expect(receiveAll(completion(calls, reason))).toEqual([])
      expect(transport.problem).toBe(`\`end_all\`, \`delete_all\` not run: the message ended with \`${reason}\``)
    },
  )

  test('a message that does not say how it ended gives no call without arguments', () => {
    const calls = [call('call_abcdefgh1', 'end_all', '{"a":1}'), call('call_abcdefgh2', 'delete_all', '')]
    for (const whole of [completion(calls, null), { role: 'assistant', tool_calls: calls }]) {
      expect(receiveAll(whole).map(({ name }) => name)).toEqual(['end_all'])
      expect(transport.problem).toBe(
        '`delete_all` not run: the message has no `finish_reason`, and the call no arguments',
      )
    }
  })

  test('an object in the place of the text goes on as text', () => {
    expect(receiveAll(completion([call('call_abcdefghi', 'kb_search', { query: 'rust' })]))).toEqual(expected)
  })

  test('a call without an id gets one of its own, in the message to repeat as well', () => {
    const [seen] = receiveAll(completion([call(undefined, 'kb_search', '{}')]))
    expect(seen.id).toMatch(/^temp_\d+$/)
    expect(transport.assistantMessage.tool_calls[0].id).toBe(seen.id)
  })
})

describe('streams', () => {
  const STREAM = [
    chunk({ role: 'assistant', content: null }),
    pieces({ index: 0, id: 'call_abcdefgh0', type: 'function', function: { name: 'kb_search', arguments: '' } }),
    pieces({ index: 0, function: { arguments: '{"que' } }),
    pieces({ index: 1, id: 'call_abcdefgh1', type: 'function', function: { name: 'kb_get', arguments: '{"id":"a' } }),
    pieces({ index: 0, function: { arguments: 'ry":"rust"}' } }, { index: 1, function: { arguments: '"}' } }),
  ]
  const CALLS = [
    { id: 'call_abcdefgh0', name: 'kb_search', args: '{"query":"rust"}' },
    { id: 'call_abcdefgh1', name: 'kb_get', args: '{"id":"a"}' },
  ]

  test('give their calls when the finish reason arrives, not before', () => {
    expect(receiveAll(...STREAM)).toEqual([])
    expect(receiveAll(chunk({}, 'tool_calls'))).toEqual(CALLS)
  })

  test('give them once', () => {
    receiveAll(...STREAM, chunk({}, 'tool_calls'))
    expect(receiveAll(chunk({}, 'tool_calls'), { choices: [], usage: {} })).toEqual([])
  })

  test('start afresh after a finish', () => {
    receiveAll(...STREAM, chunk({}, 'tool_calls'))
    expect(receiveAll(...STREAM, chunk({}, 'tool_calls'))).toEqual(CALLS)
  })

  test.each(['stop', 'function_call'])('give their calls with the finish reason %s too', reason => {
    expect(receiveAll(...STREAM, chunk({}, reason))).toEqual(CALLS)
  })

  test.each(['length', 'content_filter', 'abort', 'a_reason_of_tomorrow'])(
    'that ended with %s give no call',
    reason => {
      for (const length of [2, 3, STREAM.length]) {
        expect(receiveAll(...STREAM.slice(0, length), chunk({}, reason))).toEqual([])
        expect(transport.problem).toMatch(/`kb_search`.* not run: the message ended with/)
      }
    },
  )

  test('that broke off give nothing to the message that follows', () => {
    const next = [{ ...chunk({ role: 'assistant', content: 'Sorry.' }), id: 'chatcmpl-b' }]
    const followed = [
      ['another id', [...next, { ...chunk({}, 'stop'), id: 'chatcmpl-b' }]],
      ['a role', [chunk({ role: 'assistant', content: 'Sorry.' }), chunk({}, 'stop')]],
      ['an error', [{ error: { message: 'upstream timed out', code: 504 } }, chunk({}, 'stop')]],
      [
        'an error in a choice',
        [{ choices: [{ index: 0, delta: {}, error: { code: 502 }, finish_reason: 'tool_calls' }] }, chunk({}, 'stop')],
      ],
      ['a whole message', [completion([], 'stop'), chunk({}, 'tool_calls')]],
      ['the end of the stream', ['[DONE]', chunk({}, 'tool_calls')]],
      ['an event of Responses', [{ type: 'response.created', response: { id: 'r' } }, chunk({}, 'tool_calls')]],
    ]
    for (const [what, events] of followed) {
      transport = new OpenAITransport()
      const calls = []
      const problems = []
      for (const event of [...STREAM.map(frame => ({ ...frame, id: 'chatcmpl-a' })), ...events]) {
        calls.push(...transport.receiveToolCalls(event))
        problems.push(transport.problem)
      }
      expect([what, calls]).toEqual([what, []])
      expect(problems.join()).toMatch(/`kb_search`, `kb_get` not run/)
    }
  })

  test('with a role in each chunk, or with each call, are one message', () => {
    const assistant = frame => ({
      ...frame,
      choices: [{ ...frame.choices[0], delta: { role: 'assistant', ...frame.choices[0].delta } }],
    })
    const withId = frame => ({ ...frame, id: 'chatcmpl-a' })
    expect(receiveAll(...STREAM.map(assistant), assistant(chunk({}, 'tool_calls')))).toEqual(CALLS)
    const each = STREAM.map((frame, at) => withId([0, 1, 3].includes(at) ? assistant(frame) : frame))
    expect(receiveAll(...each, withId(chunk({}, 'tool_calls'))).map(({ name }) => name)).toEqual([
      'kb_search',
      'kb_get',
    ])
  })

  test('read choice 0 only, and name the others once', () => {
    const other = delta => ({ id: 'chatcmpl-n', choices: [{ index: 1, delta, finish_reason: null }] })
    const events = [other({ role: 'assistant' }), other({ tool_calls: [call('call_other', 'kb_get', '{}')] })]
    const problems = events.map(event => [transport.receiveToolCalls(event), transport.problem])
    expect(problems).toEqual([
      [[], 'only choice 0 of a message is read, not 1'],
      [[], null],
    ])
    const ended = { id: 'chatcmpl-n', choices: [{ index: 1, delta: {}, finish_reason: 'tool_calls' }] }
    expect(receiveAll(...STREAM.map(frame => ({ ...frame, id: 'chatcmpl-n' })), ended)).toEqual([])
    expect(receiveAll({ ...chunk({}, 'tool_calls'), id: 'chatcmpl-n' })).toEqual(CALLS)
  })

  test('whose calls have no index, or all the same one, are told apart by id', () => {
    const whole = (index, id) => ({ ...(index === undefined ? {} : { index }), ...call(id, 'kb_search', '{}') })
    for (const index of [undefined, 0]) {
      const calls = receiveAll(
        pieces(whole(index, 'call_abcdefgh0'), whole(index, 'call_abcdefgh1')),
        chunk({}, 'tool_calls'),
      )
      expect(calls.map(({ id }) => id)).toEqual(['call_abcdefgh0', 'call_abcdefgh1'])
    }
  })

  test.each([null, 'stop'])('whose later call has no index give no arguments that may be of it (finish %s)', finish => {
    const piece = tool_call => chunk({ tool_calls: [tool_call] }, finish)
    const events = [
      piece({ index: 0, ...call('call_abcdefgh0', 'kb_list', '') }),
      piece(call('call_abcdefgh1', 'kb_search', '')),
      piece({ index: 0, id: '', function: { arguments: '{"query":"rust"}' } }),
      chunk({}, 'tool_calls'),
    ]
    const came = events.flatMap(event => [...transport.receiveToolCalls(event), transport.problem])
    expect(came.filter(each => each?.name === 'kb_search')).toEqual([])
    expect(came).toContainEqual(expect.stringMatching(/kb_search` not run: it is not clear which call/))
  })

  test('leave the assistant message that the next request repeats', () => {
    receiveAll(
      chunk({ role: 'assistant', content: 'Let me ' }),
      chunk({ content: 'look.' }),
      ...STREAM.slice(1),
      chunk({}, 'tool_calls'),
    )
    expect(transport.assistantMessage).toEqual({
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: CALLS.map(({ id, name, args }) => call(id, name, args)),
    })
  })

  test('cannot make us collect without bound', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      index,
      ...call(`call_abcdefgh${index}`, 'kb_search', '{}'),
    }))
    expect(receiveAll(pieces(...many), chunk({}, 'tool_calls'))).toHaveLength(128)
    const long = 'x'.repeat(10 * 1024 * 1024)
    const piece = { index: 0, ...call('call_abcdefghi', 'kb_search', long) }
    expect(receiveAll(pieces(piece), pieces(piece), chunk({}, 'tool_calls'))).toEqual([])
    expect(transport.problem).toMatch(/longer than 16777216 characters/)
  })
})

test('malformed frames give no calls, and never throw', () => {
  const nameless = name => (typeof name === 'string' ? null : name)
  const frames = framesOf([
    value => value,
    choices => ({ choices }),
    choice => ({ choices: [choice] }),
    message => ({ choices: [{ message }] }),
    tool_calls => completion(tool_calls),
    toolCall => completion([toolCall]),
    fn => completion([{ id: 'call_abcdefghi', function: fn }]),
    name => completion([call('call_abcdefghi', nameless(name), '{}')]),
    delta => ({ choices: [{ delta, finish_reason: null }] }),
    tool_calls => chunk({ tool_calls }),
    toolCall => pieces(toolCall),
    index => pieces({ index, function: {} }),
    finish_reason => chunk({}, finish_reason),
  ])
  expect(frames.flatMap(frame => transport.receiveToolCalls(frame))).toEqual([])
})

describe('sendToolResult', () => {
  test('is one tool message with the full ToolResponse as JSON', () => {
    const message = transport.sendToolResult({ id: 'call_abcdefghi', name: 'kb_search', result: found() })
    expect({ ...message, content: JSON.parse(message.content) }).toEqual({
      role: 'tool',
      tool_call_id: 'call_abcdefghi',
      content: found(),
    })
  })

  test('leaves out the confirmation token', () => {
    const { content } = transport.sendToolResult({
      id: 'call_abcdefghi',
      name: 'calendar_create_event',
      result: needsConfirmation(),
    })
    const { token, ...request } = needsConfirmation().error.confirmation_request
    expect(content).not.toContain(token)
    expect(JSON.parse(content).error.confirmation_request).toEqual(request)
  })

  test('gives one message per call, in their order', () => {
    const answers = ['call_abcdefgh0', 'call_abcdefgh1'].map(id => ({ id, name: 'kb_search', result: found() }))
    expect(transport.sendToolResults(answers).map(message => message.tool_call_id)).toEqual([
      'call_abcdefgh0',
      'call_abcdefgh1',
    ])
  })

  test.each([[null], [undefined], [''], [7]])('throws where the id is %p: no such message can be sent', id => {
    expect(() => transport.sendToolResult({ id, name: 'kb_search', result: found() })).toThrow(/`id`/)
  })
})
