'use strict'
// The Responses API through the same transport as Chat Completions: items, streams, and the items that answer them.
const { OpenAITransport } = require('../../js/transports/openai-transport.js')
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
    expect(transport.problem).toBe('the response failed: server_error: try again')
  })

  test('arguments are text, possibly invalid or cut: they go on as they are', () => {
    const texts = ['{"query":"ru', 'not json', '[]', '']
    expect(
      receiveAll(response(texts.map((text, at) => item(`call_${at}`, { arguments: text })))).map(({ args }) => args),
    ).toEqual(texts)
  })

  test('a call that was cut before its first argument does not run without arguments', () => {
    const cut = item('call_a', { arguments: '', status: 'incomplete' })
    const [seen] = receiveAll(response([cut], { status: 'incomplete' }))
    expect(seen.args).not.toBe('')
    expect(() => JSON.parse(seen.args)).toThrow()
  })
})

describe('a stream', () => {
  test('gives a call when its item is done, and not again from the whole response', () => {
    const begun = { type: 'response.created', response: response([], { status: 'in_progress' }) }
    expect(receiveAll(begun, added(0, 'call_a'), delta(0, ARGS), argumentsDone(0, ARGS))).toEqual([])
    expect(receiveAll(itemDone(0, 'call_a'))).toEqual([call('call_a')])
    expect(receiveAll(end('completed', [item('call_a')]), response([item('call_a')]))).toEqual([])
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
    expect(receiveAll(itemDone(0, 'call_a', { arguments: undefined }))).toEqual([call('call_a', '{"query":"a"}')])
    expect(receiveAll(end('completed', []))).toEqual([call('call_b', '{"query":"b"}')])
  })

  test('takes arguments.done for the whole text', () => {
    receiveAll(added(0, 'call_a'), delta(0, '{"lost'), argumentsDone(0, ARGS))
    expect(receiveAll(itemDone(0, 'call_a', { arguments: '' }))).toEqual([call('call_a')])
  })

  test('that is cut gives the cut text, for the gate to refuse', () => {
    receiveAll(added(0, 'call_a'), delta(0, '{"que'), added(1, 'call_b'))
    const calls = receiveAll(end('incomplete', [], { incomplete_details: { reason: 'max_output_tokens' } }))
    expect(calls.map(({ id, args }) => [id, args])).toEqual([
      ['call_a', '{"que'],
      ['call_b', '{'],
    ])
  })

  test('that fails runs nothing that was not done', () => {
    receiveAll(added(0, 'call_a'), delta(0, ARGS))
    expect(receiveAll(end('failed', [], { error: { code: 'server_error' } }))).toEqual([])
    expect(transport.problem).toBe('the response failed: server_error')
    expect(receiveAll(end('completed', []))).toEqual([])
  })

  test('reports an error event', () => {
    receiveAll({ type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null })
    expect(transport.problem).toBe('the service reports an error: error: rate_limit_exceeded: slow down')
  })

  test('is read from text and bytes, and what is cut there is told', () => {
    const text = JSON.stringify(itemDone(0, 'call_a'))
    expect(receiveAll(text.slice(0, 40))).toEqual([])
    expect(transport.problem).toMatch(/can't be read/)
    expect(receiveAll(Buffer.from(text))).toEqual([call('call_a')])
  })

  test('cannot make us collect without bound', () => {
    receiveAll(...Array.from({ length: 128 }, (_, at) => added(at, `call_${at}`)))
    expect(transport.problem).toBeNull()
    receiveAll(added(128, 'call_128'))
    expect(transport.problem).toMatch(/more than 128/)
    expect(receiveAll(end('completed', []))).toHaveLength(128)
  })
})

test('a call without an id or a name is not run, and that is told', () => {
  expect(receiveAll(item(undefined), item('call_a', { name: '' }))).toEqual([])
  expect(transport.problem).toMatch(/without a name/)
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
