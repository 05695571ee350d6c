'use strict'
// The Responses API through the same transport as Chat Completions: items, streams, and the items that answer them.
const { OpenAITransport } = require('./support/gate-view.cjs')
const { found, needsConfirmation } = require('./support/answers.cjs')
const { framesOf } = require('./support/hostile-values.cjs')

const ARGS = '{"query":"rust"}'
const item = (call_id, rest = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id,
  name: 'kb_search',
  arguments: ARGS,
  status: 'completed',
  ...rest,
})
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Let me look.' }],
}
const response = (output, rest = {}) => ({ id: 'resp_1', object: 'response', status: 'completed', output, ...rest })
const added = (output_index, call_id) => ({
  type: 'response.output_item.added',
  output_index,
  item: item(call_id, { arguments: '', status: 'in_progress' }),
})
const delta = (output_index, text) => ({
  type: 'response.function_call_arguments.delta',
  item_id: 'any',
  output_index,
  delta: text,
})
const argumentsDone = (output_index, text) => ({
  type: 'response.function_call_arguments.done',
  item_id: 'any',
  output_index,
  arguments: text,
})
const itemDone = (output_index, call_id, rest) => ({
  type: 'response.output_item.done',
  output_index,
  item: item(call_id, rest),
})
const end = (status, output, rest) => ({ type: `response.${status}`, response: response(output, { status, ...rest }) })
const call = (id, args = ARGS) => ({ id, name: 'kb_search', args })

let transport
beforeEach(() => {
  transport = new OpenAITransport()
})
const receiveAll = (...events) => events.flatMap(event => transport.receiveToolCalls(event))

describe('a whole response', () => {
  test('gives the calls among its output items, once', () => {
    const whole = response([message, item('call_a'), item('call_b')])
    expect(receiveAll(whole)).toEqual([call('call_a'), call('call_b')])
    expect(receiveAll(whole)).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('gives the call of a single output item', () => {
    expect(receiveAll(message, item('call_a'))).toEqual([call('call_a')])
  })

  test.each([['queued'], ['in_progress'], ['cancelled']])('that is %s gives none', status => {
    expect(receiveAll(response([item('call_a')], { status }))).toEqual([])
  })

  test('that failed gives none, and says why', () => {
    expect(
      receiveAll(
        response([item('call_a')], { status: 'failed', error: { code: 'server_error', message: 'try again' } }),
      ),
    ).toEqual([])
    expect(transport.problem).toBe(
      'the response failed: server_error: try again; `kb_search` not run: the response failed',
    )
  })

  test('arguments are text, possibly invalid or cut: they go on as they are', () => {
    const texts = ['{"query":"ru', 'not json', '[]', '']
    expect(
      receiveAll(response(texts.map((text, at) => item(`call_${at}`, { arguments: text })))).map(({ args }) => args),
    ).toEqual(texts)
  })

  test('that is incomplete gives no call, whatever its items say', () => {
    const cut = item('call_b', { arguments: '', status: 'incomplete' })
    const incomplete_details = { reason: 'max_output_tokens' }
    expect(receiveAll(response([item('call_a'), cut], { status: 'incomplete', incomplete_details }))).toEqual([])
    expect(transport.problem).toBe('`kb_search`, `kb_search` not run: the response ended with `max_output_tokens`')
  })

  test('gives no call that did not end itself', () => {
    const cut = item('call_b', { status: 'incomplete' })
    expect(receiveAll(response([item('call_a'), cut]))).toEqual([call('call_a')])
    expect(transport.problem).toBe('`kb_search` not run: it ended with `incomplete`')
  })

  test('names calls of other kinds, which are not read', () => {
    const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_x', name: 'shell', input: 'ls' }
    expect(receiveAll(response([custom, item('call_a')]))).toEqual([call('call_a')])
    expect(transport.problem).toBe('`shell` not run: items of type `custom_tool_call` are not read')
  })
})

describe('a stream', () => {
  test('gives its calls when it is completed, and not again from the whole response', () => {
    const begun = { type: 'response.created', response: response([], { status: 'in_progress' }) }
    expect(receiveAll(begun, added(0, 'call_a'), delta(0, ARGS), argumentsDone(0, ARGS))).toEqual([])
    expect(receiveAll(itemDone(0, 'call_a'))).toEqual([])
    expect(receiveAll(end('completed', [item('call_a')]))).toEqual([call('call_a')])
    expect(receiveAll(response([item('call_a')]))).toEqual([])
    expect(transport.problem).toBeNull()
  })

  test('is put together from its deltas where nothing tells the whole', () => {
    receiveAll(
      added(0, 'call_a'),
      added(1, 'call_b'),
      delta(1, '{"query":'),
      delta(0, '{"que'),
      delta(1, '"b"}'),
      delta(0, 'ry":"a"}'),
    )
    receiveAll(itemDone(0, 'call_a', { arguments: undefined }))
    expect(receiveAll(end('completed', []))).toEqual([call('call_a', '{"query":"a"}'), call('call_b', '{"query":"b"}')])
  })

  test('takes arguments.done for the whole text', () => {
    receiveAll(added(0, 'call_a'), delta(0, '{"lost'), argumentsDone(0, ARGS), itemDone(0, 'call_a', { arguments: '' }))
    expect(receiveAll(end('completed', []))).toEqual([call('call_a')])
  })

  test('that is cut gives no call, also of items that were done', () => {
    receiveAll(added(0, 'call_a'), delta(0, ARGS), itemDone(0, 'call_a'), added(1, 'call_b'))
    expect(receiveAll(end('incomplete', [], { incomplete_details: { reason: 'max_output_tokens' } }))).toEqual([])
    expect(transport.problem).toBe('`kb_search`, `kb_search` not run: the response ended with `max_output_tokens`')
  })

  test('that fails runs nothing, nor does what comes after it', () => {
    receiveAll(added(0, 'call_a'), delta(0, ARGS))
    expect(receiveAll(end('failed', [], { error: { code: 'server_error' } }))).toEqual([])
    expect(transport.problem).toBe('the response failed: server_error; `kb_search` not run: the response failed')
    expect(receiveAll(end('completed', []))).toEqual([])
  })

  test('that breaks off runs nothing, and the next response says so', () => {
    receiveAll(added(0, 'call_a'), delta(0, ARGS))
    receiveAll({ type: 'response.created', response: response([], { id: 'resp_2', status: 'in_progress' }) })
    expect(transport.problem).toBe('`kb_search` not run: another response began before this one ended')
    expect(receiveAll(added(0, 'call_b'), delta(0, ARGS), end('completed', [], { id: 'resp_2' }))).toEqual([
      call('call_b'),
    ])
  })

  test('whose end has another id has two readings, and gives none of its calls', () => {
    receiveAll(
      { type: 'response.created', response: response([], { status: 'in_progress' }) },
      added(0, 'call_a'),
      delta(0, ARGS),
    )
    expect(receiveAll(end('completed', [], { id: 'resp_2' }))).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: another response ended than the one that began')
  })

  test('gives no call without arguments whose item did not end', () => {
    expect(receiveAll(added(0, 'call_a'), end('completed', []))).toEqual([])
    expect(transport.problem).toBe('`kb_search` not run: it has no arguments, and did not end')
    expect(receiveAll(added(0, 'call_b'), itemDone(0, 'call_b', { arguments: '' }), end('completed', []))).toEqual([
      call('call_b', ''),
    ])
  })

  test('reports an error event', () => {
    receiveAll({ type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null })
    expect(transport.problem).toBe('the service reports an error: error: rate_limit_exceeded: slow down')
  })

  test('is read from text and bytes, and cut text is a problem', () => {
    const text = JSON.stringify(end('completed', [item('call_a')]))
    expect(receiveAll(text.slice(0, 40))).toEqual([])
    expect(transport.problem).toMatch(/can't be read/)
    expect(receiveAll(Buffer.from(text))).toEqual([call('call_a')])
  })

  test('cannot make us collect without bound', () => {
    receiveAll(...Array.from({ length: 512 }, (_, at) => added(at, `call_${at}`)), added(512, 'call_512'))
    expect(receiveAll(end('completed', []))).toEqual([])
    expect(transport.problem).toMatch(/more than 512 output items/)
    const long = 'x'.repeat(10 * 1024 * 1024)
    expect(receiveAll(added(0, 'call_a'), delta(0, long), delta(0, long), end('completed', []))).toEqual([])
    expect(transport.problem).toMatch(/longer than/)
  })
})

test('a call without an id or a name is not run, which is a problem', () => {
  expect(receiveAll(item(undefined), item('call_a', { name: '' }))).toEqual([])
  expect(transport.problem).toBe("a call without a name not run: it can't be answered without `call_id` and `name`")
})

test('malformed frames give no calls, and never throw', () => {
  const frames = framesOf([
    output => response(output),
    value => response([value]),
    status => response([], { status }),
    value => ({ type: 'response.output_item.done', item: value }),
    value => ({ type: 'response.output_item.added', item: value }),
    call_id => item(typeof call_id === 'string' ? null : call_id),
    name => item('call_a', { name: typeof name === 'string' ? null : name }),
    value => ({ type: 'response.completed', response: value }),
    value => delta(value, value),
  ])
  expect(frames.flatMap(frame => transport.receiveToolCalls(frame))).toEqual([])
})

describe('sendToolResult', () => {
  test('answers a call of Responses with a function_call_output under its call_id', () => {
    receiveAll(response([item('call_a')]))
    const answer = transport.sendToolResult({ ...call('call_a'), result: found() })
    expect({ ...answer, output: JSON.parse(answer.output) }).toEqual({
      type: 'function_call_output',
      call_id: 'call_a',
      output: found(),
    })
  })

  test('answers a call of Chat Completions with a tool message, whatever came before', () => {
    receiveAll(response([item('call_a')]))
    receiveAll({
      role: 'assistant',
      tool_calls: [{ id: 'call_chat', function: { name: 'kb_search', arguments: ARGS } }],
    })
    const answers = ['call_a', 'call_chat'].map(id => ({ id, name: 'kb_search', result: found() }))
    expect(transport.sendToolResults(answers).map(({ type, role }) => type ?? role)).toEqual([
      'function_call_output',
      'tool',
    ])
  })

  test('leaves out the confirmation token, and nothing else', () => {
    receiveAll(response([item('call_a')]))
    const { output } = transport.sendToolResult({ ...call('call_a'), result: needsConfirmation() })
    const { token, ...request } = needsConfirmation().error.confirmation_request
    expect(output).not.toContain(token)
    expect(JSON.parse(output)).toEqual({
      ...needsConfirmation(),
      error: { ...needsConfirmation().error, confirmation_request: request },
    })
  })
})

describe('the output that the next request repeats', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAA=' }

  test('has the reasoning and all calls that are answered', () => {
    const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_x', name: 'shell', input: 'ls' }
    receiveAll(response([reasoning, message, item('call_a'), custom]))
    expect(transport.assistantMessage).toEqual([reasoning, message, item('call_a')])
  })

  test('is put together from the events of a stream', () => {
    const done = (output_index, item) => ({ type: 'response.output_item.done', output_index, item })
    receiveAll(done(0, reasoning), added(1, 'call_a'), delta(1, ARGS), itemDone(1, 'call_a'), end('completed', []))
    expect(transport.assistantMessage).toEqual([reasoning, item('call_a')])
  })

  test('has a name and arguments that the API takes, and the answer still matches', () => {
    const [seen] = receiveAll(response([item('call_a', { name: 'find note!', arguments: '{"que' })]))
    expect(seen).toEqual({ id: 'call_a', name: 'find note!', args: '{"que' })
    expect(transport.assistantMessage).toEqual([item('call_a', { name: 'find_note_', arguments: '{}' })])
    expect(transport.sendToolResult({ ...seen, result: found() }).call_id).toBe('call_a')
  })

  test('tells two calls with one id apart, and so do their answers', () => {
    const calls = receiveAll(response([item('call_a', { id: 'fc_1' }), item('call_a', { id: 'fc_2' })]))
    expect(calls).toHaveLength(2)
    const repeated = transport.assistantMessage.map(({ call_id }) => call_id)
    expect(new Set(repeated).size).toBe(2)
    const answers = calls.map(seen => transport.sendToolResult({ ...seen, result: found() }).call_id)
    expect(answers).toEqual(repeated)
  })
})

describe('a call that the model does not wait for (`async`)', () => {
  const running = { ok: true, data: { status: 'running', callId: 'call_a' }, intents: [], meta: { pending: true } }
  const output = (call_id, result) => ({ type: 'function_call_output', call_id, output: JSON.stringify(result) })

  test.each([
    ['in a whole response', [response([message, item('call_a', { async: true })])]],
    [
      'streamed',
      [
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: item('call_a', { arguments: '', status: 'in_progress', async: true }),
        },
        delta(0, ARGS),
        itemDone(0, 'call_a', { async: true }),
        end('completed', [item('call_a', { async: true })]),
      ],
    ],
  ])('%s is answered once, with its result', (_what, events) => {
    expect(receiveAll(...events)).toEqual([call('call_a')])
    const answer = { id: 'call_a', name: 'kb_search' }
    expect(transport.assistantMessage.at(-1)).toMatchObject({ call_id: 'call_a', async: true })
    expect(transport.sendToolResult({ ...answer, result: running })).toBeNull()
    expect(transport.sendToolResults([{ ...answer, result: running }])).toEqual([])
    expect(transport.sendToolResult({ ...answer, result: found() })).toEqual(output('call_a', found()))
  })

  test('a call that the model waits for is answered at once', () => {
    expect(receiveAll(response([item('call_a'), item('call_b', { async: false })]))).toHaveLength(2)
    for (const id of ['call_a', 'call_b'])
      expect(transport.sendToolResult({ id, name: 'kb_search', result: running })).toEqual(output(id, running))
  })

  test('a question to the user is sent: the call does not run', () => {
    receiveAll(response([item('call_a', { async: true })]))
    const sent = transport.sendToolResults([{ id: 'call_a', name: 'kb_search', result: needsConfirmation() }])
    expect(sent).toHaveLength(1)
  })

  test('an early answer is not sent through the client either', () => {
    const sent = []
    transport = new OpenAITransport({ sendMessage: (_id, one) => sent.push(one) }, 'conversation')
    receiveAll(response([item('call_a', { async: true })]))
    transport.sendToolResult({ id: 'call_a', name: 'kb_search', result: running })
    transport.sendToolResult({ id: 'call_a', name: 'kb_search', result: found() })
    expect(sent).toEqual([output('call_a', found())])
  })
})

describe('`withAsync`', () => {
  const { withAsync } = require('../../js/transports/async-calls.js')
  const declarations = [
    { type: 'tool_search' },
    { type: 'function', name: 'slow', parameters: {} },
    { type: 'function', name: 'fast', parameters: {} },
  ]
  const isBackground = name => name === 'slow'

  test.each(['gpt-6-astra', 'gpt-6-astra-2026-09-03', 'openai/gpt-6-astra', 'gpt-6.1', 'gpt-7', 'gpt-10-mini'])(
    'declares background tools so for %s',
    model => {
      const [search, slow, fast] = withAsync(declarations, { model, isBackground })
      expect([search, slow, fast]).toEqual([declarations[0], { ...declarations[1], async: true }, declarations[2]])
    },
  )

  test.each(['gpt-5.6-sol', 'gpt-6', 'gpt-4.1', 'o3', 'other', ''])('declares none so for %s', model => {
    const declared = withAsync(declarations, { model, isBackground })
    expect(declared).toEqual(declarations)
  })
})
