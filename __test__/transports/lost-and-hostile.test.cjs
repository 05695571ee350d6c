'use strict'
// Events that are lost, labels that mislead, and streams that want memory: no call runs with the wrong arguments, none is lost in
// silence.
const { AnthropicTransport } = require('./support/gate-view.cjs')
const { GeminiLiveTransport } = require('./support/gate-view.cjs')
const { OpenAIRealtimeTransport } = require('./support/gate-view.cjs')
const { OpenAITransport } = require('./support/gate-view.cjs')
const { found } = require('./support/answers.cjs')

const chunk = (delta, finish_reason = null, id = 'chatcmpl-abcdefgh') => ({
  id,
  choices: [{ index: 0, delta, finish_reason }],
})
const piece = (index, text, rest = {}) => chunk({ tool_calls: [{ index, ...rest, function: { arguments: text } }] })
const begin = (index, id, name, text = '') =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] })
const item = (name, rest = {}) => ({
  type: 'function_call',
  id: `item_${name}`,
  call_id: `call_of_${name}_1a2b3c4d`,
  name,
  arguments: '{"a":1}',
  status: 'completed',
  ...rest,
})
const realtime = () => new OpenAIRealtimeTransport({ send() {} })

/** What the events give, and the problems. */
function read(transport, ...events) {
  const calls = []
  const problems = []
  for (const event of [...events, '[DONE]']) {
    calls.push(...transport.receiveToolCalls(event).map(({ name, args }) => [name, args]))
    if (transport.problem !== null) problems.push(transport.problem)
  }
  return { calls, problems }
}

describe('an event that is lost', () => {
  const throwing = {
    get choices() {
      throw new Error('gone')
    },
    get type() {
      throw new Error('gone')
    },
  }
  const unreadable = [
    ['text that is cut', '{"choices":[{"ind'],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe])],
    ['a getter that throws', throwing],
  ]

  test.each(unreadable)('drops the streamed message: %s', (_what, event) => {
    const chat = read(
      new OpenAITransport(),
      begin(0, 'call_abcdefgh1', 'rm', '{"path":"/home'),
      event,
      piece(0, '"}'),
      chunk({}, 'tool_calls'),
    )
    expect(chat.calls).toEqual([])
    expect(chat.problems.join()).toMatch(/`rm` not run: an event of the message could not be read/)
    const anthropic = read(
      new AnthropicTransport(),
      { type: 'message_start', message: { id: 'msg_1' } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'rm', input: {} },
      },
      event,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    )
    expect(anthropic.calls).toEqual([])
    expect(anthropic.problems.join()).toMatch(/`rm` not run: an event of the message could not be read/)
  })

  test('blank text and events of no API drop nothing', () => {
    const chat = read(new OpenAITransport(), begin(0, 'call_abcdefgh1', 'rm', '{}'), '\n', chunk({}, 'stop'))
    expect(chat.calls).toEqual([['rm', '{}']])
    const responses = read(
      new OpenAITransport(),
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item: item('rm') },
      { type: 'keepalive', sequence_number: 3 },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } },
    )
    expect(responses).toEqual({ calls: [['rm', '{"a":1}']], problems: [] })
  })

  test('leaves no call without arguments where others are broken', () => {
    const events = [begin(0, 'call_abcdefgh1', 'one', ''), begin(1, 'call_abcdefgh2', 'two', '{"a'), chunk({}, 'stop')]
    const { calls, problems } = read(new OpenAITransport(), ...events)
    expect(calls).toEqual([])
    expect(problems).toEqual(['`one`, `two` not run: the arguments did not end'])
  })

  test.each([0, null])('takes an empty delta with an id of its own for no second call (index %p)', index => {
    const [first, again] = ['call_abcdefgh1', 'call_abcdefgh2'].map(id => call => begin(index, id, 'one', call))
    const { calls, problems } = read(new OpenAITransport(), first('{"a":1}'), again(''), chunk({}, 'stop'))
    expect(calls).toEqual([['one', '{"a":1}']])
    expect(problems).toEqual(['`one` not run: it has no arguments, and the message can be read without it'])
    const two = read(new OpenAITransport(), first('{"a":1}'), again(''), piece(index, '{"b":2}'), chunk({}, 'stop'))
    expect(two).toEqual({
      calls: [
        ['one', '{"a":1}'],
        ['one', '{"b":2}'],
      ],
      problems: [],
    })
  })

  test('leaves no call of a message in which a part fits no call', () => {
    const events = [
      begin(0, 'call_abcdefgh1', 'one', '{"":1}'),
      begin(1, 'call_abcdefgh2', 'two', '"a"}'),
      chunk({}, 'stop'),
    ]
    const { calls, problems } = read(new OpenAITransport(), ...events)
    expect(calls).toEqual([])
    expect(problems).toEqual([
      '`one`, `two` not run: the arguments of a call are no object, and a part of them may be of another call',
    ])
  })

  test('leaves no call of a stream without indexes that came twice', () => {
    const call = (id, name, args) =>
      chunk({ tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] })
    const events = [call('call_abcdefgh1', 'one', '{"a":1}'), call('call_abcdefgh1', 'two', '{"b":2}')]
    const { calls, problems } = read(new OpenAITransport(), ...events, ...events, chunk({}, 'tool_calls'))
    expect(calls).toEqual([])
    expect(problems).toEqual(['`one`, `two`, `one`, `two` not run: a call came twice, or two calls are equal'])
  })

  test('leaves an unlabelled part to no call where several may take it', () => {
    const events = [
      begin(0, 'call_abcdefgh1', 'one', '{"a":'),
      begin(1, 'call_abcdefgh2', 'two', '{"b":'),
      piece(null, '1}'),
      chunk({}, 'stop'),
    ]
    expect(read(new OpenAITransport(), ...events).calls).toEqual([])
  })

  test('is told where the message says that it has calls', () => {
    const chat = read(new OpenAITransport(), chunk({ role: 'assistant', content: 'Well.' }), chunk({}, 'tool_calls'))
    expect(chat.problems).toEqual(['the message ended with `tool_calls`, and has no call'])
  })
})

describe('labels', () => {
  test('a conflict names the calls that come after it too', () => {
    const events = [
      begin(0, 'call_abcdefgh1', 'one', '{}'),
      piece(7, '{"b":2}', { id: 'odd' }),
      begin(1, 'call_abcdefgh2', 'two', '{}'),
      chunk({}, 'stop'),
    ]
    events.splice(1, 0, piece(0, '{"again":1}'))
    const { calls, problems } = read(new OpenAITransport(), ...events)
    expect(calls).toEqual([])
    expect(problems.join()).toMatch(/`one`, `two` not run/)
  })

  test('the id of one call with the index of another is unclear', () => {
    const events = [begin(1, 'constant', 'two', ''), piece(0, '{"a":1}', { id: 'constant' }), chunk({}, 'stop')]
    expect(read(new OpenAITransport(), ...events).calls).toEqual([])
  })

  test('the choice with index 0 is read once, and a second one is named', () => {
    const message = name => ({ tool_calls: [{ id: `call_of_${name}_1234`, function: { name, arguments: '{}' } }] })
    const choices = ['one', 'two'].map(name => ({ index: 0, finish_reason: 'stop', message: message(name) }))
    const { calls, problems } = read(new OpenAITransport(), { id: 'chatcmpl-n', choices })
    expect(calls).toEqual([['one', '{}']])
    expect(problems).toEqual(['only choice 0 of a message is read, not 0'])
  })

  test('Realtime: arguments in events are found by call or place, and never by none', () => {
    const open = item('rm', { arguments: '' })
    const labels = [{ item_id: open.id }, { call_id: open.call_id }, { output_index: 0 }]
    for (const label of labels) {
      const { calls } = read(
        realtime(),
        {
          type: 'response.function_call_arguments.done',
          response_id: 'resp_1',
          ...label,
          arguments: '{"path":"/tmp"}',
        },
        { type: 'response.output_item.done', response_id: 'resp_1', output_index: 0, item: open },
      )
      expect(calls).toEqual([['rm', '{"path":"/tmp"}']])
    }
    const { calls, problems } = read(
      realtime(),
      { type: 'response.function_call_arguments.done', response_id: 'resp_1', arguments: '{"path":"/tmp"}' },
      { type: 'response.output_item.done', response_id: 'resp_1', output_index: 0, item: open },
    )
    expect(calls).toEqual([])
    expect(problems).toEqual(['`rm` not run: it is not clear which arguments are its'])
  })

  test('Realtime: a text of a response that was cut is not of an item with that id in the next one', () => {
    const delta = (response_id, text) => ({
      type: 'response.function_call_arguments.delta',
      response_id,
      item_id: 'item_1',
      delta: text,
    })
    const { calls } = read(
      realtime(),
      delta('resp_1', '{"path":"/'),
      { type: 'response.done', response: { id: 'resp_1', status: 'cancelled', output: [] } },
      delta('resp_2', '{"path":"/tmp"}'),
      {
        type: 'response.output_item.done',
        response_id: 'resp_2',
        item: item('rm', { id: 'item_1', arguments: '' }),
      },
    )
    expect(calls).toEqual([['rm', '{"path":"/tmp"}']])
  })

  test('Realtime: calls that did not end are named when their response does', () => {
    const added = { type: 'response.output_item.added', response_id: 'resp_1', output_index: 0, item: item('one') }
    const output = [item('two', { status: 'incomplete' })]
    const done = { type: 'response.done', response: { id: 'resp_1', status: 'incomplete', output } }
    expect(read(realtime(), added, done)).toEqual({
      calls: [],
      problems: ['`one`, `two` not run: the response ended with `incomplete`, and the item did not end'],
    })
  })

  test('Realtime: calls of a response with one constant id have different ids', () => {
    const transport = realtime()
    const calls = ['one', 'two', 'three'].flatMap(name =>
      transport.receiveToolCalls({
        type: 'response.output_item.done',
        response_id: 'resp_4711abcdefgh',
        item: item(name, { call_id: 'constant_id_of_all' }),
      }),
    )
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  test('Gemini: calls with one id in one turn are two if they differ', () => {
    const transport = new GeminiLiveTransport({ sendToolResponse() {} })
    const parts = [1, 2].map(query => ({ functionCall: { id: 'constant', name: 'kb_search', args: { query } } }))
    const calls = transport.receiveToolCalls({ serverContent: { modelTurn: { parts } } })
    expect(calls.map(({ args }) => args)).toEqual([{ query: 1 }, { query: 2 }])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  test('Responses: two calls in one place, and an unlisted call, are not given', () => {
    const at0 = name => ({ type: 'response.output_item.done', output_index: 0, item: item(name) })
    const end = output => ({ type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } })
    const mixed = read(new OpenAITransport(), at0('one'), at0('two'), end([]))
    expect(mixed).toEqual({ calls: [], problems: ['`one`, `two` not run: two output items have one place'] })
    const at1 = { ...at0('two'), output_index: 1 }
    expect(read(new OpenAITransport(), at0('one'), at1, end([item('one')]))).toEqual({
      calls: [['one', '{"a":1}']],
      problems: ['`two` not run: the output of the response does not have it'],
    })
  })
})

describe('a message that comes again', () => {
  const message = (names, id = 'chatcmpl-abcdefgh') => ({
    ...(id === null ? {} : { id }),
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          tool_calls: names.map(name => ({ id: `call_of_${name}_1a2b3c4d`, function: { name, arguments: '{}' } })),
        },
      },
    ],
  })

  test.each([
    ['in part', message(['one'])],
    ['with its id left out', message(['one'], null)],
  ])('%s, after its answers, has the same ids', (_what, again) => {
    const transport = new OpenAITransport()
    const first = transport.receiveToolCalls(message(['one', 'two']))
    for (const call of first) transport.sendToolResult({ ...call, result: found() })
    expect(transport.receiveToolCalls(again)).toEqual([first[0]])
  })
})

describe('hostile streams', () => {
  test('names and ids of 10 MB are not kept', () => {
    const long = 'x'.repeat(10 * 1024 * 1024)
    const transport = new OpenAITransport()
    const [call] = transport.receiveToolCalls({
      id: long,
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { tool_calls: [{ id: long, function: { name: long, arguments: '{}' } }] },
        },
      ],
    })
    expect([call.name.length, call.id]).toEqual([1024, 'temp_1'])
    expect(JSON.stringify(transport.assistantMessage).length).toBeLessThan(1000)
  })

  test('members that servers add to deltas are bounded, and `__proto__` is one of them', () => {
    const transport = new OpenAITransport()
    const first = JSON.parse(
      '{"index":0,"id":"call_abcdefgh1","__proto__":{"x":1},"function":{"name":"one","arguments":"{}"}}',
    )
    expect(read(transport, chunk({ tool_calls: [first] }), chunk({}, 'stop')).calls).toEqual([['one', '{}']])
    expect(Object.hasOwn(transport.assistantMessage.tool_calls[0], '__proto__')).toBe(true)
    const junk = 'x'.repeat(1024 * 1024)
    const many = Array.from({ length: 20 }, (_, at) => piece(0, '', { [`junk${at}`]: junk }))
    const events = [begin(0, 'call_abcdefgh2', 'two', '{}'), ...many, chunk({}, 'stop')]
    const { calls, problems } = read(new OpenAITransport(), ...events)
    expect(calls).toEqual([])
    expect(problems.join()).toMatch(/`two` not run: the arguments are longer/)
  })

  test('arguments of calls beyond the most are not those of the last one', () => {
    const calls = Array.from({ length: 129 }, (_, at) => begin(undefined, `call_abcdefgh${at}`, `tool_${at}`))
    const end = [piece(undefined, '{"all":true}'), chunk({}, 'stop')]
    const given = read(new OpenAITransport(), ...calls, ...end).calls
    expect(given.filter(([, args]) => args !== '')).toEqual([])
  })

  test('problems of one event are bounded', () => {
    const transport = new GeminiLiveTransport({ sendToolResponse() {} })
    transport.receiveToolCalls({ toolCall: { functionCalls: Array.from({ length: 50_000 }, () => ({})) } })
    expect(transport.problem.length).toBeLessThan(2000)
    expect(transport.problem).toMatch(/; and 49980 more$/)
  })
})
