'use strict'
// The `function_call` of Chat Completions, which `tool_calls` replaced: read, repeated and answered in its own form.
const { found } = require('./support/answers.cjs')
const { readEvents } = require('./support/read-events.cjs')

const [NAME, ARGS] = ['kb_search', '{"query":"rust"}']
const chunk = (delta, finish_reason = null) => ({ id: 'chatcmpl-1', choices: [{ index: 0, delta, finish_reason }] })
const legacy = members => chunk({ function_call: members })
const END = chunk({}, 'function_call')
const whole = (message, finish_reason = 'function_call') => ({
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
})
const tool = { index: 0, id: 'call_abcdefgh01', type: 'function', function: { name: 'post_note', arguments: '{}' } }

const read = (...events) => readEvents(events)

const FORMS = {
  streamed: [
    chunk({ role: 'assistant', content: null, function_call: { name: NAME, arguments: '' } }),
    legacy({ arguments: ARGS.slice(0, 7) }),
    legacy({ arguments: ARGS.slice(7) }),
    END,
  ],
  'streamed, with the name in each delta': [
    legacy({ name: NAME, arguments: ARGS.slice(0, 7) }),
    legacy({ name: NAME, arguments: ARGS.slice(7) }),
    END,
  ],
  whole: [whole({ function_call: { name: NAME, arguments: ARGS } })],
  'beside an empty list': [whole({ function_call: { name: NAME, arguments: ARGS }, tool_calls: [] })],
  'a message alone': [{ role: 'assistant', content: null, function_call: { name: NAME, arguments: ARGS } }],
}

test.each(Object.entries(FORMS))('%s: its call is given, repeated and answered', (_form, events) => {
  const { transport, calls, problems } = read(...events)
  expect({ calls, problems }).toEqual({ calls: [{ id: 'temp_1', name: NAME, args: ARGS }], problems: [] })
  expect(transport.assistantMessage).toEqual({
    role: 'assistant',
    content: null,
    function_call: { name: NAME, arguments: ARGS },
  })
  const { content, ...answer } = transport.sendToolResult({ ...calls[0], result: found() })
  expect(answer).toEqual({ role: 'function', name: NAME })
  expect(JSON.parse(content)).toEqual(found())
})

test('one that did not end is not given', () => {
  const [first, second] = FORMS.streamed
  expect(read(first, second, chunk({}, 'length'))).toMatchObject({
    calls: [],
    problems: ['`kb_search` not run: the message ended with `length`'],
  })
  expect(read(first, second, END, '[DONE]')).toMatchObject({
    calls: [],
    problems: ['`kb_search` not run: the arguments did not end'],
  })
})

test('an empty one says nothing', () => {
  for (const empty of [null, {}, { name: '', arguments: '' }]) {
    const { calls, problems } = read(chunk({ function_call: empty, tool_calls: [tool] }), chunk({}, 'tool_calls'))
    expect([calls.length, problems]).toEqual([1, []])
  }
})

test('beside `tool_calls` it is named, and after them the message has two readings', () => {
  const both = { function_call: { name: NAME, arguments: ARGS }, tool_calls: [tool] }
  const named = ['`kb_search` not run: it is a legacy `function_call` beside `tool_calls`']
  for (const events of [[whole(both)], [chunk(both), END]]) {
    const { transport, calls, problems } = read(...events)
    expect([calls.map(({ name }) => name), problems]).toEqual([['post_note'], named])
    expect(transport.assistantMessage.function_call).toBeUndefined()
  }
  const mixed = [chunk({ tool_calls: [tool] }), legacy({ name: NAME, arguments: ARGS })]
  for (const events of [mixed, mixed.toReversed()])
    expect(read(...events, END)).toMatchObject({
      calls: [],
      problems: [expect.stringContaining('not run: the message has `tool_calls` and a legacy `function_call`')],
    })
})
