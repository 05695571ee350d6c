'use strict'
// Anthropic's Messages API: whole messages, stream events, and the one user message that answers them.
const { AnthropicTransport } = require('./support/gate-view.cjs')
const { ToolTransport } = require('../../js/transports/transport.js')
const { found, needsConfirmation } = require('./support/answers.cjs')
const { framesOf } = require('./support/hostile-values.cjs')

const toolUse = (id, input = { query: 'rust' }) => ({ type: 'tool_use', id, name: 'kb_search', input })
const words = { type: 'text', text: 'Let me look.' }
const message = (content, stop_reason = 'tool_use') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content,
  stop_reason,
})
const call = (id, args = '{"query":"rust"}') => ({ id, name: 'kb_search', args })

const start = { type: 'message_start', message: message([], null) }
const open = (index, block) => ({ type: 'content_block_start', index, content_block: block })
const piece = (index, partial_json) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
})
const close = index => ({ type: 'content_block_stop', index })
const stop = (stop_reason = 'tool_use') => [
  { type: 'message_delta', delta: { stop_reason }, usage: {} },
  { type: 'message_stop' },
]
const written = (index, id, ...pieces) => [
  open(index, toolUse(id, {})),
  ...pieces.map(text => piece(index, text)),
  close(index),
]

let transport
beforeEach(() => {
  transport = new AnthropicTransport()
})
const receiveAll = (...events) => events.flatMap(event => transport.receiveToolCalls(event))

test('is a ToolTransport, and nothing of this protocol cancels', () => {
  expect(transport).toBeInstanceOf(ToolTransport)
  expect(transport.receiveCancellations(message([toolUse('toolu_a')]))).toEqual([])
})

describe('a whole message', () => {
  test('gives its calls, arguments as text, once', () => {
    const whole = message([words, toolUse('toolu_a'), toolUse('toolu_b', {})])
    expect(receiveAll(whole)).toEqual([call('toolu_a'), call('toolu_b', '{}')])
    expect(receiveAll(whole)).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('is read from text and bytes', () => {
    expect(receiveAll(JSON.stringify(message([toolUse('toolu_a')])))).toEqual([call('toolu_a')])
    expect(receiveAll(Buffer.from(JSON.stringify(message([toolUse('toolu_b')]))))).toEqual([call('toolu_b')])
  })

  test.each(['max_tokens', 'model_context_window_exceeded', 'refusal', 'pause_turn', 'a_reason_of_tomorrow'])(
    'that ended with %s gives no call, and names them',
    reason => {
      expect(receiveAll(message([toolUse('toolu_a'), toolUse('toolu_b', {})], reason))).toEqual([])
      expect(transport.problem).toBe(`\`kb_search\`, \`kb_search\` not run: the message ended with \`${reason}\``)
      expect(transport.assistantMessage).toBeNull()
    },
  )

  test("gives no calls of the service's own tools", () => {
    expect(receiveAll(message([{ ...toolUse('srvtoolu_a'), type: 'server_tool_use' }]))).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test.each([
    ['text', '"x"'],
    ['a list', '[1]'],
    ['a number', '7'],
  ])('input that is %s goes on for the gate to refuse', (_what, json) => {
    expect(receiveAll(message([toolUse('toolu_a', JSON.parse(json))]))).toEqual([call('toolu_a', json)])
  })
})

describe('the message that the next request repeats', () => {
  const delta = (index, fields) => ({ type: 'content_block_delta', index, delta: fields })
  const thinking = { type: 'thinking', thinking: 'They ask for rust.', signature: 'c2ln' }
  const search = { type: 'server_tool_use', id: 'srvtoolu_a', name: 'web_search', input: { query: 'é"\\' } }
  const hits = {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_a',
    content: [{ type: 'web_search_result', url: 'https://x.org', page_age: null }],
  }
  const cited = {
    type: 'text',
    text: 'See this.',
    citations: [
      { type: 'char_location', n: 1 },
      { type: 'char_location', n: 2 },
    ],
  }
  const BLOCKS = [
    thinking,
    { type: 'redacted_thinking', data: 'AAA=' },
    words,
    search,
    hits,
    cited,
    toolUse('toolu_a'),
    toolUse('toolu_b', {}),
  ]

  test('is none before there were calls', () => {
    expect(transport.assistantMessage).toBeNull()
    receiveAll(message([words], 'end_turn'))
    expect(transport.assistantMessage).toBeNull()
  })

  test('of a whole message has all of its blocks', () => {
    receiveAll(message(BLOCKS))
    expect(transport.assistantMessage).toEqual({ role: 'assistant', content: BLOCKS })
  })

  test('of a stream is put together from its pieces', () => {
    const stream = [
      start,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'They ask ' }),
      delta(0, { type: 'thinking_delta', thinking: 'for rust.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      close(0),
      open(1, BLOCKS[1]),
      close(1),
      open(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: 'Let me ' }),
      delta(2, { type: 'text_delta', text: 'look.' }),
      close(2),
      open(3, { ...search, input: {} }),
      piece(3, '{"query":"é'),
      piece(3, '\\"\\\\"}'),
      close(3),
      open(4, hits),
      close(4),
      open(5, { type: 'text', text: 'See ', citations: [] }),
      ...cited.citations.map(citation => delta(5, { type: 'citations_delta', citation })),
      delta(5, { type: 'text_delta', text: 'this.' }),
      close(5),
      ...written(6, 'toolu_a', '{"query":', '"rust"}'),
      ...written(7, 'toolu_b'),
      ...stop(),
    ]
    expect(receiveAll(...stream)).toHaveLength(2)
    expect(transport.assistantMessage).toEqual({ role: 'assistant', content: BLOCKS })
    expect(receiveAll(message(BLOCKS))).toEqual([])
    expect(transport.assistantMessage.content).toHaveLength(BLOCKS.length)
  })

  test('leaves out what the service takes back from nobody', () => {
    receiveAll(
      start,
      open(0, { type: 'text', text: '' }),
      close(0),
      ...written(1, 'toolu_a', '{"que'),
      open(2, { type: 'tool_use', id: 'toolu_x', input: {} }),
      close(2),
      ...stop(),
    )
    expect(transport.assistantMessage.content).toEqual([toolUse('toolu_a', {})])
    expect(transport.problem).toBe("a call without a name not run: it can't be answered without `id` and `name`")
    receiveAll(message([toolUse('toolu_c', 'rust'), toolUse('toolu_d')]))
    expect(transport.assistantMessage.content).toEqual([toolUse('toolu_c', {}), toolUse('toolu_d')])
  })

  test('belongs to the last message with calls, and nothing of an abandoned one is in it', () => {
    receiveAll(start, open(0, words), close(0), ...written(1, 'toolu_a', '{}'))
    receiveAll(start, ...written(0, 'toolu_b', '{}'), ...stop())
    expect(transport.assistantMessage.content).toEqual([toolUse('toolu_b', {})])
    receiveAll(start, open(0, words), close(0), ...stop('end_turn'))
    expect(transport.assistantMessage.content).toEqual([toolUse('toolu_b', {})])
  })
})

describe('a stream', () => {
  test('gives its calls together at message_stop, input_json_delta by input_json_delta', () => {
    const text = [open(0, { type: 'text', text: '' }), close(0)]
    const calls = [...written(1, 'toolu_a', '', '{"que', 'ry":"rust"}'), ...written(2, 'toolu_b')]
    const begun = [start, { type: 'ping' }, ...text, ...calls]
    expect(receiveAll(...begun, stop()[0])).toEqual([])
    expect(receiveAll(stop()[1])).toEqual([call('toolu_a'), call('toolu_b', '{}')])
    expect(transport.problem).toBeNull()
  })

  test('and then the whole message of the SDK are one call', () => {
    expect(
      receiveAll(start, ...written(0, 'toolu_a', '{"query":"rust"}'), ...stop(), message([toolUse('toolu_a')])),
    ).toEqual([call('toolu_a')])
  })

  test('takes input that came whole with its block', () => {
    expect(receiveAll(start, open(0, toolUse('toolu_a')), close(0), ...stop())).toEqual([call('toolu_a')])
  })

  test('keeps blocks apart by their index', () => {
    const events = [
      open(0, toolUse('toolu_a', {})),
      open(1, toolUse('toolu_b', {})),
      piece(1, '{"b":1}'),
      piece(0, '{"a":1}'),
      close(1),
      close(0),
    ]
    expect(receiveAll(start, ...events, ...stop())).toEqual([call('toolu_a', '{"a":1}'), call('toolu_b', '{"b":1}')])
  })

  test('gives broken JSON of a complete message, for the gate to refuse', () => {
    expect(receiveAll(start, ...written(0, 'toolu_a', '{"que'), ...stop())).toEqual([call('toolu_a', '{"que')])
  })

  test('that is cut gives no call, however much of it came', () => {
    for (const events of [written(0, 'toolu_a', '{"que'), written(0, 'toolu_b'), written(0, 'toolu_c', '{}')]) {
      expect(receiveAll(start, ...events, ...stop('max_tokens'))).toEqual([])
      expect(transport.problem).toBe('`kb_search` not run: the message ended with `max_tokens`')
    }
  })

  test('gives no call without arguments whose block did not end', () => {
    expect(receiveAll(start, open(0, toolUse('toolu_c', {})), ...stop())).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: it has no arguments, and did not end')
  })

  test.each([
    [
      'two blocks with one index',
      [...written(0, 'toolu_a', '{}'), ...written(0, 'toolu_b', '{}')],
      /two blocks have one index/,
    ],
    [
      'input after the end of its block',
      [...written(0, 'toolu_a', '{}'), piece(0, '{"query":"b"}')],
      /belongs to no call/,
    ],
    ['input of no block', [...written(0, 'toolu_a'), piece(7, '{"query":"b"}')], /belongs to no call/],
  ])('with %s has two readings, and gives none of its calls', (_what, events, problem) => {
    expect(receiveAll(start, ...events, ...stop())).toEqual([])
    expect(transport.problem).toMatch(problem)
  })

  test('that ends in an error runs nothing, and says why', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    expect(receiveAll(start, ...written(0, 'toolu_a', '{}'), error)).toEqual([])
    expect(transport.problem).toBe(
      'the service reports an error: overloaded_error: Overloaded; `kb_search` not run: the service failed',
    )
    expect(receiveAll(...stop())).toEqual([])
  })

  test('that breaks off runs nothing, and the next message says so', () => {
    expect(receiveAll(start, ...written(0, 'toolu_a', '{}'), start)).toEqual([])
    expect(transport.problem).toMatch(/before `message_stop`/)
    expect(receiveAll(...written(0, 'toolu_b', '{}'), ...stop())).toEqual([call('toolu_b', '{}')])
  })

  test('cannot make us collect without bound', () => {
    receiveAll(start, ...Array.from({ length: 128 }, (_, at) => open(at, toolUse(`toolu_${at}`, {}))))
    expect(transport.problem).toBeNull()
    const closing = Array.from({ length: 129 }, (_, at) => close(at))
    expect(receiveAll(open(128, toolUse('toolu_128', {})), ...closing, ...stop())).toHaveLength(128)
    expect(transport.problem).toMatch(/more than 128/)
    receiveAll(start, ...Array.from({ length: 513 }, (_, at) => open(at, words)), ...written(600, 'toolu_z'))
    expect(receiveAll(...stop())).toEqual([])
    expect(transport.problem).toMatch(/more than 512 blocks/)
    const long = 'x'.repeat(10 * 1024 * 1024)
    expect(receiveAll(start, ...written(0, 'toolu_y', `{"a":"${long}`, `${long}"}`), ...stop())).toEqual([])
    expect(transport.problem).toMatch(/longer than/)
  })
})

test('what is no frame gives no calls and a problem', () => {
  for (const event of [
    '[]',
    JSON.stringify(message([toolUse('toolu_a')])).slice(0, -5),
    '['.repeat(100_000),
    null,
    7,
  ]) {
    expect(receiveAll(event)).toEqual([])
    expect(transport.problem).not.toBeNull()
  }
  expect(receiveAll(message([toolUse('toolu_a')]))).toEqual([call('toolu_a')])
})

test('malformed frames give no calls, and never throw', () => {
  const nameless = value => (typeof value === 'string' ? null : value)
  const frames = framesOf([
    value => value,
    content => message(content),
    block => message([block]),
    id => message([toolUse(nameless(id))]),
    name => message([{ ...toolUse('toolu_a'), name: nameless(name) }]),
    block => open(0, block),
    index => piece(index, index),
    delta => ({ type: 'content_block_delta', index: 0, delta }),
    delta => ({ type: 'message_delta', delta }),
    error => ({ type: 'error', error }),
  ])
  expect([...frames, { type: 'message_stop' }].flatMap(frame => transport.receiveToolCalls(frame))).toEqual([])
})

describe('results', () => {
  const answer = (id, result = found()) => ({ id, name: 'kb_search', result })
  const block = (id, result = found(), is_error = false) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: JSON.stringify(result),
    is_error,
  })

  test('of one message go back in one user message, in the order of the calls', () => {
    receiveAll(message([toolUse('toolu_a'), toolUse('toolu_b')]))
    expect(transport.sendToolResult(answer('toolu_b'))).toBeNull()
    expect(transport.sendToolResult(answer('toolu_a'))).toEqual({
      role: 'user',
      content: [block('toolu_a'), block('toolu_b')],
    })
  })

  test('of a stream, together', () => {
    receiveAll(start, ...written(0, 'toolu_a', '{}'), ...written(1, 'toolu_b', '{}'), ...stop())
    const message = { role: 'user', content: [block('toolu_a'), block('toolu_b')] }
    expect(transport.sendToolResults([answer('toolu_a'), answer('toolu_b')])).toEqual([message])
  })

  test('of two messages do not mix', () => {
    receiveAll(message([toolUse('toolu_a'), toolUse('toolu_b')]), message([toolUse('toolu_c')]))
    expect(transport.sendToolResult(answer('toolu_a'))).toBeNull()
    expect(transport.sendToolResult(answer('toolu_c'))).toEqual({ role: 'user', content: [block('toolu_c')] })
    expect(transport.sendToolResult(answer('toolu_b'))).toEqual({
      role: 'user',
      content: [block('toolu_a'), block('toolu_b')],
    })
  })

  test('carry is_error, and the full ToolResponse without its token', () => {
    receiveAll(message([toolUse('toolu_a')]))
    const { token, ...request } = needsConfirmation().error.confirmation_request
    const shown = { ...needsConfirmation(), error: { ...needsConfirmation().error, confirmation_request: request } }
    const sent = transport.sendToolResult(answer('toolu_a', needsConfirmation()))
    expect(JSON.stringify(sent)).not.toContain(token)
    expect(sent).toEqual({ role: 'user', content: [block('toolu_a', shown, true)] })
  })

  test('are given once', () => {
    receiveAll(message([toolUse('toolu_a')]))
    expect(transport.sendToolResult(answer('toolu_a'))).not.toBeNull()
    expect(transport.sendToolResult(answer('toolu_a'))).toBeNull()
  })

  test.each([[null], [undefined], [''], [7]])('throw where the id is %p, and where there is no ToolResponse', id => {
    expect(() => transport.sendToolResult(answer(id))).toThrow(/`id`/)
    expect(() => transport.sendToolResult(answer('toolu_a', {}))).toThrow(/ToolResponse/)
  })
})
